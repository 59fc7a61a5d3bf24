package block

import "bytes"

// HeadingLevel is the level of the heading that a line, from its content on, is by the marks it
// begins with; 0: of none.
func HeadingLevel(line []byte) int {
	level := 0
	for level < len(line) && line[level] == '#' {
		level++
	}
	if level > 6 || level < len(line) && line[level] != ' ' && line[level] != '\t' {
		return 0
	}
	return level
}

// HeadingText is what a heading says, without its marks.
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

// underlineLevel is the level of the heading that a line makes of the paragraph before it; 0: of
// none.
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

// FenceWidth is how many characters the fence has that a line, from its content on, opens; 0: it
// opens none.
func FenceWidth(line []byte) int {
	width := 0
	for width < len(line) && line[width] == line[0] {
		width++
	}
	if width < 3 || line[0] != '`' && line[0] != '~' || line[0] == '`' && bytes.IndexByte(line[width:], '`') >= 0 {
		return 0
	}
	return width
}

func closesFence(line []byte, mark byte, width int) bool {
	n := 0
	for n < len(line) && line[n] == mark {
		n++
	}
	return n >= width && len(bytes.TrimLeft(line[n:], " \t")) == 0
}

// IsRule reports whether a line is a thematic break: three or more of one of "-", "*", "_", with
// blanks between them.
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

// ItemMark is how many bytes the mark of a list item takes that a line, from its content on,
// begins with; 0: of none.
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

// item takes the mark of a list item: the column that its content counts from, and where that
// begins. inside: it would end a paragraph, which only one may that has text and is the first
// where they are numbered (5.3).
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
	case after.column-mark.column > 4: // it begins with indented code
		return mark.column + 1, after, true
	}
	return after.column, after, true
}

// QuotedEnd is where the string ends that a text of front matter begins with, its quotation marks
// included, by the rules of YAML; -1: nowhere.
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

// CodeSpans are the code spans of a paragraph's text (CommonMark 6.1). To find all of them takes linear
// time.
type CodeSpans struct {
	text []byte
	last map[int]int // lengths of runs of backticks: where the last one begins
}

// NewCodeSpans returns those of a text.
func NewCodeSpans(text []byte) CodeSpans { return CodeSpans{text: text} }

// End is the end of the code span that begins with the backticks at i, or of these backticks where none
// does.
func (c *CodeSpans) End(i int) int {
	if c.last == nil {
		c.last = make(map[int]int)
		for at := 0; at < len(c.text); {
			n := bytes.IndexByte(c.text[at:], '`')
			if n < 0 {
				break
			}
			at += n
			n = ticks(c.text[at:])
			c.last[n] = at
			at += n
		}
	}
	width := ticks(c.text[i:])
	if c.last[width] <= i {
		return i + width
	}
	for at := i + width; ; {
		at += bytes.IndexByte(c.text[at:], '`')
		n := ticks(c.text[at:])
		at += n
		if n == width {
			return at
		}
	}
}

// ticks is how many backticks a text begins with.
func ticks(text []byte) int {
	n := 0
	for n < len(text) && text[n] == '`' {
		n++
	}
	return n
}
