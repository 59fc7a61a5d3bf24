package dialog

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// sheet is a dialog's parts before they are put into the room there is: a title, what it is
// about, which scrolls, and what has to stay in sight below it.
type sheet struct {
	title   string // styled, one line
	content []string
	fixed   []string // the choices or the field
	focus   int      // of fixed: stays in sight when everything else is gone
	foot    []string // how to use it, the longest way of saying it first
}

// narrowest is the least width at which a sheet has a frame, in cells.
const narrowest = 24

// sheetWidth is the width of what is in a sheet.
func sheetWidth(width, most int) int {
	if width < narrowest {
		return max(width, 1)
	}
	return innerWidth(width, most)
}

// draw puts a sheet of this inner width into height lines. What gives way on a small screen, in this order: empty
// lines, the foot, the frame, the title, the content but for a line, the fixed lines but for
// the one in focus.
func (sh sheet) draw(s *theme.Styles, scroll *scroller, width, inner, height int) []string {
	framed := width >= narrowest && height >= frameLines+2+len(sh.fixed)
	room := roomIn(height, framed)
	fixed := around(sh.fixed, sh.focus, max(min(len(sh.fixed), room-1), 1))
	room -= len(fixed)
	var head, gap, foot []string
	take := func(least, n int) bool {
		if room-n < least {
			return false
		}
		room -= n
		return true
	}
	if take(1, 1) {
		head = []string{sh.title}
	}
	all := len(sh.content)
	if len(sh.foot) > 0 && take(min(all, 3), 1) {
		foot = []string{s.Muted.Render(fitting(sh.foot, inner))}
	}
	if take(min(all, 6), 1) {
		gap = []string{""}
	}
	if len(foot) > 0 && take(min(all, 12), 1) {
		foot = append([]string{""}, foot...)
	}
	if len(head) > 0 && take(min(all, 12), 1) {
		head = append(head, "")
	}
	lines := head
	lines = append(lines, scroll.window(s, sh.content, inner, room)...)
	lines = append(append(append(lines, gap...), fixed...), foot...)
	return enclose(s, lines, inner, height, framed)
}

// roomIn is how many lines there are within a frame, or without one.
func roomIn(height int, framed bool) int {
	if framed {
		return height - frameLines
	}
	return height
}

// enclose puts lines into a frame, or cuts them to what there is room for without one.
func enclose(s *theme.Styles, lines []string, inner, height int, framed bool) []string {
	if framed {
		return frame(s, lines, inner, height)
	}
	return bare(lines, inner, height)
}

// bare cuts lines to what there is room for without a frame.
func bare(lines []string, inner, height int) []string {
	lines = lines[:min(len(lines), max(height, 0))]
	for i, l := range lines {
		lines[i] = ansi.Truncate(l, inner, "…")
	}
	return lines
}

// fitting is the first of some ways to say a thing that fits, else the beginning of the last.
func fitting(ways []string, width int) string {
	return ansi.Truncate(phrase.Fitting(ways, width), width, "…")
}

// around is n of lines, with the one at focus among them.
func around(lines []string, focus, n int) []string {
	if n >= len(lines) {
		return lines
	}
	from := min(max(focus-n/2, 0), len(lines)-n)
	return lines[from : from+n]
}

const (
	frameLines = 2 // above and below
	frameCells = 6 // border and padding, both sides
)

func innerWidth(width, most int) int { return max(min(width-frameCells, most), 4) }

// frame draws a border around lines where there is room for one.
func frame(s *theme.Styles, lines []string, inner, height int) []string {
	if height < len(lines)+frameLines {
		return lines[:min(len(lines), max(height, 0))]
	}
	b := lipgloss.RoundedBorder()
	edge := func(text string) string { return s.Muted.Render(text) }
	out := make([]string, 0, len(lines)+frameLines)
	out = append(out, edge(b.TopLeft+strings.Repeat(b.Top, inner+4)+b.TopRight))
	for _, l := range lines {
		l = ansi.Truncate(l, inner, "…")
		pad := strings.Repeat(" ", max(inner-ansi.StringWidth(l), 0))
		out = append(out, edge(b.Left)+"  "+l+pad+"  "+edge(b.Right))
	}
	return append(out, edge(b.BottomLeft+strings.Repeat(b.Bottom, inner+4)+b.BottomRight))
}
