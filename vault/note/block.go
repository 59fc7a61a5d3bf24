package note

import (
	"bytes"
	"strings"
)

// atxLevel is the level of the heading a line is (CommonMark 4.2), 0 where it is none, and where
// its text begins.
func atxLevel(line []byte) (level, text int) {
	for level < len(line) && line[level] == '#' {
		level++
	}
	if level > 6 || level < len(line) && line[level] != ' ' && line[level] != '\t' {
		return 0, 0
	}
	return level, level
}

// headingText is a heading's text without the "#" that may close it.
func headingText(line []byte) string {
	line = bytes.TrimSpace(line)
	bare := bytes.TrimRight(line, "#")
	if len(bare) == 0 {
		return ""
	}
	if last := bare[len(bare)-1]; last == ' ' || last == '\t' {
		line = bytes.TrimRight(bare, " \t")
	}
	return string(line)
}

// setextLevel is the level of the heading that a line makes of the paragraph before it (CommonMark
// 4.3); 0: of none.
func setextLevel(line []byte) int {
	line = bytes.TrimRight(line, " \t")
	switch {
	case len(line) == 0:
		return 0
	case line[0] == '=' && len(bytes.Trim(line, "=")) == 0:
		return 1
	case line[0] == '-' && len(bytes.Trim(line, "-")) == 0:
		return 2
	}
	return 0
}

// fenceAt is the character and the length of the fence that a line opens (CommonMark 4.5); 0: of
// none.
func fenceAt(line []byte) (mark byte, width int) {
	if len(line) < 3 || line[0] != '`' && line[0] != '~' {
		return 0, 0
	}
	for width < len(line) && line[width] == line[0] {
		width++
	}
	if width < 3 || line[0] == '`' && bytes.IndexByte(line[width:], '`') >= 0 {
		return 0, 0
	}
	return line[0], width
}

// closesFence reports whether a line ends the code that a fence of width characters opened.
func closesFence(line []byte, mark byte, width int) bool {
	line = bytes.TrimRight(line, " \t")
	return len(line) >= width && line[0] == mark && len(bytes.Trim(line, string(rune(mark)))) == 0
}

// itemMarker is how many bytes of a list item's marker a line begins with, its blanks not
// counted; 0: it is no list item.
func itemMarker(line []byte) int {
	n := 0
	switch {
	case len(line) == 0:
		return 0
	case line[0] == '-' || line[0] == '*' || line[0] == '+':
		n = 1
	default:
		for n < len(line) && n < 9 && '0' <= line[n] && line[n] <= '9' {
			n++
		}
		if n == 0 || n == len(line) || line[n] != '.' && line[n] != ')' {
			return 0
		}
		n++
	}
	if n < len(line) && line[n] != ' ' && line[n] != '\t' || isRule(line) {
		return 0
	}
	return n
}

// mayInterrupt reports whether a list item whose marker has so many bytes can follow a paragraph
// without a blank line (CommonMark 5.3): it has text, and is the first where they have numbers.
func mayInterrupt(line []byte, marker int) bool {
	if marker == 0 || len(bytes.Trim(line[marker:], " \t")) == 0 {
		return false
	}
	return marker == 1 || marker == 2 && line[0] == '1'
}

// isRule reports whether a line is a thematic break (CommonMark 4.1): three or more of one of
// "-", "*", "_", with blanks between them.
func isRule(line []byte) bool {
	if len(line) < 3 || line[0] != '-' && line[0] != '*' && line[0] != '_' {
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

// rawHTML are the elements whose text is none until they end, blockHTML those that hide the lines
// up to a blank one (CommonMark 4.6, kinds 1 and 6).
var (
	rawHTML   = nameSet("pre script style textarea")
	blockHTML = nameSet("address article aside base basefont blockquote body caption center col colgroup dd details " +
		"dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr " +
		"html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search section summary " +
		"table tbody td tfoot th thead title tr track ul")
)

func nameSet(names string) map[string]bool {
	set := make(map[string]bool)
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// htmlName is the name, in lower case, of the HTML element that a line begins with the tag of;
// "": of none. open says that it is an opening tag.
func htmlName(line []byte) (name string, open bool) {
	if len(line) < 2 || line[0] != '<' {
		return "", false
	}
	line, open = line[1:], true
	if line[0] == '/' {
		line, open = line[1:], false
	}
	n := 0
	for n < len(line) && n < 16 && ('a' <= line[n]|0x20 && line[n]|0x20 <= 'z' || n > 0 && '0' <= line[n] && line[n] <= '9') {
		n++
	}
	if n < len(line) && line[n] != ' ' && line[n] != '\t' && line[n] != '>' && line[n] != '/' {
		return "", false
	}
	return strings.ToLower(string(line[:n])), open
}
