package composer

// Click puts the cursor where a cell of a drawn row is: behind the row's end it goes there.
func (m *Model) Click(row, cell int) {
	if m.search.on || m.Empty() || row < 0 {
		return
	}
	e, width := &m.editor, m.textWidth()
	for line, r := m.topLine, m.topRow; line < len(e.lines); line, r = line+1, 0 {
		text := e.lines[line]
		starts := e.rows(text, width)
		if row >= len(starts)-r {
			row -= len(starts) - r
			continue
		}
		r += row
		end, last := len(text), r+1 == len(starts)
		if !last {
			end = starts[r+1]
		}
		at := starts[r]
		for left := cell - (m.width - width); at < end; {
			n := clusterAfter(text[at:])
			if left -= e.cells(text[at : at+n]); left < 0 || !last && at+n == end {
				break
			}
			at += n
		}
		e.line, e.col, e.goal = line, at, -1
		m.changes++
		return
	}
}
