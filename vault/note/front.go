package note

import (
	"bytes"

	"chatvault/vault/block"
)

// byteOrderMark may precede everything in a text.
var byteOrderMark = []byte("\ufeff")

// frontSpan finds the front matter.
func frontSpan(text []byte) Front {
	start, end, body := block.FrontMatter(text)
	if body == end {
		return Front{}
	}
	return Front{Start: start, End: end, Lines: 2 + bytes.Count(text[start:end], []byte("\n"))}
}
