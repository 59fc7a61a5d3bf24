// Package prosediff compares two texts line by line, and marks the words that differ in the lines
// that change. It knows no file, no screen and no model.
//
// It promises that a Diff loses nothing: with all of its hunks applied the old text is the new
// one, byte for byte, and with none it is the old one. The time it takes grows with the length of
// the texts: if too much differs to be aligned well, the alignment is coarser, never wrong.
package prosediff

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/lcs"

	"chatvault/internal/text"
)

// Op is what happens to a line.
type Op int

// The ops.
const (
	Same Op = iota
	Added
	Removed
)

// Line is a line of the old text, the new one, or both.
type Line struct {
	Op     Op
	Text   string // with its line end, which only the last line of a text may lack
	Number int    // in the old text, of an added line in the new one; from 1
	Hunk   int    // in Diff.Hunks; -1 if the line stays
	Words  []Span // the line in parts, if some of its words are in the line of which it takes the place; else nil
	Cut    int    // bytes that Bounded left out at its end
	Gap    bool   // lines that the diff does not have stand before it
}

// Span is a part of a line.
type Span struct {
	Changed bool
	Text    string
}

// Hunk is a run of lines that change, which can be taken or left without regard to the others.
type Hunk struct {
	Line  int    // the number of its first line; 0 if it is a change of the whole text
	Under string // the heading above it, without its marks; may be empty

	Whole    string // "Line ends: CR LF become LF"; empty for a change of lines
	Old, New string // what it replaces, and by what

	what whole
}

// whole is what a hunk changes of the whole text.
type whole int

const (
	someLines whole = iota
	lineEnds
	byteOrderMark
)

// Diff is how a text becomes another.
type Diff struct {
	Lines []Line // all of both texts, in order; of an excerpt, those that it has
	Hunks []Hunk
	Left  int // changed lines that were left out at the end

	old, new side
}

// Compare works out how a text becomes another.
func Compare(before, after string) *Diff {
	d := &Diff{old: newSide(before), new: newSide(after)}
	level(&d.old, &d.new)
	d.wholes()
	old, now := lines(d.old.text), lines(d.new.text)
	at := 0
	same := func(to int) {
		for ; at < to; at++ {
			d.Lines = append(d.Lines, Line{Op: Same, Text: old[at], Number: at + 1})
		}
	}
	for _, e := range align(old, now, maxDepth) {
		same(e.Start)
		for ; at < e.End; at++ {
			d.Lines = append(d.Lines, Line{Op: Removed, Text: old[at], Number: at + 1})
		}
		for i := e.ReplStart; i < e.ReplEnd; i++ {
			d.Lines = append(d.Lines, Line{Op: Added, Text: now[i], Number: i + 1})
		}
	}
	same(len(old))
	d.group()
	return d
}

// Edits returns the edits of whole lines that make one text of another. The lines are compared as they are, and
// written, in both, as show writes them: shown is the old text that way.
func Edits(before, after string, show func(line string) string) (shown string, edits []udiff.Edit) {
	old, now := lines(before), lines(after)
	var b strings.Builder
	next := 0
	upTo := func(line int) int {
		for ; next < line; next++ {
			b.WriteString(show(old[next]))
		}
		return b.Len()
	}
	for _, d := range align(old, now, maxDepth) {
		start := upTo(d.Start)
		edits = append(edits, udiff.Edit{Start: start, End: upTo(d.End), New: strings.Join(text.Of(now[d.ReplStart:d.ReplEnd], show), "")})
	}
	upTo(len(old))
	return b.String(), edits
}

// maxDepth bounds how often what lcs leaves in one piece is aligned again: it stops at a hundred differences.
const maxDepth = 30

// align returns the runs of lines that differ.
func align(old, now []string, depth int) []lcs.Diff {
	diffs := lcs.DiffLines(old, now)
	if len(diffs) < 2 || depth == 0 {
		return diffs
	}
	var out []lcs.Diff
	for _, d := range diffs {
		for _, e := range align(old[d.Start:d.End], now[d.ReplStart:d.ReplEnd], depth-1) {
			out = append(out, lcs.Diff{Start: d.Start + e.Start, End: d.Start + e.End, ReplStart: d.ReplStart + e.ReplStart, ReplEnd: d.ReplStart + e.ReplEnd})
		}
	}
	return out
}

