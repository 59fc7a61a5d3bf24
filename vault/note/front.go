package note

import (
	"bytes"

	"chatvault/vault/block"
)

// byteOrderMark may precede everything in a text.
var byteOrderMark = []byte("\ufeff")

// frontSpan finds the front matter. body is where the text after it begins.
func frontSpan(text []byte) (f Front, body int) {
	start, end, body := block.FrontMatter(text)
	if body == end {
		return Front{}, body
	}
	return Front{Start: start, End: end, Lines: 2 + bytes.Count(text[start:end], []byte("\n"))}, body
}
