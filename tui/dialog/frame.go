package dialog

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/theme"
)

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
