package note

import (
	"bytes"

	"chatvault/vault/block"
)

// flowEnd is where the brackets close that s begins with; -1: nowhere.
func flowEnd(s []byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'':
			if !beginsFlowScalar(s, i) {
				continue // an apostrophe
			}
			n := block.QuotedEnd(s[i:])
			if n < 0 {
				return -1
			}
			i += n - 1
		case '#':
			if s[i-1] == ' ' || s[i-1] == '\t' || s[i-1] == '\n' {
				i = block.LineStop(s, i) - 1
			}
		}
	}
	return -1
}

// beginsFlowScalar reports whether what stands at i begins an element: only blanks are between it
// and a bracket, comma or colon.
func beginsFlowScalar(s []byte, i int) bool {
	for i--; i >= 0; i-- {
		switch s[i] {
		case ' ', '\t', '\r', '\n':
		case '[', '{', ',', ':':
			return true
		default:
			return false
		}
	}
	return true
}

// flowItems are the elements between two offsets, as they are written.
func flowItems(text []byte, start, end int) []item {
	var items []item
	add := func(from, to int) {
		for from < to && (text[from] == ' ' || text[from] == '\t' || text[from] == '\r' || text[from] == '\n') {
			from++
		}
		for to > from && (text[to-1] == ' ' || text[to-1] == '\t' || text[to-1] == '\r' || text[to-1] == '\n') {
			to--
		}
		if to > from {
			items = append(items, item{start: from, end: to})
		}
	}
	from, depth := start, 0
	for i := start; i < end; i++ {
		switch c := text[i]; {
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			add(from, i)
			from = i + 1
		case (c == '"' || c == '\'') && beginsFlowScalar(text[start:], i-start):
			if n := block.QuotedEnd(text[i:end]); n > 0 {
				i += n - 1
			}
		}
	}
	add(from, end)
	return items
}

// block reads what stands below a key without a value on its line: a list, or something deeper.
func (s *scanner) block(e *entry) {
	listed, column, ended := true, -1, s.pos
	var items []item
	first := s.pos
	for s.pos < s.end {
		line := s.peek()
		if isBlank(line) || isComment(line) {
			s.next()
			continue
		}
		indent, offset := indentOf(line)
		dash := line[offset] == '-' && (offset+1 == len(line) || line[offset+1] == ' ' || line[offset+1] == '\t')
		if indent == 0 && !dash {
			break
		}
		if column < 0 {
			column = indent
			listed = dash
		}
		if column == 0 && !listed {
			break
		}
		begin := s.pos
		s.next()
		ended = s.pos
		if !listed {
			continue
		}
		if indent == column && dash {
			value := begin + offset + 1
			for value < s.pos && (s.text[value] == ' ' || s.text[value] == '\t') {
				value++
			}
			content := bytes.TrimRight(s.text[value:s.pos], "\r\n")
			items = append(items, item{start: value, end: value + len(content), first: first, after: s.pos})
		} else if n := len(items); n > 0 {
			items[n-1].after = s.pos
			items[n-1].end = items[n-1].start // of several lines
		}
		first = s.pos
	}
	if column < 0 {
		s.rewind(e)
		return
	}
	e.end, e.form, e.indent = ended, formOther, column
	e.valueEnd = s.lineEnd(e)
	if listed {
		e.form, e.items = formBlock, items
	}
	s.rewind(e)
}

// indentOf is the column a line's text begins at, tabs taken to the next multiple of four, and its
// offset.
func indentOf(line []byte) (column, offset int) {
	for offset < len(line) {
		switch line[offset] {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			return column, offset
		}
		offset++
	}
	return column, offset
}
