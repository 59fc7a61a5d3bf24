// Package prosediff compares two texts line by line, and marks the words that differ in changed lines. It does not
// depend on files, screens or models.
//
// A Diff is lossless: with all its hunks applied the old text is the new one, byte for byte but for the line ends and
// the byte order mark, which Notes describes; with none it is the old one. Time is linear in the length of the texts: if too much differs for a good alignment, the alignment is
// coarser but correct.
package prosediff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/lcs"

	"chatvault/internal/base/text"
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
	Text   string // including its line end, which only the last line of a text may lack
	Number int    // in the old text or, for an added line, in the new one; from 1
	Hunk   int    // in Diff.Hunks; -1 if the line is unchanged
	Words  []Span // parts of the line if it shares words with the line it replaces, else nil
	Gap    bool   // lines missing in the diff precede it
}

// Span is a part of a line.
type Span struct {
	Changed bool
	Text    string
}

// Hunk is a run of changed lines that can be applied independently of the others.
type Hunk struct {
	Line     int    // number of its first line
	Under    string // text of the heading above it; may be empty
	Old, New string // the replaced and the new text
}

// Diff is the difference of two texts.
type Diff struct {
	Lines []Line // all lines of both texts in order; of an excerpt, those it has
	Hunks []Hunk
	Left  int      // changed lines omitted at the end
	Notes []string // changes of the line ends and the byte order mark

	Remark   string // text after a unified diff; not sanitized
	old, new side
}

// Compare returns the difference of two texts.
func Compare(before, after string) *Diff {
	d := &Diff{old: newSide(before), new: newSide(after)}
	normalizeEnds(&d.old, &d.new)
	d.notes()
	old, now := lines(d.old.text), lines(d.new.text)
	at := 0
	for _, e := range append(align(old, now, maxDepth), lcs.Diff{Start: len(old), End: len(old)}) {
		for ; at < e.Start; at++ {
			d.Lines = append(d.Lines, Line{Op: Same, Text: old[at], Number: at + 1})
		}
		for ; at < e.End; at++ {
			d.Lines = append(d.Lines, Line{Op: Removed, Text: old[at], Number: at + 1})
		}
		for i := e.ReplStart; i < e.ReplEnd; i++ {
			d.Lines = append(d.Lines, Line{Op: Added, Text: now[i], Number: i + 1})
		}
	}
	d.group()
	return d
}

// Edits returns the line edits that convert one text to the other. Lines are compared unchanged but written as show
// returns them, in both; shown is the old text written that way.
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

// maxDepth limits how often a part that lcs did not resolve is aligned again: lcs stops at a hundred differences.
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

// group forms hunks of runs of changed lines, removed ones first, and marks their words.
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
		if len(h.Old)+len(h.New) <= maxMarked {
			markWords(run[:added], run[added:])
		}
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
func (d *Diff) Empty() bool { return d == nil || len(d.Hunks) == 0 && d.Left == 0 && len(d.Notes) == 0 }

// CRLF reports whether all lines of both texts end with CR LF. The lines of the diff then end with LF.
func (d *Diff) CRLF() bool { return d.old.end == "\r\n" && d.new.end == "\r\n" }

// Words counts the added and removed words.
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

// Apply returns the old text with the hunks at these indexes applied, and without what Notes describes. Invalid indexes
// are ignored. The diff must be from Compare.
func (d *Diff) Apply(hunks []int) string {
	var b strings.Builder
	for _, l := range d.Lines {
		if l.Op == Same || (l.Op == Added) == slices.Contains(hunks, l.Hunk) {
			b.WriteString(l.Text)
		}
	}
	text := b.String()
	if d.old.end == "\r\n" {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if d.old.bom {
		text = mark + text
	}
	return text
}

// Bounded returns the diff with the first changed lines that take at most limit bytes, or the diff itself if it fits.
// The result cannot be applied.
func (d *Diff) Bounded(limit int) *Diff {
	for i, l := range d.Lines {
		if l.Op == Same {
			continue
		}
		if limit -= len(l.Text); limit < 0 {
			cut := &Diff{Lines: d.Lines[:i:i], Hunks: d.Hunks, Left: d.Left, Notes: d.Notes, Remark: d.Remark}
			for _, l := range d.Lines[i:] {
				if l.Op != Same {
					cut.Left++
				}
			}
			return cut
		}
	}
	return d
}

// side is a text prepared for comparison: without its byte order mark, and with LF if all its lines end alike.
type side struct {
	text string
	bom  bool
	end  string // common line end; empty if none, or several
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

// normalizeEnds normalizes the line ends of two texts if each has a single kind, so that they only differ in their words.
func normalizeEnds(a, b *side) {
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

// notes describes the changes of the whole text.
func (d *Diff) notes() {
	if d.old.end != d.new.end {
		name := map[string]string{"\n": "LF", "\r\n": "CR LF"}
		d.Notes = append(d.Notes, "Line ends: "+name[d.old.end]+" become "+name[d.new.end])
	}
	switch {
	case d.old.bom && !d.new.bom:
		d.Notes = append(d.Notes, "The byte order mark at its beginning goes")
	case d.new.bom && !d.old.bom:
		d.Notes = append(d.Notes, "It gets a byte order mark at its beginning")
	}
}
