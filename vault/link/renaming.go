package link

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Format is the preferred form of rewritten links whose own form does not work: Obsidian's newLinkFormat.
type Format string

// The formats of links.
const (
	Shortest Format = "shortest" // the name alone if that is unambiguous
	Relative Format = "relative" // relative to the note's folder
	Absolute Format = "absolute" // relative to the vault
)

// Renaming rewrites the links of a vault when files are renamed. It is safe for concurrent use.
type Renaming struct {
	before, after *Names
	moved         map[string]string
	format        Format
	prefilter     *Prefilter
	shifts        map[string]*Shift // by note; nil if no headings change
}

// NewRenaming returns the renaming of files; names are all files of the vault, and moved maps old paths to new ones.
func NewRenaming(names *Names, moved map[string]string, format Format) *Renaming {
	return &Renaming{names, names.Renamed(moved), moved, format, NewPrefilter(names.Home, moved), nil}
}

// NewShifting returns a renaming that updates the links to headings and blocks that change, in several notes if all of
// them are renamed headings; names are all files of the vault before.
func NewShifting(names *Names, format Format, shifts ...*Shift) *Renaming {
	moved, by := map[string]string{}, map[string]*Shift{}
	for _, s := range shifts {
		by[s.Note] = s
		if s.whole {
			moved[s.Note] = s.To
		} else {
			moved[s.Note], moved[""] = s.Note, s.To
		}
	}
	return &Renaming{names, names.Renamed(moved), nil, format, NewPrefilter(names.Home, moved), by}
}

// NewPath returns the path of a file after the renaming.
func (r *Renaming) NewPath(p string) string {
	if to, ok := r.moved[p]; ok {
		return to
	}
	return p
}

// Rewritten is a file with rewritten links.
type Rewritten struct {
	Text  []byte // the original slice if nothing changed
	Links int    // number of changed links
	// Lost are the links that cannot be rewritten and now lead elsewhere or nowhere.
	Lost []Link

	edits []edit
	risky bool // a rewritten link contains characters that may pair with others in the text
}

// Rewrite returns the file at name with the links rewritten that lead to moved files or would otherwise lead to
// another file, because of the new names or because the file itself moves. A link keeps its form, anchor and alias;
// if its form cannot express the new path, it gets that of the Format, or any that can. Links that led nowhere stay
// unchanged, and so do links to hidden files, so that the two cannot be distinguished. name is the file's path before
// the renaming.
func (r *Renaming) Rewrite(name string, text []byte) Rewritten {
	return r.Part(name, r.NewPath(name), text)
}

// Part is Rewrite for a part of the note at name that moves to the note at to.
func (r *Renaming) Part(name, to string, text []byte) Rewritten {
	links := r.before.Links(name, text)
	out := r.rewrite(name, to, text, links, false)
	if out.Links > 0 && out.risky && len(r.before.Links(name, out.Text)) != len(links) {
		// A new path pairs with other text: "$5 … [[US$]]" is math.
		out = r.rewrite(name, to, text, links, true)
	}
	return out
}

func (r *Renaming) rewrite(name, to string, text []byte, links []Link, guarded bool) Rewritten {
	out := Rewritten{Text: text}
	for _, l := range links {
		own := l.Path == "" && l.Kind != Canvas
		if own && r.shifts[name] == nil || !own && name == to && !r.prefilter.has([]byte(path.Base(l.Path))) {
			continue
		}
		w := wording{Renaming: r, text: text, link: l, from: name, to: to, guarded: guarded}
		target, ok := r.before.Resolve(name, l)
		if r.before.hidden[target] || !w.setTargets(target, ok) {
			continue
		}
		changes, ok := w.changes()
		if !ok {
			out.Lost = append(out.Lost, l)
		}
		for _, e := range changes {
			out.risky = out.risky || strings.ContainsAny(e.with, pairing)
		}
		if len(changes) > 0 {
			out.edits = append(out.edits, changes...)
			out.Links++
		}
	}
	if len(out.edits) > 0 {
		out.Text = edited(text, out.edits)
	}
	return out
}

// Offset returns the offset in the new text of an offset in the old one, outside of links.
func (r *Rewritten) Offset(at int) int {
	moved := at
	for _, e := range r.edits {
		if e.span.End <= at {
			moved += len(e.with) - (e.span.End - e.span.Start)
		}
	}
	return moved
}

// changes returns the edits for a link whose target changed; ok is false if it cannot be rewritten.
func (w *wording) changes() (edits []edit, ok bool) {
	l := w.link
	if s := w.shifts[w.target]; s != nil {
		var anchor string
		if w.want, anchor, ok = s.follow(l); !ok {
			return nil, false
		}
		if anchor != l.Anchor {
			edits = []edit{{l.anchorAt, quoted(anchor, l.quoting)}}
		}
	}
	if l.Path == "" && w.want == w.to {
		return edits, true
	}
	if place := Place(w.to, l.Path); w.relative && l.Path != "" && w.leadsToTarget(l.Path) && slices.Contains([]string{w.target, place, place + ".md", place + "/"}, w.want) {
		return edits, true
	}
	if now, ok := w.after.Resolve(w.to, l); ok && now == w.want && (w.want == w.target && !w.relative || w.before.byAlt[key(l.Path)] == w.target) {
		return edits, true
	}
	e, ok := w.choose()
	switch {
	case !ok || e.span == l.Whole && len(edits) > 0:
		return nil, false
	case e.with != string(w.text[e.span.Start:e.span.End]):
		edits = append(edits, e)
	}
	return edits, true
}

// setTargets sets the files that the link means before and after the renaming. found reports whether the link was
// resolved to target. It returns false for a link that leads nowhere.
func (w *wording) setTargets(target string, found bool) bool {
	l := w.link
	if place, _ := w.before.relative(w.from, l.Path, l.Kind); found && (place == target || l.Path == "") {
		w.relative = w.before.Plain && l.Kind.markdown() || l.Kind == HTML || strings.HasSuffix(target, "/")
	} else if !found {
		if target = Place(w.from, l.Path); !l.Kind.markdown() || !isUnseen(target) {
			return false
		}
		w.relative, w.outside = true, true
	}
	w.target, w.want = target, w.NewPath(target)
	return true
}

// edit is the replacement of a range.
type edit struct {
	span Span
	with string
}

func edited(text []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Or(a.span.Start-b.span.Start, a.span.End-b.span.End) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, text[at:e.span.Start]...)
		out = append(out, e.with...)
		at = e.span.End
	}
	return append(out, text[at:]...)
}
