package block

import "bytes"

// HeadingLevel returns the level of the ATX heading in a line's content, or 0 if it is no heading.
func HeadingLevel(line []byte) int {
	level := len(line) - len(bytes.TrimLeft(line, "#"))
	if level > 6 || level < len(line) && line[level] != ' ' && line[level] != '\t' {
		return 0
	}
	return level
}

// HeadingText returns the text of an ATX heading without its markers.
func HeadingText(line []byte) string {
	line = bytes.Trim(line[HeadingLevel(line):], " \t\r\n")
	bare := bytes.TrimRight(line, "#")
	if len(bare) == 0 {
		return ""
	}
	if last := bare[len(bare)-1]; last == ' ' || last == '\t' {
		line = bytes.TrimRight(bare, " \t")
	}
	return string(line)
}

// underlineLevel returns the level of the heading that a setext underline makes, or 0 if the line is none.
func underlineLevel(line []byte) int {
	line = bytes.TrimRight(line, " \t")
	switch {
	case len(line) == 0 || len(bytes.Trim(line, string(line[:1]))) > 0:
		return 0
	case line[0] == '=':
		return 1
	case line[0] == '-':
		return 2
	}
	return 0
}

// FenceWidth returns the length of the fence that opens code in a line's content, or 0 if there is none.
func FenceWidth(line []byte) int {
	width := len(line) - len(bytes.TrimLeft(line, string(line[:1])))
	if width < 3 || line[0] != '`' && line[0] != '~' || line[0] == '`' && bytes.IndexByte(line[width:], '`') >= 0 {
		return 0
	}
	return width
}

func closesFence(line []byte, mark byte, width int) bool {
	rest := bytes.TrimLeft(line, string(rune(mark)))
	return len(line)-len(rest) >= width && len(bytes.TrimLeft(rest, " \t")) == 0
}

// IsRule reports whether a line is a thematic break: three or more of the same "-", "*" or "_", blanks allowed.
func IsRule(line []byte) bool {
	if line[0] != '-' && line[0] != '*' && line[0] != '_' {
		return false
	}
	marks := 0
	for _, c := range line {
		switch c {
		case line[0]:
			marks++
		case ' ', '\t':
		default:
			return false
		}
	}
	return marks >= 3
}

// ItemMark returns the length of the list marker at the start of a line's content in bytes, or 0 if there is none.
func ItemMark(line []byte) int {
	n := 0
	switch {
	case len(line) == 0:
		return 0
	case line[0] == '-' || line[0] == '*' || line[0] == '+':
		n = 1
	default:
		for n < len(line) && n < 10 && '0' <= line[n] && line[n] <= '9' {
			n++
		}
		if n == 0 || n > 9 || n == len(line) || line[n] != '.' && line[n] != ')' {
			return 0
		}
		n++
	}
	if n < len(line) && line[n] != ' ' && line[n] != '\t' || IsRule(line) {
		return 0
	}
	return n
}

// item parses a list marker and returns the column and position of the item's content. inside is set if the item would
// interrupt a paragraph: only non-empty items may do so, and numbered ones only with the number 1 (5.3).
func (s *Scanner) item(c cursor, inside bool) (column int, after cursor, ok bool) {
	line := s.text[c.at:s.End]
	size := ItemMark(line)
	if size == 0 || inside && size > 1 && (size != 2 || line[0] != '1') {
		return 0, c, false
	}
	mark := cursor{c.at + size, c.column + size}
	after = s.blanks(mark)
	switch {
	case after.at == s.End:
		return mark.column + 1, after, !inside
	case after.column-mark.column > 4: // the item begins with indented code
		return mark.column + 1, after, true
	}
	return after.column, after, true
}

// QuotedEnd returns the end of the quoted YAML string that the text begins with, including its quotation marks, or -1
// if it is not closed.
func QuotedEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch mark := text[0]; {
		case text[i] == '\\' && mark == '"':
			i++
		case text[i] != mark:
		case mark == '\'' && i+1 < len(text) && text[i+1] == mark:
			i++
		default:
			return i + 1
		}
	}
	return -1
}
