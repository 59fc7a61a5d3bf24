package frame

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Dim redraws lines in a single style, for the background of a dialog.
func Dim(style lipgloss.Style, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if l = ansi.Strip(l); l != "" {
			out[i] = style.Render(l)
		}
	}
	return out
}

// Over overlays a box on the middle of lines of the given width. A wide character that is half covered becomes a
// blank.
func Over(behind, box []string, width int) []string {
	wide := 0
	for _, l := range box {
		wide = max(wide, ansi.StringWidth(l))
	}
	top, left := max((len(behind)-len(box))/2, 0), max((width-wide)/2, 0)
	for i, l := range box[:min(len(box), len(behind))] {
		back := behind[top+i]
		before, after := ansi.Truncate(back, left, ""), ansi.TruncateLeft(back, left+wide, "")
		if ansi.StringWidth(after) > max(ansi.StringWidth(back)-left-wide, 0) {
			after = " " + ansi.TruncateLeft(back, left+wide+1, "")
		}
		pad := func(drawn string, cells int) string {
			return drawn + strings.Repeat(" ", max(cells-ansi.StringWidth(drawn), 0))
		}
		behind[top+i] = strings.TrimRight(pad(before, left)+pad(l, wide)+after, " ")
	}
	return behind
}
