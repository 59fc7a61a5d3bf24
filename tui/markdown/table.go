package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"chatvault/internal/base/cells"
	"chatvault/tui/theme"
)

const (
	minColumn = 3 // in cells; a table that cannot give each column this much is drawn as text
	columnGap = 2
)

type tableCell struct {
	spans []span
	width int
}

// table draws a table that fits the width. Columns shrink, widest first, and wrap; if that is not enough, each row
// becomes a line of text.
func (r *Renderer) table(n *extast.Table, c context) []string {
	header, rows := r.rows(n, c)
	widths := make([]int, len(header))
	for i, h := range header {
		widths[i] = max(h.width, 1)
		for _, row := range rows {
			widths[i] = max(widths[i], row[i].width)
		}
		widths[i] = min(widths[i], c.width) // bounds the work of shrink
	}
	if room := c.width - columnGap*(len(widths)-1); room < len(widths) || !shrink(widths, room) {
		return r.plainRows(append([][]tableCell{header}, rows...), c)
	}
	out := tableRow(header, widths, n.Alignments)
	total := columnGap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	out = append(out, theme.Styled(r.styles.Rule, strings.Repeat("─", total)))
	for _, row := range rows {
		out = append(out, tableRow(row, widths, n.Alignments)...)
	}
	return out
}

func (r *Renderer) rows(n *extast.Table, c context) (header []tableCell, rows [][]tableCell) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		head := row.Kind() == extast.KindTableHeader
		open := ""
		if head {
			open = r.styles.Strong
		}
		var drawn []tableCell
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			drawn = append(drawn, r.cell(cell, c, open))
		}
		if head {
			header = drawn
			continue
		}
		rows = append(rows, drawn)
	}
	return header, rows
}

func (r *Renderer) cell(n ast.Node, c context, open string) tableCell {
	spans, text := r.inline(n, c, open), ""
	for _, s := range spans {
		text += strings.ReplaceAll(s.text, "\t", "    ")
	}
	return tableCell{spans, cells.Width(text)}
}

// shrink takes cells from the widest columns until they fit into total. It returns false if they cannot.
func shrink(widths []int, total int) bool {
	for _, w := range widths {
		total -= w
	}
	for ; total < 0; total++ {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= minColumn {
			return false
		}
		widths[widest]--
	}
	return true
}

// tableRow draws a row, whose cells wrap.
func tableRow(row []tableCell, widths []int, aligns []extast.Alignment) (out []string) {
	at := 0
	for i, cell := range row {
		for n, line := range wrap(cell.spans, widths[i]) {
			if n == len(out) {
				out = append(out, "")
			}
			lead, align := max(widths[i]-cells.Width(line), 0), aligns[min(i, len(aligns)-1)]
			switch align {
			case extast.AlignRight:
			case extast.AlignCenter:
				lead /= 2
			default:
				lead = 0
			}
			if line != "" {
				out[n] = cells.Pad(out[n], at+lead) + line
			}
		}
		at += widths[i] + columnGap
	}
	return out
}

// plainRows draws rows as text, with bars between the cells.
func (r *Renderer) plainRows(rows [][]tableCell, c context) (out []string) {
	for _, row := range rows {
		var spans []span
		for i, cell := range row {
			if i > 0 {
				spans = append(spans, span{text: " | ", open: r.open.muted})
			}
			spans = append(spans, cell.spans...)
		}
		out = append(out, wrap(spans, c.width)...)
	}
	return out
}
