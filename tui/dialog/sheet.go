package dialog

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// narrowest is the least width at which a dialog has a frame, in cells.
const narrowest = 24

// sheetWidth is the width of what is in a dialog.
func sheetWidth(width, most int) int {
	if width < narrowest {
		return max(width, 1)
	}
	return innerWidth(width, most)
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

// Framed reports whether a drawn dialog has a frame.
func Framed(lines []string) bool {
	return len(lines) > 0 && strings.HasPrefix(ansi.Strip(lines[0]), lipgloss.RoundedBorder().TopLeft)
}

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

// stack puts a body of want lines into room lines, between its title, what there is to know of it, and below it the
// fixed lines and how to use it, the longest way of saying it first: they give way on a small screen.
func stack(
	s *theme.Styles, inner, room, want int, title string, about func(room int) []string, fixed, foot []string, body func(room int) []string,
) []string {
	room -= len(fixed)
	spare := func(lines, least int) bool { // least are kept for the body
		if room-lines < min(want, least) {
			return false
		}
		room -= lines
		return true
	}
	var head, below []string
	if title != "" && spare(1, 2) {
		head = append(head, title)
	}
	if room >= 6 && about != nil {
		said := about(room)
		head = append(head, said...)
		room -= len(said)
	}
	if spare(1, 4) {
		below = []string{s.Muted.Render(fitting(foot, inner))}
	}
	if spare(1+min(len(head), 1)+min(len(fixed), 1), 5) {
		if below = append([]string{""}, below...); len(head) > 0 {
			head = append(head, "")
		}
		if len(fixed) > 0 {
			fixed = append([]string{""}, fixed...)
		}
	}
	return slices.Concat(head, body(room), fixed, below)
}
