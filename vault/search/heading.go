package search

import (
	"bytes"

	"chatvault/vault/block"
)

// headings tells which lines of a note are headings, for ranking: "# Title" to "###### Title", a
// line underlined by "===", and the title in the front matter. It looks only as far as it is asked,
// and where nothing can hide a heading only at the line itself.
type headings struct {
	lines block.Scanner
	plain int // before it nothing hides a heading; -1: something may
}

// begin starts on a text; first says that it is the start of the note.
func (h *headings) begin(text []byte, first bool) {
	if first {
		h.lines = block.New(text)
	} else {
		h.lines.More(text)
	}
	if h.plain = h.lines.Next; h.lines.Open() != block.Blank {
		h.plain = -1
	}
}

// end looks at the rest of a text after which more of the note comes.
func (h *headings) end() {
	for h.lines.Scan() {
	}
}

// isHeading reports whether the line text[start:end], after which the next begins at
// stop, is a heading. Lines asked for come in order.
func (h *headings) isHeading(text []byte, start, end, stop int) bool {
	line := text[start:end]
	if _, front := h.lines.Front(); start < front {
		return len(line) >= 6 && bytes.EqualFold(line[:6], []byte("title:"))
	}
	content := bytes.TrimLeft(line, " ")
	marked := len(line)-len(content) <= 3 && block.HeadingLevel(content) > 0
	if !marked && (len(content) == 0 || stop == len(text) || text[stop] != '=') {
		return false
	}
	if marked && h.plain >= 0 {
		if !block.MayHide(text[min(h.plain, start):start]) {
			h.plain = start
			return true
		}
		h.plain = -1
	}
	for h.lines.Next <= start && h.lines.Scan() {
	}
	if marked {
		return h.lines.Kind == block.Heading
	}
	next := h.lines
	return h.lines.Kind == block.Text && next.Scan() && next.Kind == block.Underline && next.Level == 1
}
