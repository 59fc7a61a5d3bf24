package consent

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// continued begins the rows in which a line goes on that is wider than the terminal.
const continued = "  ┊ "

// tabCells is the most that a tab takes.
const tabCells = 8

// gutter writes text below each other in rows that fit a terminal of width cells: the first row
// of each line begins with lead, the others with continued. So nothing of the text stands at the
// left edge, where the program's own words do, however the terminal would break it.
func gutter(lead, text string, width int) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		begin := lead
		for {
			row, rest := fitting(line, width-ansi.StringWidth(begin)-1) // some terminals break at their last cell
			b.WriteString(begin + row + "\n")
			if line = rest; line == "" {
				break
			}
			begin = continued
		}
	}
	return b.String()
}

// fitting cuts what fits into some cells off a line, one character at least. Terminals do not
// agree on how wide some characters are: the widest counts.
func fitting(line string, cells int) (row, rest string) {
	used, n := 0, 0
	for n < len(line) {
		cluster, wide := ansi.FirstGraphemeCluster(line[n:], ansi.GraphemeWidth)
		if wide = max(wide, ansi.StringWidthWc(cluster)); cluster == "\t" {
			wide = tabCells
		}
		if n > 0 && used+wide > cells {
			break
		}
		used, n = used+wide, n+len(cluster)
	}
	return line[:n], line[n:]
}
