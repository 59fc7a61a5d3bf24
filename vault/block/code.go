package block

import "bytes"

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
