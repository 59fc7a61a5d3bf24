package block

import "bytes"

// Inline finds the parts of a paragraph's text in which nothing else is markup: code spans (6.1), %%comments%% and
// $math$. All of them together take linear time.
type Inline struct {
	text []byte
	last map[int]int // start of the last run of backticks, by length of the run

	// Failed searches, which are not repeated.
	noComment, noBlock bool // no "%%" or "$$" follows
	noMath             int  // no "$" before this offset closes math
}

// NewInline returns the parts of text.
func NewInline(text []byte) Inline { return Inline{text: text} }

// Skip returns the end of the part that the "`", "%" or "$" at i opens. If it opens none, it is the end of these marks.
func (in *Inline) Skip(i int) int {
	mark := in.text[i]
	if mark == '`' {
		return in.code(i)
	}
	if i+1 == len(in.text) || in.text[i+1] != mark {
		if mark == '$' {
			return in.math(i + 1)
		}
		return i + 1
	}
	none := &in.noComment
	if mark == '$' {
		none = &in.noBlock
	}
	if !*none {
		if n := bytes.Index(in.text[i+2:], in.text[i:i+2]); n >= 0 {
			return i + 2 + n + 2
		}
		*none = true
	}
	return i + 2
}

// math returns the end of math on one line whose text begins at i, or i if there is none. There are no blanks inside
// the dollars and no digit after them: as in Obsidian, two prices are not math.
func (in *Inline) math(i int) int {
	text := in.text
	if i == len(text) || i < in.noMath || isBlank(text[i]) {
		return i
	}
	at := i
search:
	for ; at < len(text); at++ {
		switch text[at] {
		case '\n':
			break search
		case '\\':
			if at+1 < len(text) && text[at+1] != '\n' {
				at++
			}
		case '$':
			if !isBlank(text[at-1]) && (at+1 == len(text) || text[at+1] < '0' || text[at+1] > '9') {
				return at + 1
			}
			if at+1 < len(text) && text[at+1] == '$' {
				break search // it opens math itself
			}
		}
	}
	in.noMath = at
	return i
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// code returns the end of the code span that the backticks at i open, or of the backticks.
func (in *Inline) code(i int) int {
	if in.last == nil {
		in.last = make(map[int]int)
		for at := 0; at < len(in.text); {
			n := bytes.IndexByte(in.text[at:], '`')
			if n < 0 {
				break
			}
			at += n
			n = ticks(in.text[at:])
			in.last[n] = at
			at += n
		}
	}
	width := ticks(in.text[i:])
	if in.last[width] <= i {
		return i + width
	}
	for at := i + width; ; {
		at += bytes.IndexByte(in.text[at:], '`')
		n := ticks(in.text[at:])
		at += n
		if n == width {
			return at
		}
	}
}

// ticks returns the number of leading backticks.
func ticks(text []byte) int { return len(text) - len(bytes.TrimLeft(text, "`")) }
