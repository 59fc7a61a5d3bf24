package link

import (
	"path"
	"slices"
	"strings"
)

// Format is how a link names its file where how it did cannot stay: Obsidian's newLinkFormat.
type Format string

// The formats.
const (
	Shortest Format = "shortest" // by its name alone, where that is enough
	Relative Format = "relative" // from the note's folder
	Absolute Format = "absolute" // from the vault's
)

// Renaming is what becomes of the links of a vault when files get other names. It is safe for
// concurrent use.
type Renaming struct {
	before, after *Names
	moved         map[string]string
	format        Format
	prefilter     *Prefilter
}

// NewRenaming returns the renaming of the files in moved, which tells the new path of each, among
// all the files of the vault.
func NewRenaming(names *Names, moved map[string]string, format Format) *Renaming {
	return &Renaming{names, names.Renamed(moved), moved, format, NewPrefilter(moved)}
}

// NewPath is what a file is called afterwards.
func (r *Renaming) NewPath(p string) string {
	if to, ok := r.moved[p]; ok {
		return to
	}
	return p
}

// Rewritten is a file whose links were put right.
type Rewritten struct {
	Text  []byte // the same slice where nothing changed
	Links int    // how many were changed
	// Lost are the links that nothing could be written for, so that they lead elsewhere now, or
	// nowhere.
	Lost []Link
	// Redirected is how many of those lead to another file now, one that may be told of.
	Redirected int

	risky bool // something was written that may pair with what stands elsewhere
}

// Rewrite puts the links of a file right: those whose file moves, and those that would mean
// another file afterwards, be it for the new names or because the file itself moves. Each keeps
// its form, its anchor and its alias; where its form cannot say what it has to, it gets the
// format's, or any that can. A link that led nowhere is left alone, and so is one that led to a
// hidden file, whatever it means afterwards: nothing tells the two apart. name is the file's path
// before.
func (r *Renaming) Rewrite(name string, text []byte) Rewritten {
	return r.RewriteTo(name, r.NewPath(name), text)
}

// RewriteTo is Rewrite for a file that is none of the vault's for any link, and is called to
// afterwards.
func (r *Renaming) RewriteTo(name, to string, text []byte) Rewritten {
	links := Parse(name, text)
	out := r.rewrite(name, to, text, links, false)
	if out.Links > 0 && out.risky && len(Parse(name, out.Text)) != len(links) {
		// What was written pairs with what stands elsewhere: “$5 … [[US$]]” is math.
		out = r.rewrite(name, to, text, links, true)
	}
	return out
}

func (r *Renaming) rewrite(name, to string, text []byte, links []Link, guarded bool) Rewritten {
	out := Rewritten{Text: text}
	var edits []edit
	for _, l := range links {
		if name == to && !r.prefilter.has([]byte(path.Base(l.Path))) {
			continue
		}
		if l.Path == "" {
			continue
		}
		w := wording{Renaming: r, text: text, link: l, from: name, to: to, guarded: guarded}
		target, ok := r.before.Resolve(name, l)
		if r.before.hidden[target] {
			continue
		}
		if !w.meant(target, ok) {
			continue
		}
		if place := Place(to, l.Path); w.relative && w.means(l.Path) && slices.Contains([]string{w.target, place, place + ".md", place + "/"}, w.want) {
			continue
		}
		if now, ok := r.after.Resolve(to, l); ok && now == w.want && w.want == w.target && !w.relative {
			continue
		}
		switch e, ok := w.word(); {
		case !ok:
			out.Lost = append(out.Lost, l)
			if now, ok := r.after.Resolve(to, l); ok && !r.after.hidden[now] {
				out.Redirected++
			}
		case e.with != string(text[e.span.Start:e.span.End]):
			edits = append(edits, e)
			out.risky = out.risky || strings.ContainsAny(e.with, pairing)
		}
	}
	if len(edits) > 0 {
		out.Text, out.Links = edited(text, edits), len(edits)
	}
	return out
}

// meant fills in which file the link means, before and after; found reports whether it was resolved to target. It
// returns false for a link that leads nowhere.
func (w *wording) meant(target string, found bool) bool {
	l := w.link
	if place, _ := w.before.relative(w.from, l.Path, l.Kind); found && place == target {
		w.relative = w.before.Plain && l.Kind.markdown() || l.Kind == HTML || strings.HasSuffix(target, "/")
	} else if !found {
		if target = Place(w.from, l.Path); !l.Kind.markdown() || !unseen(target) {
			return false
		}
		w.relative, w.outside = true, true
	}
	w.target, w.want = target, w.NewPath(target)
	return true
}

// edit is what is written in place of a range.
type edit struct {
	span Span
	with string
}

func edited(text []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.span.Start - b.span.Start })
	size := len(text)
	for _, e := range edits {
		size += len(e.with) - (e.span.End - e.span.Start)
	}
	out, at := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(out, text[at:e.span.Start]...)
		out = append(out, e.with...)
		at = e.span.End
	}
	return append(out, text[at:]...)
}
