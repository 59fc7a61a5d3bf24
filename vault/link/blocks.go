package link

import "bytes"

// The block structure of a note, after CommonMark (spec.commonmark.org, 0.31), as far as it says
// where links can be: quotes and list items as containers, and in them fenced and indented code,
// block math, block comments and definitions; everything else is text, paragraph by paragraph.
// What is not told apart, such as HTML, counts as text.

// maxContainers bounds the quotes and list items around a line.
const maxContainers = 100

// containers are the quotes and list items a line is in: for an item the column its content
// begins in, for a quote quoteMark.
const quoteMark = -1

// blockState is what the lines before say about the next.
type blockState struct {
	containers []int
	paragraph  int  // where the open paragraph begins; -1: none is open
	fence      byte // the character of the open fence; 0: none
	fenceLen   int
}

// cursor is a place in a line: an offset in the text, and the column it is in, with tab stops at
// every fourth.
type cursor struct{ at, column int }

// blocks goes through the text from begin on.
func (s *scanner) blocks(begin int) {
	b := blockState{paragraph: -1}
	for at := begin; at < len(s.text); {
		next := lineEnd(s.text, at)
		at = s.line(&b, at, next)
	}
	s.closeParagraph(&b, len(s.text))
}

// closeParagraph hands the open paragraph, which ends at end, on.
func (s *scanner) closeParagraph(b *blockState, end int) {
	if b.paragraph >= 0 {
		s.inline(b.paragraph, end)
		b.paragraph = -1
	}
}

// blanks goes over spaces and tabs.
func (s *scanner) blanks(c cursor, end int) cursor {
	for ; c.at < end; c.at++ {
		switch s.text[c.at] {
		case ' ':
			c.column++
		case '\t':
			c.column += 4 - c.column%4
		default:
			return c
		}
	}
	return c
}

// line takes in the line from at to next and returns where to go on, which is next but for a
// comment or math that ends further on.
func (s *scanner) line(b *blockState, at, next int) int {
	end := next
	for end > at && (s.text[end-1] == '\n' || s.text[end-1] == '\r') {
		end--
	}
	// Which of the open containers does the line go on with?
	c, base := cursor{at, 0}, 0
	first := s.blanks(c, end)
	blank := first.at == end
	matched := 0
	for ; matched < len(b.containers); matched++ {
		if content := b.containers[matched]; content != quoteMark {
			if !blank && first.column < content {
				break
			}
			base = content
			continue
		}
		if blank || first.column-base > 3 || s.text[first.at] != '>' {
			break
		}
		c, base = s.afterQuote(first, end)
		first = s.blanks(c, end)
		blank = first.at == end
	}
	if b.fence != 0 {
		if matched == len(b.containers) {
			if !blank && first.column-base <= 3 && s.closesFence(b, first.at, end) {
				b.fence = 0
			}
			return next
		}
		b.fence = 0
	}
	if blank {
		s.closeParagraph(b, at)
		b.containers = b.containers[:matched]
		return next
	}
	if first.column-base > 3 && b.paragraph < 0 { // indented code
		b.containers = b.containers[:matched]
		return next
	}
	return s.starts(b, at, next, end, first, base, matched)
}

// afterQuote is the place after a quote's mark and the blank that belongs to it, and the column
// its content counts from.
func (s *scanner) afterQuote(c cursor, end int) (cursor, int) {
	c.at++
	c.column++
	base := c.column
	if c.at < end && (s.text[c.at] == ' ' || s.text[c.at] == '\t') {
		base++
	}
	return c, base
}

