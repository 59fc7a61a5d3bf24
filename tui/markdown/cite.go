package markdown

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatvault/internal/lazyregexp"
	"chatvault/internal/session/cite"
)

// begin begins the text of a reference in the style it is to have; end ends it.
func (w *inliner) begin(ref cite.Reference, found string) (style string, end func()) {
	if w.refs == nil || ref.Target == "" && ref.Anchor == "" || w.ref != 0 {
		return found, func() {}
	}
	n, f := w.refs.add(ref)
	w.ref = n
	switch f.State {
	case cite.Undone:
		return w.r.open.muted, func() { w.ref = 0 }
	case cite.Missing:
	case cite.Unknown, cite.Found:
		return found, func() { w.ref = 0 }
	}
	return w.r.open.muted, func() {
		w.add(missingMark, w.r.open.warn)
		w.ref = 0
	}
}

// missingMark stands after what leads nowhere.
const missingMark = "?"

func (w *inliner) wikilink(n *wikilink, open string) {
	o := &w.r.open
	switch {
	case n.embed && isImage(n.target):
		w.add(imageIcon, open+o.muted)
	case n.embed:
		w.add("↪ ", open+o.muted)
	}
	target, anchor, _ := strings.Cut(n.target, "#")
	if anchor != "" {
		anchor = "#" + anchor
	}
	style, end := w.begin(cite.Reference{Form: cite.Wiki, Target: visible(strings.TrimSpace(target)), Anchor: visible(anchor)}, w.r.styles.Wikilink)
	w.add(visible(n.shown())+n.tail, open+style) // what the link's mark says stands behind the word
	end()
	if w.refs != nil && n.label != "" && !names(n.target, n.label) {
		w.add(" ("+visible(n.target)+")", open+o.muted) // what a link is called does not hide where it leads
	}
}

// names says whether a label says which note a target is.
func names(target, label string) bool {
	path, _, _ := strings.Cut(target, "#")
	path = strings.TrimSpace(path)
	name := path[strings.LastIndexByte(path, '/')+1:]
	return slices.ContainsFunc([]string{target, path, name, strings.TrimSuffix(name, ".md")}, func(s string) bool {
		return s != "" && strings.EqualFold(s, label)
	})
}

// linkTo is where an inline link leads; dest is as it is written.
func linkTo(dest string) cite.Reference {
	path, anchor, _ := strings.Cut(dest, "#")
	if p, err := url.PathUnescape(path); err == nil {
		path = visible(p)
	}
	if anchor != "" {
		if a, err := url.PathUnescape(anchor); err == nil {
			anchor = visible(a)
		}
		anchor = "#" + anchor
	}
	return cite.Reference{Form: cite.Inline, Target: path, Anchor: anchor}
}

// cite finds the places in what was gathered, and gives the spans with all references in order.
func (w *inliner) cite() []span {
	var out []span
	for i, s := range w.spans {
		if s.ref != 0 {
			out = append(out, s)
			continue
		}
		at := 0
		for _, p := range places(s.text) {
			n, f := w.refs.add(p.ref)
			start, style, mark := w.place(p, f)
			if start < 0 {
				continue // known later, if ever
			}
			w.refs.list[n-1].Goes = i > 0 && w.spans[i-1].ref != 0 && at == 0 && s.text[:p.from+start] == " ("
			before, text := s, s
			before.text = s.text[at : p.from+start]
			text.text, text.open, text.ref = s.text[p.from+start:p.to], s.open+style, n
			if before.text != "" {
				out = append(out, before)
			}
			out = append(out, text)
			if mark {
				out = append(out, span{text: missingMark, open: w.r.open.warn, ref: n})
			}
			at = p.to
		}
		if s.text = s.text[at:]; s.text != "" {
			out = append(out, s)
		}
	}
	return out
}

// place says where in a place's Target what is drawn as a reference begins, and how; negative
// where none is drawn.
func (w *inliner) place(p place, f cite.Finding) (start int, style string, missing bool) {
	switch {
	case f.State == cite.Found:
		return f.Start, w.r.styles.Wikilink, false
	case f.State == cite.Undone:
		return f.Start, w.r.open.muted, false
	case f.State == cite.Missing && p.ref.Note():
		return p.ref.Likely(), w.r.open.muted, true
	}
	return -1, "", false
}

// maxPlace bounds the text they are sought in, in bytes.
const maxPlace = 300

// placeRE matches the end of a path with a line, or a range of lines, or a line and a column.
var placeRE = lazyregexp.New(`\.[A-Za-z][A-Za-z0-9]{0,9}(:([0-9]{1,7})(?:[-–][0-9]{1,7}|:[0-9]{1,5})?)`)

// place is a Place in a text: text[from:to] is its Target and its line.
type place struct {
	from, path, to int // path: where Target ends
	ref            cite.Reference
}

// places finds the places in a text that stands in one style.
func places(text string) []place {
	if strings.IndexByte(text, ':') < 0 {
		return nil
	}
	var out []place
	from := 0
	for _, m := range placeRE().FindAllStringSubmatchIndex(text, -1) {
		start, path, end := max(from, m[0]-maxPlace), m[2], m[1]
		if i := strings.LastIndexByte(text[start:path], '\n'); i >= 0 {
			start += i + 1
		}
		for start < path && !utf8.RuneStart(text[start]) {
			start++
		}
		if end < len(text) && wordByte(text[end]) {
			continue // a.md:5km
		}
		line, err := strconv.Atoi(text[m[4]:m[5]])
		target := text[start:path]
		if err != nil || line == 0 || strings.Contains(target[strings.LastIndexByte(target, ' ')+1:], "://") {
			continue
		}
		out = append(out, place{start, path, end, cite.Reference{Form: cite.Place, Target: target, Line: line}})
		from = end
	}
	return out
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= '0' && c <= '9'
}

// A Cited is a reference in a text that was drawn, and what it was drawn by.
type Cited struct {
	cite.Reference
	cite.Finding
	// Goes says that it says more exactly what the reference right before it said, which need not be
	// offered, too: "[[Tart]] (Recipes/Tart.md:12)".
	Goes bool
}

// references gathers those of a text as it is drawn.
type references struct {
	find func(cite.Reference) cite.Finding
	list []Cited
}

// maxReferences bounds those of a text; what comes after them is text.
const maxReferences = 10_000

// add notes a reference and gives its number, from 1, and what is known of it; 0: there are too
// many already.
func (r *references) add(ref cite.Reference) (uint16, cite.Finding) {
	if len(r.list) >= maxReferences {
		return 0, cite.Finding{}
	}
	f := r.find(ref)
	r.list = append(r.list, Cited{Reference: ref, Finding: f})
	return uint16(len(r.list)), f
}

// mark and back take back what was noted since.
func (r *references) mark() int {
	if r == nil {
		return 0
	}
	return len(r.list)
}

func (r *references) back(mark int) {
	if r != nil {
		r.list = r.list[:mark]
	}
}
