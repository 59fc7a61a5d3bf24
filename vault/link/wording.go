package link

import (
	"path"
	"slices"
	"strings"

	"chatvault/vault/pathname"
)

// wording looks for the words in which a link means the file it is to mean.
type wording struct {
	*Renaming
	text         []byte
	link         Link
	from, to     string // the file it is in, before and after
	target, want string // the file it means, before and after

	relative bool // the target is at the link's place, and has to be afterwards
	outside  bool // what is there is not known
	guarded  bool // nothing is written that could pair with what is elsewhere in the text
}

// word is what is to be written for the link; ok is false where nothing can be.
func (w *wording) word() (e edit, ok bool) {
	forms := w.forms()
	for _, f := range forms {
		for _, p := range w.paths(f) {
			if w.same(p) && w.means(p) {
				return edit{w.link.Dest, string(w.text[w.link.Dest.Start:w.link.Dest.End])}, true
			}
			if with, ok := w.written(p); ok && w.means(p) {
				return edit{w.link.Dest, with}, true
			}
		}
	}
	inMarkdown := *w
	inMarkdown.link.Kind, inMarkdown.relative = Markdown, w.after.Plain
	for _, f := range inMarkdown.forms() { // a name that no wikilink can hold
		paths := inMarkdown.paths(f)
		if p := paths[len(paths)-1]; inMarkdown.means(p) {
			if with, ok := w.asMarkdown(p); ok {
				return edit{w.link.Whole, with}, true
			}
		}
	}
	return edit{}, false
}

// same says whether a path is the one that the link has already.
func (w *wording) same(p string) bool {
	return p == w.link.Path || dotted(p) && dotted(w.link.Path) && path.Clean(p) == path.Clean(w.link.Path)
}

// means says whether a path leads to the wanted file afterwards.
func (w *wording) means(p string) bool {
	if w.outside {
		return Place(w.to, p) == w.want
	}
	if found, ok := w.after.resolve(w.to, p, w.link.Kind); !ok || found != w.want { // a note before a folder of its name
		return false
	}
	found, ok := w.after.relative(w.to, p, w.link.Kind)
	return !w.relative || ok && found == w.want
}

// unseen reports whether a place is outside of the vault, or protected: what is there is not known.
func unseen(place string) bool {
	return slices.ContainsFunc(strings.Split(place, "/"), func(name string) bool { return name != "." && pathname.Protected(name) })
}

// form is the way in which a link's path leads to its file.
type form int

const (
	byName   form = iota // the file's name alone
	byTail               // the end of its path, as long as the link's was
	fromNote             // from the note's folder, bare where it leads down
	dotNote              // the same, with "./" where it leads down
	fromRoot             // from the vault's folder
	slashed              // the same, with "/" before it
	anyTail              // as many names from the end of its path as it takes
)

// forms are the forms to try, the link's own first.
func (w *wording) forms() []form {
	own := w.form()
	forms := []form{own}
	if w.relative {
		return append(forms, fromNote, dotNote, slashed)
	}
	if own == fromNote {
		forms = append(forms, dotNote)
	}
	switch w.format {
	case Relative:
		forms = append(forms, fromNote, dotNote)
	case Absolute:
	default:
		if own != byName && own != fromRoot {
			forms = append(forms, byName)
		}
	}
	if w.link.Kind == Canvas {
		return []form{fromRoot}
	}
	return append(forms, fromRoot, dotNote, slashed, anyTail)
}

// form is the one the link has. Where a name alone is the whole way as well, as of a file in the
// same folder, the vault's format says as what it was meant.
func (w *wording) form() form {
	p := w.link.Path
	folder := path.Dir(w.from)
	switch {
	case w.link.Kind == Canvas:
		return fromRoot
	case dotted(p):
		if (w.relative || w.format == Relative) && strings.HasPrefix(p, "..") {
			return fromNote // whose links to the same folder have no "./"
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
	whole := w.names(p)
	own := w.names(path.Join(folder, p))
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

// names says whether a path is the target's whole one, with or without the extension.
func (w *wording) names(p string) bool {
	k, t := key(p), key(w.target)
	return k == t || k+".md" == t
}

// paths are the wanted file's path in a form, each way in which it can be written, the link's
// own first.
func (w *wording) paths(f form) []string {
	p := w.want
	switch f {
	case anyTail:
		var paths []string
		for i := len(p) - 1; i >= 0; i-- {
			if i == 0 || p[i-1] == '/' {
				paths = append(paths, w.extended(p[i:])...)
			}
		}
		return paths
	case byName:
		p = path.Base(p)
	case byTail:
		parts := strings.Split(p, "/")
		n := strings.Count(w.link.Path, "/") + 1
		p = strings.Join(parts[max(0, len(parts)-n):], "/")
	case fromNote, dotNote:
		p = relative(path.Dir(w.to), p)
		if p == "" || f == dotNote && !dotted(p) {
			p = "./" + p
		}
	case slashed:
		p = "/" + p
	}
	return w.extended(p)
}

// extended is a path of the wanted file, first with the extension where the link had it, or
// without; then with it.
func (w *wording) extended(p string) []string {
	if strings.HasSuffix(w.want, "/") || w.outside {
		p = strings.TrimSuffix(p, "/")
		if strings.HasSuffix(w.link.Path, "/") {
			return []string{p + "/"}
		}
		return []string{p, p + "/"} // a note may have the folder's name
	}
	full := key(path.Base(w.link.Path)) == path.Base(key(w.target))
	if full || w.link.Kind == Canvas || !strings.EqualFold(path.Ext(w.want), ".md") {
		return []string{w.respelled(p, full)}
	}
	return []string{w.respelled(p[:len(p)-len(".md")], true), p}
}

// relative is the way from a folder to a file.
func relative(folder, file string) string {
	file = strings.TrimPrefix(file, "./") // the vault's own folder
	if folder == "." {
		return file
	}
	from, to := strings.Split(folder, "/"), strings.Split(file, "/")
	for len(from) > 0 && len(to) > 1 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	return strings.Repeat("../", len(from)) + strings.Join(to, "/")
}

// respelled gives the names in p that the move does not change the spelling that the link has.
// alike: its last name has or has not an extension as that of the link.
func (w *wording) respelled(p string, alike bool) string {
	if !alike {
		return p
	}
	names, written := strings.Split(p, "/"), strings.Split(w.link.Path, "/")
	before, after := strings.Split(w.target, "/"), strings.Split(w.want, "/")
	for back := 1; back <= min(len(names), len(written), len(before), len(after)); back++ {
		n := &names[len(names)-back]
		if before[len(before)-back] == after[len(after)-back] && key(*n) == key(written[len(written)-back]) {
			*n = written[len(written)-back]
		}
	}
	if respelled := strings.Join(names, "/"); w.means(respelled) {
		return respelled
	}
	return p
}
