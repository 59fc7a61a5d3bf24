package composer

import (
	"strings"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/text"
	"chatvault/tui/composer/vi"
	"chatvault/tui/theme"
)

const prompt = "› "

func (m *Model) textWidth() int { return max(m.width-cells.Width(prompt), 2) }

// Lines draws between one row and the limit, filled, with the cursor visible.
func (m *Model) Lines() []string {
	return text.Of(m.rows(), func(l string) string { return m.styles.Filled(l, m.width) })
}

func (m *Model) rows() []string {
	s := m.styles
	mark := func() string { return s.AccentBold.Render(strings.TrimRight(prompt, " ")) + " " }
	if m.Empty() {
		m.editor.topLine, m.editor.topRow = 0, 0
		return []string{mark() + m.cursor() + s.Muted.Render(cells.Truncate(Placeholder, m.textWidth(), ""))}
	}
	width := m.textWidth()
	m.editor.scroll(width, m.limit)
	out := make([]string, 0, m.limit)
	for line, row := m.editor.topLine, m.editor.topRow; line < len(m.editor.lines) && len(out) < m.limit; line, row = line+1, 0 {
		text := m.editor.lines[line]
		starts := m.editor.rows(text, width)
		for ; row < len(starts) && len(out) < m.limit; row++ {
			end := len(text)
			if row+1 < len(starts) {
				end = starts[row+1]
			}
			lead := "  "
			if len(out) == 0 {
				lead = mark()
			}
			out = append(out, lead+m.row(text, starts[row], end, line, row+1 == len(starts)))
		}
	}
	return out
}

// selected returns the part of a line that vi has selected, in bytes; past its end if the line break is.
func (m *Model) selected(line int) (from, to int) {
	if mode := m.Mode(); mode != vi.Visual && mode != vi.VisualLine {
		return 0, 0
	}
	e := m.editor
	from, to = m.vi.Selected(vi.Buffer{Text: m.text(), At: e.place()})
	e.line, e.col = line, 0
	start := e.place()
	return max(from-start, 0), max(to-start, 0)
}

// row draws text[from:to], with the cursor if it is in there.
func (m *Model) row(text string, from, to, line int, last bool) string {
	first, end := m.selected(line)
	part := func(from, to int) string {
		a, b := max(min(first, to), from), max(min(end, to), from)
		drawn := m.shown(text[from:a])
		if a < b {
			drawn += m.styles.Pointed.Render(m.shown(text[a:b]))
		} else if text == "" && end > 0 {
			drawn += m.styles.Pointed.Render(" ")
		}
		return drawn + m.shown(text[b:to])
	}
	col := m.editor.col
	if line != m.editor.line || col < from || col > to || col == to && !last {
		return part(from, to)
	}
	if text == "" {
		return m.cursor() + part(from, to)
	}
	return part(from, col) + m.cursor() + part(col, to)
}

// cursor returns the cursor mark, or nothing without focus.
func (m *Model) cursor() string {
	if m.unfocused {
		return ""
	}
	return theme.Cursor
}

func (m *Model) shown(text string) string { return m.editor.shown(text, m.styles.Accent) }

// scroll makes the cursor's row visible and fills the view.
func (e *editor) scroll(width, limit int) {
	row := rowOf(e.rows(e.current(), width), e.col)
	if e.topLine >= len(e.lines) || e.line < e.topLine || e.line == e.topLine && row < e.topRow {
		e.topLine, e.topRow = e.line, row
	}
	e.topRow = min(e.topRow, len(e.rows(e.lines[e.topLine], width))-1)
	// Count back from the cursor, which must be within limit rows of the top.
	line, r := e.line, row
	for range limit - 1 {
		if line == e.topLine && r == e.topRow {
			break
		}
		if line, r = e.rowBefore(line, r, width); line < 0 {
			line, r = 0, 0
			break
		}
	}
	if line > e.topLine || line == e.topLine && r > e.topRow {
		e.topLine, e.topRow = line, r
	}
	// Fill free rows at the bottom from above.
	for below := e.rowsFrom(width, limit); below < limit; below++ {
		line, r := e.rowBefore(e.topLine, e.topRow, width)
		if line < 0 {
			break
		}
		e.topLine, e.topRow = line, r
	}
}

func (e *editor) rowBefore(line, row, width int) (int, int) {
	if row > 0 {
		return line, row - 1
	}
	if line == 0 {
		return -1, 0
	}
	return line - 1, len(e.rows(e.lines[line-1], width)) - 1
}

// rowsFrom returns the number of rows from the top one, up to limit.
func (e *editor) rowsFrom(width, limit int) int {
	n := -e.topRow
	for line := e.topLine; line < len(e.lines) && n < limit; line++ {
		n += len(e.rows(e.lines[line], width))
	}
	return n
}
