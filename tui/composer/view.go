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
		m.editor.top = spot{}
		return []string{mark() + m.cursor() + s.Muted.Render(cells.Truncate(Placeholder, m.textWidth(), ""))}
	}
	width := m.textWidth()
	m.editor.scroll(width, m.limit)
	out := make([]string, 0, m.limit)
	for line, row := m.editor.top.line, m.editor.top.row; line < len(m.editor.lines) && len(out) < m.limit; line, row = line+1, 0 {
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

// spot is a row of a line.
type spot struct{ line, row int }

func (s spot) before(other spot) bool {
	return s.line < other.line || s.line == other.line && s.row < other.row
}

// scroll makes the cursor's row visible and fills the view.
func (e *editor) scroll(width, limit int) {
	cursor, last := spot{e.line, rowOf(e.rows(e.current(), width), e.col)}, len(e.lines)-1
	end := spot{last, len(e.rows(e.lines[last], width)) - 1}
	for _, most := range []spot{cursor, e.back(end, limit-1, width)} {
		if most.before(e.top) {
			e.top = most
		}
	}
	e.top.row = min(e.top.row, len(e.rows(e.lines[e.top.line], width))-1)
	if least := e.back(cursor, limit-1, width); e.top.before(least) {
		e.top = least
	}
}

// back returns the row that is n rows above another one, or the first row.
func (e *editor) back(from spot, n, width int) spot {
	for n > from.row && from.line > 0 {
		n -= from.row + 1
		from.line--
		from.row = len(e.rows(e.lines[from.line], width)) - 1
	}
	return spot{from.line, max(from.row-n, 0)}
}