// lines returns the lines of a text with their ends.
func lines(s string) []string { return slices.Collect(strings.Lines(s)) }

// group makes hunks of the runs of lines that change, those that go first in each, and marks their words.
func (d *Diff) group() {
	under, code := "", false
	heading := func(l *Line) {
		line := strings.TrimSpace(l.Text)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			code = !code
		}
		if title := strings.TrimLeft(line, "#"); !code && title != line && strings.HasPrefix(title, " ") {
			under = strings.Trim(title, " #")
		}
	}
	for from := 0; from < len(d.Lines); {
		to := from
		for to < len(d.Lines) && d.Lines[to].Op != Same && (to == from || !d.Lines[to].Gap) {
			to++
		}
		if to == from {
			d.Lines[from].Hunk = -1
			heading(&d.Lines[from])
			from++
			continue
		}
		run := d.Lines[from:to]
		slices.SortStableFunc(run, func(a, b Line) int { return int(b.Op - a.Op) })
		h := Hunk{Line: run[0].Number, Under: under}
		added := slices.IndexFunc(run, func(l Line) bool { return l.Op == Added })
		if added < 0 {
			added = len(run)
		}
		h.Old, h.New = joined(run[:added]), joined(run[added:])
		markWords(run[:added], run[added:])
		for i := range run {
			run[i].Hunk = len(d.Hunks)
			if run[i].Op == Added || added == len(run) {
				heading(&run[i])
			}
		}
		d.Hunks = append(d.Hunks, h)
		from = to
	}
}

func joined(lines []Line) string {
	return strings.Join(text.Of(lines, func(l Line) string { return l.Text }), "")
}

// Empty reports whether nothing differs.
func (d *Diff) Empty() bool { return d == nil || len(d.Hunks) == 0 && d.Left == 0 }

// CRLF reports whether all lines of both texts end in CR LF. Those of the diff end in LF then.
func (d *Diff) CRLF() bool { return d.old.end == "\r\n" && d.new.end == "\r\n" }

// Words counts the words that are added and those that are removed.
func (d *Diff) Words() (added, removed int) {
	for _, l := range d.Lines {
		parts := l.Words
		if parts == nil {
			parts = []Span{{Changed: true, Text: l.Text}}
		}
		n := 0
		for _, s := range parts {
			for _, token := range tokens([]Line{{Text: s.Text}}) {
				if s.Changed && isWord(token) {
					n++
				}
			}
		}
		switch l.Op {
		case Added:
			added += n
		case Removed:
			removed += n
		}
	}
	return added, removed
}

// Apply returns the old text with some of the hunks, by their places in Hunks; those that are no places
// count for nothing. It is only for what Compare made.
func (d *Diff) Apply(hunks []int) string {
	var b strings.Builder
	for _, l := range d.Lines {
		if l.Op == Same || (l.Op == Added) == slices.Contains(hunks, l.Hunk) {
			b.WriteString(l.Text)
		}
	}
	text, is := b.String(), d.old
	for i, h := range d.Hunks {
		switch {
		case !slices.Contains(hunks, i):
		case h.what == lineEnds:
			is.end = d.new.end
		case h.what == byteOrderMark:
			is.bom = d.new.bom
		}
	}
	if is.end == "\r\n" {
		text = strings.ReplaceAll(text, "\n", is.end)
	}
	if is.bom {
		text = mark + text
	}
	return text
}

// Bounded returns the diff with no more than limit bytes of lines that change, the last one cut if need be;
// the diff itself if that is all. It cannot be applied.
func (d *Diff) Bounded(limit int) *Diff {
	left := limit
	for i, l := range d.Lines {
		if l.Op == Same || len(l.Text) <= left {
			if l.Op != Same {
				left -= len(l.Text)
			}
			continue
		}
		head := text.Head(l.Text, left)
		l.Cut, l.Text, l.Words = len(l.Text)-len(head), head, nil
		cut := &Diff{Lines: append(slices.Clip(d.Lines[:i]), l), Hunks: d.Hunks, Left: d.Left}
		for _, l := range d.Lines[i+1:] {
			if l.Op != Same {
				cut.Left++
			}
		}
		return cut
	}
	return d
}
