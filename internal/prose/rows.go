package prose

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// line draws a line, wrapped to rows.
func (v *View) line(sign string, pieces []piece) {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	gutter, signed := " ", map[string]string{added: v.styles.Plus, removed: v.styles.Minus}[sign]
	at, offset := 0, 0 // index of the current piece, and the offset in it
	for _, row := range Break(b.String(), " ", max(v.width-2, 1)) {
		var out strings.Builder
		out.WriteString(styled(signed, sign+gutter))
		for left := len(row); left > 0; {
			p := pieces[at]
			text := p.text[offset:min(offset+left, len(p.text))]
			out.WriteString(styled(p.open, text))
			left -= len(text)
			if offset += len(text); offset == len(p.text) {
				at, offset = at+1, 0
			}
		}
		v.rows = append(v.rows, Row{Text: out.String(), Hunk: v.open, Changes: sign != unchanged})
		gutter = "┊"
	}
}

func styled(open, text string) string {
	if open == "" || text == "" {
		return text
	}
	return open + text + reset
}

// Break splits a line into rows of at most width cells, preferably after one of the characters in ends. The rows
// concatenated are the line.
func Break(line, ends string, width int) []string {
	if len(line) <= width { // cells never outnumber bytes
		return []string{line}
	}
	var rows []string
	start, space, cells := 0, 0, 0 // of the row: its start, the offset after its last break, its width
	state, rest := -1, line
	for rest != "" {
		cluster, w := rest[:1], 1
		if rest[0] < utf8.RuneSelf && (len(rest) == 1 || rest[1] < utf8.RuneSelf) {
			rest, state = rest[1:], -1
		} else {
			cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			w = ansi.StringWidth(cluster)
		}
		at := len(line) - len(rest) - len(cluster)
		if cells+w > width && at > start {
			end := at
			if cluster != " " && space > start && ansi.StringWidth(line[start:space]) > width/2 {
				end = space
			}
			rows = append(rows, line[start:end])
			start, space, cells = end, end, ansi.StringWidth(line[end:at])
		}
		cells += w
		if strings.Contains(ends, cluster) {
			space = at + 1
		}
	}
	return append(rows, line[start:])
}
