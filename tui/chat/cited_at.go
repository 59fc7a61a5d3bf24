package chat

import (
	"chatvault/internal/session/cite"
	"chatvault/tui/markdown"
)

// Pointed is an item of which a cell may be a citation.
type Pointed interface {
	Cited
	// CitationAt is the citation that a cell of one of the item's lines, both from 0, belongs to.
	CitationAt(width, line, cell int) (cite.Citation, bool)
}

// CitationAt is the citation at a cell.
func (a *Assistant) CitationAt(width, line, cell int) (cite.Citation, bool) {
	a.Lines(width)
	return a.citationAt(line, cell)
}

// CitationAt is the citation at a cell.
func (m *Message) CitationAt(width, line, cell int) (cite.Citation, bool) {
	m.Lines(width)
	if m.question && !m.answered {
		line-- // its head
	}
	return m.citationAt(line, cell-Indent)
}

func (d *document) citationAt(line, cell int) (cite.Citation, bool) {
	if d.env.Citations == nil || d.stream == nil || d.plain || line < 0 || line >= len(d.lines) {
		return cite.Citation{}, false
	}
	refs := d.stream.References()
	n := markdown.MarkAt(d.lines[line], cell)
	if n < 0 || n >= len(refs) {
		return cite.Citation{}, false
	}
	return d.citation(n, refs[n])
}
