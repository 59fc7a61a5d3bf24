package safe

import "github.com/charmbracelet/x/ansi"

// Fit cuts a drawn line to at most width cells. ansi.Truncate alone leaves a keycap such as 1️⃣ half
// a cell's width too much: it counts its digit and not the rest.
func Fit(line string, width int) string {
	if len(line) <= width || ansi.StringWidth(line) <= width { // cells never outnumber bytes
		return line
	}
	for n := max(width, 0); ; n-- {
		if cut := ansi.Truncate(line, n, ""); n == 0 || ansi.StringWidth(cut) <= width {
			return cut
		}
	}
}
