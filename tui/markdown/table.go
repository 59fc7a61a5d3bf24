package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

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
	header, rows := r.cells(n, c)
	if len(header) == 0 {
		return nil
	}
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
	out := r.row(header, widths, n.Alignments)
	total := columnGap * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	out = append(out, theme.Styled(r.styles.Rule, strings.Repeat("─", total)))
	for _, row := range rows {
		out = append(out, r.row(row, widths, n.Alignments)...)
	}
	return out
}

func (r *Renderer) cells(n *extast.Table, c context) (header []tableCell, rows [][]tableCell) {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		head := row.Kind() == extast.KindTableHeader
		open := ""
		if head {
			open = r.styles.Subheading
		}
		var cells []tableCell
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, r.cell(cell, c, open))
		}
		if head {
			header = cells
			continue
		}
		for len(cells) < len(header) {
			cells = append(cells, tableCell{})
		}
		rows = append(rows, cells[:len(header)])
	}
	return header, rows
}

func (r *Renderer) cell(n ast.Node, c context, open string) tableCell {
	spans, text := r.inline(n, c, open), ""
	for _, s := range spans {
		text += strings.ReplaceAll(s.text, "\t", "    ")
	}
	return tableCell{spans, lipgloss.Width(text)}
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

func (r *Renderer) row(cells []tableCell, widths []int, aligns []extast.Alignment) []string {
	columns := make([]string, len(cells))
	for i, cell := range cells {
		style := lipgloss.NewStyle().Width(widths[i])
		if i < len(aligns) {
			style = style.Align(positions[aligns[i]])
		}
		columns[i] = style.MarginRight(columnGap).Render(strings.Join(wrap(cell.spans, widths[i]), "\n"))
	}
	out := strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, columns...), "\n")
	for i := range out {
		out[i] = strings.TrimRight(out[i], " ")
	}
	return out
}

var positions = map[extast.Alignment]lipgloss.Position{extast.AlignRight: lipgloss.Right, extast.AlignCenter: lipgloss.Center}

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
