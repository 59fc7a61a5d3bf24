package prose

import (
	"fmt"
	"strings"

	"chatvault/internal/prosediff"
	"chatvault/tui/safe"
	"chatvault/tui/theme"
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
	text string // safe
	open string // begins the style; empty: it has none
}

// context draws a passage that does not change; after says that it stands after a change.
func (v *View) context(p *prosediff.Passage, after bool) {
	from := len(v.rows)
	lines := strings.Split(p.Old, "\n")
	if more := len(lines) - maxContext; more > 0 && after {
		lines = lines[:maxContext+1]
	} else if more > 0 {
		lines = lines[more-1:]
	}
	for _, line := range lines {
		v.line(unchanged, []piece{{text: shown(line)}})
	}
	rows := len(v.rows) - from
	switch {
	case rows <= maxContext:
	case after:
		v.rows = append(v.rows[:from:from], v.rows[from:from+maxContext]...)
		v.last().Text = v.elided(v.last().Text, false)
	default:
		v.rows = append(v.rows[:from:from], v.rows[from+rows-maxContext:]...)
		v.rows[from].Text = v.elided(v.rows[from].Text, true)
	}
}

// elided marks a row of context before or after which a part of its passage is left out.
func (v *View) elided(row string, before bool) string {
	dots := v.styles.Muted.Render("…")
	if before {
		text := strings.TrimPrefix(strings.TrimPrefix(row, unchanged), "┊")
		return unchanged + " " + dots + cutTo(strings.TrimPrefix(text, " "), v.width-3)
	}
	return cutTo(row, v.width-1) + dots
}

// change draws the passage at i, which changes.
func (v *View) change(i int) {
	from, ps := len(v.rows), v.diff.Passages
	p := &ps[i]
	more := i+1 < len(ps) && ps[i+1].Hunk == p.Hunk
	switch p.Op {
	case prosediff.Added:
		v.whole(added, p.New, p.NewTail, more)
	case prosediff.Removed:
		v.whole(removed, p.Old, p.OldTail, more)
	case prosediff.Reflowed:
		v.note("only spaces and line breaks change here")
		v.whole(changed, p.New, "", false)
	case prosediff.Spaced:
		if v.context(p, true); !v.handsOn(i) {
			v.tails(p)
		}
	case prosediff.Changed:
		v.words(p)
	}
	if p.Op == prosediff.Changed || p.Op == prosediff.Reflowed {
		v.tails(p)
	}
	if p.Cut > 0 {
		v.note(fmt.Sprintf("… %s more of this passage: too many to show here", counted(p.Cut, "byte")))
	}
	for i := range v.rows[from:] {
		v.rows[from+i].Changes = true
	}
}

// whole draws a passage every line of which has the same sign, and the empty lines after it where
// another follows.
func (v *View) whole(sign, text, tail string, more bool) {
	open := v.style(sign)
	for line := range strings.SplitSeq(text, "\n") {
		v.line(sign, []piece{{shown(line), open}})
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
	before, after := strings.Count(p.OldTail, "\n"), strings.Count(p.NewTail, "\n")
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
		return theme.Open(v.styles.OK)
	case removed:
		return theme.Open(v.styles.Error)
	}
	return ""
}

// words draws a passage that stays, with the words that change.
func (v *View) words(p *prosediff.Passage) {
	if v.marks && ambiguous(p.Old+p.New) {
		v.whole(removed, p.Old, "\n", false)
		v.whole(added, p.New, "\n", false)
		return
	}
	var line []piece
	for i, s := range p.Words {
		if s.Op == prosediff.Same {
			head, left, tail := shortened(s.Text, i == 0, i == len(p.Words)-1)
			line = v.text(line, head, s.Op)
			if left > 0 {
				if len(line) > 0 {
					v.line(changed, line)
				}
				v.note("… " + counted(left, "character") + " unchanged …")
				line = nil
			}
			line = v.text(line, tail, s.Op)
			continue
		}
		line = v.text(line, s.Text, s.Op)
	}
	if len(line) > 0 {
		v.line(changed, line)
	}
}

// text adds a span to a line, which begins anew after each line break.
func (v *View) text(line []piece, text string, op prosediff.Op) []piece {
	if op == prosediff.Removed {
		text = strings.ReplaceAll(text, "\n", " ")
	}
	for i, part := range strings.Split(text, "\n") {
		if i > 0 {
			v.line(changed, line)
			line = nil
		}
		if part != "" {
			line = append(line, v.marked(shown(part), op)...)
		}
	}
	return line
}

// marked is text that is removed, added, or neither.
func (v *View) marked(text string, op prosediff.Op) []piece {
	if op == prosediff.Same {
		return []piece{{text: text}}
	}
	if strings.Trim(text, " ") == "" {
		text = strings.ReplaceAll(text, " ", "·") // a space that is struck cannot be seen
	}
	open, begin, end := theme.Open(v.styles.Removed), "[-", "-]"
	if op == prosediff.Added {
		open, begin, end = theme.Open(v.styles.Added), "{+", "+}"
	}
	if v.marks {
		text = begin + text + end
	}
	return []piece{{text, open}}
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
func shortened(text string, first, last bool) (head string, left int, tail string) {
	if len(text) <= 2*maxSame {
		return text, 0, ""
	}
	from, to := 0, len(text)
	if !first {
		from = cutAfter(text, maxSame)
	}
	if !last {
		to = runeStart(text, len(text)-maxSame)
		if i := strings.IndexAny(text[to:], " \n"); i >= 0 && i < maxSame/2 {
			to += i + 1
		}
	}
	return text[:from], len([]rune(text[from:to])), text[to:]
}

// cutAfter is where a text may be cut, at n bytes at most: after a space where one is near.
func cutAfter(text string, n int) int {
	n = runeStart(text, min(n, len(text)))
	if i := strings.LastIndexAny(text[:n], " \n"); i > n/2 {
		return i + 1
	}
	return n
}

// shown is a line of a note as it is shown: nothing that cannot be seen is left out.
func shown(line string) string {
	return strings.ReplaceAll(safe.StrictLine(line), "␉", "␉   ")
}
