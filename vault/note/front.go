package note

import "bytes"

// byteOrderMark may precede everything in a text.
var byteOrderMark = []byte("\ufeff")

// frontSpan finds the front matter: between a first line "---" and the next such line, blanks
// after the dashes allowed. body is where the text after it begins.
func frontSpan(text []byte) (f Front, body int) {
	if bytes.HasPrefix(text, byteOrderMark) {
		body = len(byteOrderMark)
	}
	first := lineStop(text, body)
	if first == len(text) || !isFence(text[body:first]) {
		return Front{}, body
	}
	for pos, lines := first, 2; pos < len(text); lines++ {
		stop := lineStop(text, pos)
		if isFence(text[pos:stop]) {
			return Front{Start: first, End: pos, Lines: lines}, stop
		}
		pos = stop
	}
	return Front{}, body
}

// isFence reports whether a line is one of the two that enclose front matter.
func isFence(line []byte) bool {
	return len(line) >= 3 && line[0] == '-' && string(bytes.TrimRight(line, " \t\r\n")) == "---"
}

// lineStop is where the line that begins at pos ends, its line end included.
func lineStop(text []byte, pos int) int {
	if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(text)
}
