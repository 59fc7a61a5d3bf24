package prose

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"chatvault/internal/prosediff"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
)

// The signs that rows of a note begin with. Rows that go on a line have a bar after it.
const (
	unchanged = " "
	added     = "+"
	removed   = "-"
	changed   = "~"
)

// piece is text in one style.
type piece struct {
	text    string // safe
	open    string // begins the style; empty: it has none
	changes bool   // it is added, removed, or not as it was
}

// context draws a passage that does not change: of a long one, its last lines.
func (v *View) context(p *prosediff.Passage) {
	lines := strings.Split(p.Old, "\n")
	if more := len(lines) - maxContext; more > 0 {
		v.note(fmt.Sprintf("… %d unchanged %s …", more, text.Plural(more, "line")))
		lines = lines[more:]
	}
	for _, line := range lines {
		v.line(unchanged, []piece{{text: shown(line)}})
	}
}

// change draws the passage at i, which changes.
func (v *View) change(i int) {
	ps := v.diff.Passages
	p := &ps[i]
	next := i+1 < len(ps) && ps[i+1].Hunk == p.Hunk
	switch p.Op {
	case prosediff.Added:
		old := v.replaced(i)
		last := !next || ps[i+1].Op != prosediff.Added
		v.whole(added, p.New, p.NewTail, next && (old == nil || !last))
		if old != nil && last {
			v.tails(&prosediff.Passage{OldTail: old.OldTail, NewTail: p.NewTail})
		}
	case prosediff.Removed:
		v.whole(removed, p.Old, p.OldTail, next && ps[i+1].Op != prosediff.Added)
	case prosediff.Reflowed:
		v.note("only spaces and line breaks change here")
		v.whole(changed, p.New, "", false)
	case prosediff.Spaced:
		if v.context(p); !v.handsOn(i) {
			v.tails(p)
		}
	case prosediff.Changed:
		v.words(p)
	}
	if p.Op == prosediff.Changed || p.Op == prosediff.Reflowed {
		v.tails(p)
	}
	if p.Cut > 0 {
		v.note(fmt.Sprintf("… %s more of this passage: too many to show here", text.Count(p.Cut, "byte")))
	}
}

// replaced is the last of the passages in whose place the added one at i, and those added right
// before it, stand; nil: they stand in the place of none. The empty lines after it are theirs.
func (v *View) replaced(i int) *prosediff.Passage {
	ps := v.diff.Passages
	first := i
	for first > 0 && ps[first-1].Hunk == ps[i].Hunk && ps[first-1].Op == prosediff.Added {
		first--
	}
	if first == 0 || ps[first-1].Hunk != ps[i].Hunk || ps[first-1].Op != prosediff.Removed {
		return nil
	}
	return &ps[first-1]
}

// whole draws a passage every line of which has the same sign, and the empty lines after it where
// another follows.
func (v *View) whole(sign, text, tail string, more bool) {
	open := v.style(sign)
	for line := range strings.SplitSeq(text, "\n") {
		v.line(sign, []piece{{shown(line), open, true}})
	}
	if more {
		for range strings.Count(tail, "\n") - 1 {
			v.line(sign, nil)
		}
	}
	if tail == "" && !more && sign == added {
		v.note("(no line end at the end of the note)")
	}
}

// handsOn says whether the empty lines after the passage at i are no more than those after what is
// put in, or taken out, behind it: an item that is added at the end of a list.
func (v *View) handsOn(i int) bool {
	ps := v.diff.Passages
	last := i
	for last+1 < len(ps) && ps[last+1].Hunk == ps[i].Hunk && (last == i || ps[last+1].Op == ps[last].Op) {
		last++
	}
	p, q := &ps[i], &ps[last]
	before, after := strings.Count(p.OldTail, "\n"), strings.Count(p.NewTail, "\n")
	return q.Op == prosediff.Added && before > after && after > 0 && q.NewTail == p.OldTail ||
		q.Op == prosediff.Removed && after > before && before > 0 && q.OldTail == p.NewTail
}

// tails says how the end of a passage, and the empty lines after it, change.
func (v *View) tails(p *prosediff.Passage) {
	if p.OldTail == p.NewTail {
		return
	}
	from := len(v.rows)
	before, after := strings.Count(p.OldTail, "\n"), strings.Count(p.NewTail, "\n")
	defer func() {
		for i := range v.rows[from:] {
			v.rows[from+i].Changes = true
		}
	}()
	switch {
	case after == 0:
		v.note("(no line end at the end of the note)")
	case before == 0 && after == 1:
		v.note("(a line end at the end of the note)")
	case before == after:
		v.note("only spaces change on the empty lines after it")
	case after > before:
		for range after - max(before, 1) {
			v.line(added, nil)
		}
	default:
		for range before - after {
			v.line(removed, nil)
		}
	}
}

