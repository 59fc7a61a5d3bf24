package markdown

import (
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"chatvault/internal/app/session/cite"
	"chatvault/internal/base/cells"
	"chatvault/internal/base/lazyregexp"
)

// begin starts a reference and returns the style of its text; end must be called after the text.
func (w *inliner) begin(ref cite.Reference, found string) (style string, end func()) {
	if w.refs == nil || ref.Target == "" && ref.Anchor == "" || w.ref != 0 {
		return found, func() {}
	}
	n, f := w.refs.add(ref)
	w.ref = n
	if f.State != cite.Missing {
		return found, func() { w.ref = 0 }
	}
	return w.r.open.muted, func() {
		w.add(missingMark, w.r.open.warn)
		w.ref = 0
	}
}

// missingMark follows a reference that does not resolve.
const missingMark = "?"

func (w *inliner) wikilink(n *wikilink, open string) {
	o := &w.r.open
	if n.embed {
		w.add(embedIcon, open+o.muted)
	}
	target, anchor, _ := strings.Cut(n.target, "#")
	if anchor != "" {
		anchor = "#" + anchor
	}
	style, end := w.begin(cite.Reference{Form: cite.Wiki, Target: visible(strings.TrimSpace(target)), Anchor: visible(anchor)}, w.r.styles.Wikilink)
	w.add(visible(n.shown()), open+style)
	end()
	if w.refs != nil && n.label != "" && !names(n.target, n.label) {
		w.add(" ("+visible(n.target)+")", open+o.muted) // a label must not hide the destination
	}
}

// names reports whether a label names the note in target.
func names(target, label string) bool {
	file, _, _ := strings.Cut(target, "#")
	file = strings.TrimSpace(file)
	name := file[strings.LastIndexByte(file, '/')+1:]
	return slices.ContainsFunc([]string{target, file, name, strings.TrimSuffix(name, path.Ext(name))}, func(s string) bool {
		return s != "" && strings.EqualFold(s, label)
	})
}

// linkTo returns the reference of an inline link with the given destination.
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

// cite finds places in the spans and returns the spans with all references marked, in reading order.
func (w *inliner) cite() []span {
	var out []span
	for i, s := range w.spans {
		if s.ref != 0 {
			out = append(out, s)
			continue
		}
		if i > 0 && w.spans[i-1].ref != 0 {
			s.text = s.text[w.refs.precise(w.spans[i-1], s.text):]
		}
		at := 0
		for _, p := range places(s.text) {
			n, f := w.refs.add(p.ref)
			start, style, mark := w.place(p, f)
			if start < 0 {
				continue // not resolved, or not yet
			}
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

// pathAfterRE matches a path with an optional line after a link: " (Recipes/Tart.md:12)".
var pathAfterRE = lazyregexp.New(`^ \(([^\n]{1,300}?\.(?i:md|markdown))(?::([0-9]{1,7})(?:[-–][0-9]{1,7})?)?\)`)

// precise makes a link lead to the path and line with which the text after it begins, if its own text names that note,
// and returns the length of what need not be drawn then.
func (r *references) precise(link span, text string) int {
	shown, _, _ := strings.Cut(link.text, headingMark)
	m := pathAfterRE().FindStringSubmatch(text)
	if m == nil || !names(m[1], path.Base(shown)) {
		return 0
	}
	line, _ := strconv.Atoi(m[2])
	ref := cite.Reference{Form: cite.Inline, Target: m[1], Anchor: r.list[link.ref-1].Anchor, Line: line}
	f := r.find(ref)
	if f.State == cite.Missing {
		return 0
	}
	r.list[link.ref-1] = Cited{ref, f}
	return len(m[0])
}

// place returns where in a place's Target the drawn reference starts, and its style. start is negative if nothing is
// drawn.
func (w *inliner) place(p place, f cite.Finding) (start int, style string, missing bool) {
	switch {
	case f.State == cite.Found:
		return f.Start, w.r.styles.Wikilink, false
	case f.State == cite.Missing && p.ref.Note():
		return p.ref.Likely(), w.r.open.muted, true
	}
	return -1, "", false
}

// maxPlace bounds the text searched for a place, in bytes.
const maxPlace = 300

// placeRE matches the end of a path with a line, or a range of lines, or a line and a column.
var placeRE = lazyregexp.New(`\.[A-Za-z][A-Za-z0-9]{0,9}(:([0-9]{1,7})(?:[-–][0-9]{1,7}|:[0-9]{1,5})?\b)`)

// place is a cite.Place found in a text: text[from:to] is its Target and line.
type place struct {
	from, path, to int // path is where Target ends
	ref            cite.Reference
}

// places finds places in a text.
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

// A Cited is a reference in a drawn text and the finding used to draw it.
type Cited struct {
	cite.Reference
	cite.Finding
}

// references collects the references of a text while it is drawn.
type references struct {
	find func(cite.Reference) cite.Finding
	list []Cited
}

// maxReferences bounds the references of a text; further ones are plain text.
const maxReferences = 10_000

// add records a reference and returns its number, from 1, and what is known of it. It returns 0 if there are too
// many.
func (r *references) add(ref cite.Reference) (uint16, cite.Finding) {
	if len(r.list) >= maxReferences {
		return 0, cite.Finding{}
	}
	f := r.find(ref)
	r.list = append(r.list, Cited{ref, f})
	return uint16(len(r.list)), f
}

// cut discards the references after the first n.
func (r *references) cut(n int) {
	if r != nil {
		r.list = r.list[:n]
	}
}

// Marks locate references in drawn lines. They are hyperlinks, which Lip Gloss carries across line breaks, with an
// invalid URL. Untrusted text cannot contain one, and Dress removes them.
const (
	markStart = "\x1b]8;;R"
	markStop  = "\a"
	markEnd   = "\x1b]8;;\a"
)

// openRef returns the mark that begins reference n.
func openRef(n uint16) string { return markStart + strconv.Itoa(int(n)) + markStop }

// eachRef calls visit for each reference of a drawn line, with the text before it, its number from 0, and its drawn
// text. It returns the rest of the line.
func eachRef(line string, visit func(before string, n int, text string)) (rest string) {
	for {
		before, rest, found := strings.Cut(line, markStart)
		if !found {
			return line
		}
		number, rest, _ := strings.Cut(rest, markStop)
		text, after, _ := strings.Cut(rest, markEnd)
		n, _ := strconv.Atoi(number)
		visit(before, n-1, text)
		line = after
	}
}

// Dress returns a line without marks, with the text of each reference replaced by the result of dress. n counts from
// 0.
func Dress(line string, dress func(n int, text string) string) string {
	var b strings.Builder
	rest := eachRef(line, func(before string, n int, text string) { b.WriteString(before + dress(n, text)) })
	return b.String() + rest
}

// Mark is a reference in a drawn line: its number, from 0, and its cells.
type Mark struct{ Number, From, To int }

// Marks returns the references in a drawn line.
func Marks(line string) []Mark {
	var all []Mark
	at := 0
	eachRef(line, func(before string, n int, text string) {
		from := at + cells.Width(before)
		at = from + cells.Width(text)
		all = append(all, Mark{n, from, at})
	})
	return all
}
