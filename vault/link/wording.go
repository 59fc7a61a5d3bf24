package link

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"chatvault/vault/pathname"
)

// wording chooses the new path of a link so that it leads to the wanted file.
type wording struct {
	*Renaming
	text         []byte
	link         Link
	from, to     string // the file with the link, before and after
	target, want string // the file that the link means, before and after

	relative bool // the target is relative to the link's file and must remain so
	outside  bool // the target is outside the vault and unknown
	guarded  bool // the new text may not contain characters that could pair with others in the text
}

// choose returns the edit for the link; ok is false if it cannot be rewritten.
func (w *wording) choose() (e edit, ok bool) {
	forms := w.forms()
	for _, f := range forms {
		for _, p := range w.paths(f) {
			if w.isCurrent(p) && w.leadsToTarget(p) {
				return edit{w.link.Dest, string(w.text[w.link.Dest.Start:w.link.Dest.End])}, true
			}
			if with, ok := w.encodeDest(p); ok && w.leadsToTarget(p) {
				return edit{w.link.Dest, with}, true
			}
		}
	}
	inMarkdown := *w
	inMarkdown.link.Kind, inMarkdown.relative = Markdown, w.after.Plain
	for _, f := range inMarkdown.forms() { // a name that no wikilink can contain
		paths := inMarkdown.paths(f)
		if p := paths[len(paths)-1]; inMarkdown.leadsToTarget(p) {
			if with, ok := w.asMarkdown(p); ok {
				return edit{w.link.Whole, with}, true
			}
		}
	}
	return edit{}, false
}

// isCurrent reports whether the link already has the path p.
func (w *wording) isCurrent(p string) bool {
	return p == w.link.Path || isDotPath(p) && isDotPath(w.link.Path) && path.Clean(p) == path.Clean(w.link.Path)
}

// leadsToTarget reports whether a path leads to the wanted file after the renaming.
func (w *wording) leadsToTarget(p string) bool {
	if w.outside {
		return Place(w.to, p) == w.want
	}
	if found, ok := w.after.resolve(w.to, p, w.link.Kind); !ok || found != w.want { // a note takes precedence over a folder of the same name
		return false
	}
	found, ok := w.after.relative(w.to, p, w.link.Kind)
	return !w.relative || ok && found == w.want
}

// isUnseen reports whether a place is outside the vault or protected, so that its content is unknown.
func isUnseen(place string) bool {
	return slices.ContainsFunc(strings.Split(place, "/"), func(name string) bool { return name != "." && pathname.Protected(name) })
}

// form is the form of a link's path.
type form int

const (
	byName   form = iota // the file's name alone
	byTail               // the end of the path, as long as the link's
	fromNote             // relative to the note's folder, without "./"
	dotNote              // relative to the note's folder, with "./" if it leads down
	fromRoot             // relative to the vault
	slashed              // relative to the vault, with a leading "/"
)

// forms returns the forms to try, the link's own first.
func (w *wording) forms() []form {
	own := w.form()
	forms := []form{own}
	if w.relative {
		return append(forms, fromNote, dotNote, slashed)
	}
	if own == fromNote {
		forms = append(forms, dotNote)
	}
	switch {
	case w.link.Kind == Canvas:
		return forms
	case w.format == Relative:
		forms = append(forms, fromNote, dotNote)
	case w.format != Absolute && own != fromRoot:
		forms = append(forms, byName)
	}
	return append(forms, fromRoot, dotNote, slashed, byName)
}

// form returns the form of the link. If a name alone is also the complete path, as for a file in the same folder, the
// vault's format decides.
func (w *wording) form() form {
	p := w.link.Path
	folder := path.Dir(w.from)
	switch {
	case w.link.Kind == Canvas:
		return fromRoot
	case p == "" && (w.relative || w.format == Relative):
		return fromNote
	case p == "" && w.format == Absolute:
		return fromRoot
	case p == "":
		return byName
	case isDotPath(p):
		if (w.relative || w.format == Relative) && strings.HasPrefix(p, "..") {
			return fromNote // links of this form have no "./"
		}
		return dotNote
	case p[0] == '/':
		return slashed
	case w.relative:
		return fromNote
	case !strings.Contains(p, "/"):
		if w.format == Relative && path.Dir(w.target) == folder {
			return fromNote
		}
		if w.format == Absolute && path.Dir(w.target) == "." {
			return fromRoot
		}
		return byName
	}
	whole := w.isTarget(p)
	own := w.isTarget(path.Join(folder, p))
	switch {
	case whole && own && w.format == Relative:
		return fromNote
	case whole:
		return fromRoot
	case own:
		return fromNote
	}
	return byTail
}

// isTarget reports whether p is the complete path of the target, with or without the extension.
func (w *wording) isTarget(p string) bool {
	k, t := key(p), key(w.target)
	return k == t || k+".md" == t
}

// paths returns the possible spellings of the wanted file's path in a form, the link's own first.
func (w *wording) paths(f form) []string {
	p := w.want
	if alt := w.after.alternate(p); alt != "" && w.before.byAlt[key(w.link.Path)] == w.target {
		return []string{alt}
	}
	switch f {
	case byName:
		p = path.Base(p)
	case byTail:
		parts := strings.Split(p, "/")
		n := strings.Count(w.link.Path, "/") + 1
		p = strings.Join(parts[max(0, len(parts)-n):], "/")
	case fromNote, dotNote:
		p = relative(path.Dir(w.to), p)
		if f == dotNote && !isDotPath(p) {
			p = "./" + p
		}
	case slashed:
		p = "/" + p
	}
	return w.extended(p)
}

// extended returns the path p of the wanted file with and without its extension: first as in the link, then with it.
func (w *wording) extended(p string) []string {
	if strings.HasSuffix(w.want, "/") || w.outside {
		p = strings.TrimSuffix(p, "/")
		if strings.HasSuffix(w.link.Path, "/") {
			return []string{p + "/"}
		}
		return []string{p, p + "/"} // a note may have the name of the folder
	}
	full := key(path.Base(w.link.Path)) == path.Base(key(w.target)) || w.link.Path == "" && w.link.Kind.markdown()
	if full || w.link.Kind == Canvas || !strings.EqualFold(path.Ext(w.want), ".md") {
		return []string{p}
	}
	return []string{p[:len(p)-len(".md")], p}
}

// relative returns the relative path from a folder to a file.
func relative(folder, file string) string {
	rel, _ := filepath.Rel(folder, file) // both are below the vault's folder
	return filepath.ToSlash(rel)
}