// starts looks what begins in a line that is not blank and no code: containers, and in them what
// is no text; else it is text, which may go on with a paragraph of containers that it left away.
func (s *scanner) starts(b *blockState, at, next, end int, first cursor, base, matched int) int {
	interrupts := b.paragraph >= 0 && matched == len(b.containers)
	begun := false // something other than text began: the paragraph has ended
	begin := func() {
		if !begun {
			s.closeParagraph(b, at)
			b.containers = b.containers[:matched]
			begun = true
		}
	}
	for first.at < end && first.column-base <= 3 && len(b.containers) < maxContainers {
		if s.text[first.at] == '>' {
			begin()
			b.containers = append(b.containers, quoteMark)
			var c cursor
			c, base = s.afterQuote(first, end)
			first = s.blanks(c, end)
			continue
		}
		if s.ruler(first.at, end) {
			break
		}
		content, c, ok := s.item(first, end, interrupts && !begun)
		if !ok {
			break
		}
		begin()
		b.containers = append(b.containers, content)
		base, first = content, c
	}
	if first.at == end { // an empty quote or item
		return next
	}
	if first.column-base > 3 {
		return next // code in what began here, or else the paragraph goes on
	}
	if b.paragraph < 0 {
		begin()
		if s.text[first.at] == '[' {
			if to, ok := s.definition(first.at, end); ok {
				return max(to, next)
			}
		}
	}
	switch rest := s.text[first.at:end]; rest[0] {
	case '`', '~':
		if n := fenceLength(rest); n > 0 {
			begin()
			b.fence, b.fenceLen = rest[0], n
			return next
		}
	case '#':
		if heading(rest) {
			begin()
			s.inline(first.at, end)
			return next
		}
	case '-', '*', '_', '=':
		if s.ruler(first.at, end) {
			begin()
			return next
		}
	case '|': // a row of a table: what opens in it ends in it
		begin()
		s.inline(first.at, end)
		return next
	case '%', '$':
		if to, ok := s.hidden(first.at, end); ok {
			begin()
			return s.afterHidden(b, to, next)
		}
	}
	if b.paragraph < 0 {
		b.paragraph = first.at
	}
	return next
}

// afterHidden takes what follows a comment or math in the line where it ended for text.
func (s *scanner) afterHidden(b *blockState, at, next int) int {
	if at >= len(s.text) {
		return at
	}
	b.paragraph = at
	return max(next, lineEnd(s.text, at))
}

// item recognises the mark of a list item and returns the column of its content. interrupts: it
// would end a paragraph, which not every item may.
func (s *scanner) item(c cursor, end int, interrupts bool) (content int, after cursor, ok bool) {
	at := c.at
	switch ch := s.text[at]; {
	case ch == '-' || ch == '*' || ch == '+':
		at++
	case '0' <= ch && ch <= '9':
		for at < end && at-c.at < 10 && '0' <= s.text[at] && s.text[at] <= '9' {
			at++
		}
		if at-c.at > 9 || at == end || s.text[at] != '.' && s.text[at] != ')' {
			return 0, c, false
		}
		if interrupts && (at-c.at != 1 || ch != '1') {
			return 0, c, false
		}
		at++
	default:
		return 0, c, false
	}
	if at < end && s.text[at] != ' ' && s.text[at] != '\t' {
		return 0, c, false
	}
	mark := cursor{at, c.column + at - c.at}
	after = s.blanks(mark, end)
	switch {
	case after.at == end:
		if interrupts {
			return 0, c, false
		}
		return mark.column + 1, after, true
	case after.column-mark.column > 4: // code in the item
		return mark.column + 1, after, true
	}
	return after.column, after, true
}

// ruler recognises a line of dashes and the like: a thematic break, or the line under a heading.
func (s *scanner) ruler(at, end int) bool {
	mark := s.text[at]
	if mark != '-' && mark != '*' && mark != '_' && mark != '=' {
		return false
	}
	n, gaps := 0, false
	for _, c := range s.text[at:end] {
		switch c {
		case mark:
			n++
		case ' ', '\t':
			gaps = true
		default:
			return false
		}
	}
	return n >= 3 || mark == '=' && !gaps
}

// heading recognises the mark of a heading.
func heading(rest []byte) bool {
	n := 0
	for n < len(rest) && rest[n] == '#' {
		n++
	}
	return n <= 6 && (n == len(rest) || rest[n] == ' ' || rest[n] == '\t')
}

// fenceLength is the length of a fence that opens code, 0 where none does.
func fenceLength(rest []byte) int {
	n := 0
	for n < len(rest) && rest[n] == rest[0] {
		n++
	}
	if n < 3 || rest[0] == '`' && bytes.IndexByte(rest[n:], '`') >= 0 {
		return 0
	}
	return n
}

func (s *scanner) closesFence(b *blockState, at, end int) bool {
	n := 0
	for at < end && s.text[at] == b.fence {
		at, n = at+1, n+1
	}
	return n >= b.fenceLen && len(bytes.TrimLeft(s.text[at:end], " \t")) == 0
}

// hidden recognises a comment or math that begins a line and may go over many, and returns where
// it ends. One that never ends hides the rest, math only where it stands alone in its line.
func (s *scanner) hidden(at, end int) (to int, ok bool) {
	mark := s.text[at]
	if at+1 >= end || s.text[at+1] != mark {
		return 0, false
	}
	if i := bytes.Index(s.text[at+2:], []byte{mark, mark}); i >= 0 {
		return at + 2 + i + 2, true
	}
	if mark == '$' && len(bytes.TrimLeft(s.text[at+2:end], " \t")) > 0 {
		return 0, false
	}
	return len(s.text), true
}
