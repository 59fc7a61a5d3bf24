package prosediff

import (
	"cmp"
	"strings"
)

// side is a text as it is compared: without its byte order mark, and with LF where all of its
// lines end alike.
type side struct {
	text string
	bom  bool
	end  string // of all its lines; empty: it has none, or several
}

const mark = "\ufeff"

func newSide(text string) side {
	var s side
	s.text, s.bom = strings.CutPrefix(text, mark)
	switch all, crlf := strings.Count(s.text, "\n"), strings.Count(s.text, "\r\n"); {
	case all == 0:
	case crlf == all:
		s.end = "\r\n"
	case crlf == 0:
		s.end = "\n"
	}
	return s
}

// level makes two texts differ no more than in their words where one ends its lines otherwise.
// A text that ends its lines in several ways is compared as it is.
func level(a, b *side) {
	mixed := func(s *side) bool { return s.end == "" && strings.Contains(s.text, "\n") }
	if mixed(a) || mixed(b) {
		a.end, b.end = "", ""
		return
	}
	a.end, b.end = cmp.Or(a.end, b.end, "\n"), cmp.Or(b.end, a.end, "\n")
	for _, s := range []*side{a, b} {
		if s.end == "\r\n" {
			s.text = strings.ReplaceAll(s.text, "\r\n", "\n")
		}
	}
}

// CRLF says that all lines of both texts end in CR LF.
func (d *Diff) CRLF() bool { return d.old.end == "\r\n" && d.new.end == "\r\n" }

// wholes adds the hunks of the whole text.
func (d *Diff) wholes() {
	if d.old.end != d.new.end {
		name := map[string]string{"\n": "LF", "\r\n": "CR LF"}
		d.Hunks = append(d.Hunks, Hunk{Whole: "Line ends: " + name[d.old.end] + " become " + name[d.new.end], what: lineEnds})
	}
	if d.old.bom != d.new.bom {
		text := "The byte order mark at its beginning goes"
		if d.new.bom {
			text = "It gets a byte order mark at its beginning"
		}
		d.Hunks = append(d.Hunks, Hunk{Whole: text, what: byteOrderMark})
	}
}

// group puts the passages that differ into hunks.
func (d *Diff) group(a, b []block, steps []step) {
	under := ""
	for i := 0; i < len(steps); {
		p := d.Passages[i]
		if p.Op == Same {
			if p.Kind == Heading {
				under = title(p.New)
			}
			i++
			continue
		}
		from, heading := i, under
		for ; i < len(steps) && d.Passages[i].Op != Same; i++ {
			if i > from && apart(&d.Passages[i-1], &d.Passages[i]) {
				break
			}
			if q := d.Passages[i]; q.Kind == Heading {
				under = title(cmp.Or(q.New, q.Old))
			}
		}
		d.hunk(a, b, steps, from, i, heading)
	}
}

// apart says whether two passages that follow each other, and both differ, can be taken one
// without the other: where each takes the place of another. What is only added or removed
// belongs together, and so do rows of a table, lines of code, and lines of a passage. Where the end of the first
// differs, it is because of the second.
func apart(p, q *Passage) bool {
	alone := func(p *Passage) bool { return p.Op == Added || p.Op == Removed }
	switch {
	case alone(p) && alone(q):
		return false
	case !alone(p) && p.OldTail != p.NewTail:
		return false
	case p.Kind == q.Kind && (p.Kind == Code || p.Kind == Row), p.Piece && q.Piece:
		return false
	}
	return true
}

// hunk adds the hunk of some passages.
func (d *Diff) hunk(a, b []block, steps []step, from, to int, under string) {
	h := Hunk{From: from, To: to, Under: under, Line: d.Passages[from].Line}
	oldFrom, oldTo := reach(a, steps, from, to, func(s step) int { return s.a }, len(d.old.text))
	newFrom, newTo := reach(b, steps, from, to, func(s step) int { return s.b }, len(d.new.text))
	h.start, h.end = oldFrom, oldTo
	h.Old, h.New = d.old.text[oldFrom:oldTo], d.new.text[newFrom:newTo]
	for i := from; i < to; i++ {
		d.Passages[i].Hunk = len(d.Hunks)
	}
	d.Hunks = append(d.Hunks, h)
}

// reach is what some steps cover of one of the texts; where they have none of it, the place
// before the next that does.
func reach(blocks []block, steps []step, from, to int, of func(step) int, size int) (start, end int) {
	start = -1
	for _, s := range steps[from:to] {
		if i := of(s); i >= 0 {
			if start < 0 {
				start = blocks[i].start
			}
			end = blocks[i].end
		}
	}
	if start >= 0 {
		return start, end
	}
	for _, s := range steps[to:] {
		if i := of(s); i >= 0 {
			return blocks[i].start, blocks[i].start
		}
	}
	return size, size
}

// Apply is the old text with some of the hunks, by their places in Hunks, in any order; those that
// are no places count for nothing. It is only for what Compare made.
func (d *Diff) Apply(hunks []int) string {
	taken := make([]bool, len(d.Hunks))
	for _, i := range hunks {
		if i >= 0 && i < len(taken) {
			taken[i] = true
		}
	}
	var b strings.Builder
	at, end, bom := 0, d.old.end, d.old.bom
	for i, h := range d.Hunks {
		switch {
		case !taken[i]:
		case h.what == lineEnds:
			end = d.new.end
		case h.what == byteOrderMark:
			bom = d.new.bom
		default:
			b.WriteString(d.old.text[at:h.start])
			b.WriteString(h.New)
			at = h.end
		}
	}
	b.WriteString(d.old.text[at:])
	text := b.String()
	if end == "\r\n" {
		text = strings.ReplaceAll(text, "\n", end)
	}
	if bom {
		text = mark + text
	}
	return text
}