// style is the sequence that begins a sign's style.
func (v *View) style(sign string) string {
	switch sign {
	case added:
		return v.styles.Plus
	case removed:
		return v.styles.Minus
	}
	return ""
}

// words draws a passage that stays, with the words that change. A line of it that is added or
// removed as a whole, or that does not change, has the sign of that.
func (v *View) words(p *prosediff.Passage) {
	if v.marks && ambiguous(p.Old+p.New) {
		v.whole(removed, p.Old, "\n", false)
		v.whole(added, p.New, "\n", false)
		return
	}
	w := writer{v: v}
	for i, s := range p.Words {
		if s.Op != prosediff.Same {
			w.changes(s, i+1 == len(p.Words) || i+2 == len(p.Words) && p.Words[i+1].Op != prosediff.Same)
			continue
		}
		head, left, tail := shortened(s.Text, i == 0, i == len(p.Words)-1)
		w.text(s.Op, head)
		if left > 0 {
			w.flush()
			v.note("… " + text.Count(left, "character") + " unchanged …")
		}
		w.text(s.Op, tail)
	}
	w.flush()
}

// writer puts the spans of a passage into lines.
type writer struct {
	v    *View
	line []prosediff.Span
}

// changes adds what is added or removed; last says that no more of the passage comes after it but
// what is put in its place. Whole lines are lines of their own.
func (w *writer) changes(s prosediff.Span, last bool) {
	text := s.Text
	if body, ok := strings.CutPrefix(text, "\n"); ok && last {
		w.flush()
		text = body
	}
	if len(w.line) == 0 && (last || strings.HasSuffix(text, "\n")) {
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			w.line = append(w.line, prosediff.Span{Op: s.Op, Text: line})
			w.flush()
		}
		return
	}
	if s.Op == prosediff.Removed {
		text = strings.ReplaceAll(text, "\n", " ")
	}
	w.text(s.Op, text)
}

// text adds text to the line, which begins anew after each line break.
func (w *writer) text(op prosediff.Op, text string) {
	for i, part := range strings.Split(text, "\n") {
		if i > 0 {
			w.flush()
		}
		if part != "" {
			w.line = append(w.line, prosediff.Span{Op: op, Text: part})
		}
	}
}

// flush draws the line and begins another.
func (w *writer) flush() {
	if len(w.line) == 0 {
		return
	}
	sign := changed
	for i, s := range w.line {
		one := map[prosediff.Op]string{prosediff.Same: unchanged, prosediff.Added: added, prosediff.Removed: removed}[s.Op]
		if i > 0 && one != sign {
			sign = changed
			break
		}
		sign = one
	}
	pieces := make([]piece, len(w.line))
	for i, s := range w.line {
		pieces[i] = w.v.piece(s, sign)
	}
	w.v.line(sign, pieces)
	w.line = nil
}

// piece is a span as it is shown in a line with a sign.
func (v *View) piece(s prosediff.Span, sign string) piece {
	text := shown(s.Text)
	if s.Op == prosediff.Same {
		return piece{text: text}
	}
	if sign != changed {
		return piece{text, v.style(sign), true}
	}
	if strings.Trim(text, " ") == "" {
		text = strings.ReplaceAll(text, " ", "·") // a space that is struck cannot be seen
	}
	open, begin, end := v.styles.Removed, "[-", "-]"
	if s.Op == prosediff.Added {
		open, begin, end = v.styles.Added, "{+", "+}"
	}
	if v.marks {
		text = begin + text + end
	}
	return piece{text, open, true}
}

// ambiguous says whether a text has what marks words.
func ambiguous(text string) bool {
	for _, m := range []string{"[-", "-]", "{+", "+}"} {
		if strings.Contains(text, m) {
			return true
		}
	}
	return false
}

// shortened is what is shown of a text that stays between two changes, or before the first, or
// after the last: left characters between head and tail are not.
func shortened(s string, first, last bool) (head string, left int, tail string) {
	if len(s) <= 2*maxSame {
		return s, 0, ""
	}
	from, to := 0, len(s)
	if !first { // cut after a space where one is near
		from = len(text.Head(s, maxSame))
		if i := strings.LastIndexAny(s[:from], " \n"); i > from/2 {
			from = i + 1
		}
	}
	if !last {
		to = len(text.Head(s, len(s)-maxSame))
		if i := strings.IndexAny(s[to:], " \n"); i >= 0 && i < maxSame/2 {
			to += i + 1
		}
	}
	return s[:from], utf8.RuneCountInString(s[from:to]), s[to:]
}

// shown is a line of a note as it is shown: nothing that cannot be seen is left out.
func shown(line string) string {
	return strings.ReplaceAll(terminal.StrictLine(line), "␉", "␉   ")
}
