package vi

import (
	"strings"
	"unicode"
)

// region is a part of the text: the bytes [from, to), and whether it consists of whole lines.
type region struct {
	from, to int
	lines    bool
}

// whole returns the lines of a region.
func (t text) whole(r region) region {
	if !r.lines && r.to > r.from {
		r.to = t.prev(r.to)
	}
	return region{t.start(r.from), t.end(r.to), true}
}

// pairs are the brackets of text objects.
var pairs = map[string]string{
	"(": "()", ")": "()", "b": "()", "[": "[]", "]": "[]", "{": "{}", "}": "{}", "B": "{}", "<": "<>", ">": "<>",
}

// object returns the text object of a name such as "iw".
func (e *Editor) object(c command, at int) (r region, ok bool) {
	if len(c.name) < 2 {
		return r, false
	}
	around, what := c.name[0] == 'a', c.name[1:]
	switch what {
	case "w", "W":
		return e.text.words(at, c.n(), what == "W", around), true
	case "p":
		return e.text.paragraphAt(at, c.n(), around)
	case `"`, "'", "`":
		return e.text.quoted(at, what[0], around)
	}
	if pair := pairs[what]; pair != "" {
		return e.text.block(at, c.n(), pair, around)
	}
	return r, false
}

// words returns n words, or the space between two, with the space behind or before them (around).
func (t text) words(at, n int, big, around bool) region {
	line, class := t.start(at), t.class(at, big)
	from := max(t.runBack(at, big), line)
	run := func() { at = min(t.run(at, big), t.end(at)) }
	for ; n > 0; n-- {
		if around && class == 0 {
			for first := at; at < len(t) && t.class(at, big) == 0 && (at == first || !t.empty(at)); {
				at = t.next(at)
			}
		}
		if run(); around && class != 0 && t.class(at, big) == 0 {
			run()
		}
	}
	if around && class != 0 && t.class(t.prev(at), big) != 0 { // no space behind
		if to := line + len(strings.TrimRightFunc(string(t[line:from]), unicode.IsSpace)); to > line { // no indentation
			from = to
		}
	}
	return region{from: from, to: at}
}

// paragraphAt returns n paragraphs, or the blank lines between two; with the blank lines behind or before them (around).
func (t text) paragraphAt(at, n int, around bool) (region, bool) {
	blank := func(at int) bool { return strings.TrimSpace(string(t[t.start(at):t.end(at)])) == "" }
	edge := func(at, by int) int { // the last of the lines of a kind
		for next := t.down(at, by); next != t.start(at) && blank(next) == blank(at); next = t.down(at, by) {
			at = next
		}
		return t.start(at)
	}
	if around {
		n *= 2
	}
	from, to := edge(at, -1), edge(at, 1)
	for ; n > 1; n-- {
		next := t.down(to, 1)
		if next == to && (!around || blank(at) || n > 2) {
			return region{}, false
		}
		if above := t.down(from, -1); next == to && blank(above) {
			from = edge(above, -1)
		}
		to = edge(next, 1)
	}
	return region{from, t.end(to), true}, true
}

// quoted returns the text in quotes at a position, or behind it in the line.
func (t text) quoted(at int, quote byte, around bool) (region, bool) {
	open, end := -1, t.end(at)
	for i := t.start(at); i < end; i++ {
		switch {
		case t[i] == '\\':
			i++
		case t[i] != quote:
		case open < 0:
			open = i
		case i < at:
			open = -1
		case around:
			r := region{from: open, to: t.skip(i + 1)}
			for r.to == i+1 && r.from > t.start(at) && t.blank(r.from-1) {
				r.from--
			}
			return r, true
		default:
			return region{from: open + 1, to: i}, true
		}
	}
	return region{}, false
}

// block returns the text in the nth pair of brackets around a position.
func (t text) block(at, n int, pair string, around bool) (region, bool) {
	open, ok := at, at < len(t) && t[at] == pair[0]
	if !ok {
		open, ok = t.enclosing(at, pair, false)
	}
	if next := strings.IndexByte(string(t[at:]), pair[0]); !ok && next >= 0 {
		open, ok = at+next, true
	}
	for ; ok && n > 1; n-- {
		open, ok = t.enclosing(open, pair, false)
	}
	if !ok {
		return region{}, false
	}
	end, ok := t.enclosing(open, pair, true)
	if around || !ok {
		return region{from: open, to: end + 1}, ok
	}
	r := region{from: open + 1, to: end}
	if t.atEnd(r.from) && r.from < end {
		r.from++
	}
	if start := t.start(end); start > r.from && t.skip(start) == end {
		r.to = start
	}
	return r, true
}
