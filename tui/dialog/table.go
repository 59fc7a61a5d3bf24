package dialog

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/theme"
)

// table draws rows whose first is the head: names on the left, values at the right of their
// columns. Where it is too wide each column stands for itself, below its head.
func table(s *theme.Styles, rows [][]string, inner int) []string {
	if len(rows) == 0 {
		return nil
	}
	widths, total := make([]int, len(rows[0])), -2
	for i := range widths {
		for _, r := range rows {
			widths[i] = max(widths[i], ansi.StringWidth(r[i]))
		}
		total += widths[i] + 2
	}
	if total > inner {
		return stackedTable(s, rows, inner)
	}
	var out []string
	for i, r := range rows {
		line := r[0] + strings.Repeat(" ", widths[0]-ansi.StringWidth(r[0]))
		for j, cell := range r[1:] {
			line += strings.Repeat(" ", 2+widths[j+1]-ansi.StringWidth(cell)) + cell
		}
		if i == 0 {
			line = s.Muted.Render(line)
		}
		out = append(out, line)
	}
	return out
}

func stackedTable(s *theme.Styles, rows [][]string, inner int) []string {
	var out []string
	for j, head := range rows[0][1:] {
		if j > 0 {
			out = append(out, "")
		}
		out = append(out, s.Bold.Render(ansi.Truncate(head, inner, "…")))
		for _, r := range rows[1:] {
			line := r[0] + "  " + r[j+1]
			if free := inner - ansi.StringWidth(line); free > 0 {
				line = r[0] + strings.Repeat(" ", 2+free) + r[j+1]
			}
			out = append(out, ansi.Truncate(line, inner, "…"))
		}
	}
	return out
}
