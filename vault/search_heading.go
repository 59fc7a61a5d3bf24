package vault

import "bytes"

// headings tells which lines of a note are headings, for ranking: "# Title" to
// "###### Title" and a line underlined by "===", outside fenced code, and the title in
// the front matter. It looks only as far as it is asked.
type headings struct {
	pos   int  // text before it was looked at
	fence byte // in fenced code: its character, else 0
	width int  // of the opening fence
	front int  // where the front matter ends; 0: there is none

	ticks, tildes int // where in the text the next of either is; before pos: not known
}

// begin starts on a text; first says that it is the start of the note.
func (h *headings) begin(text []byte, first bool) {
	h.pos, h.front, h.ticks, h.tildes = 0, 0, -1, -1
	if first && (bytes.HasPrefix(text, []byte("---\n")) || bytes.HasPrefix(text, []byte("---\r\n"))) {
		if i := bytes.Index(text, []byte("\n---")); i >= 0 {
			h.front = i + 1
			h.pos = i + 1
		}
	}
}

// end looks at the rest of a text after which more of the note comes.
func (h *headings) end(text []byte) { h.advance(text, len(text)) }

// isHeading reports whether the line text[start:end], after which the next begins at
// stop, is a heading. Lines asked for come in order.
func (h *headings) isHeading(text []byte, start, end, stop int) bool {
	line := text[start:end]
	if start < h.front {
		return len(line) >= 6 && bytes.EqualFold(line[:6], []byte("title:"))
	}
	if !isATX(line) && !isUnderline(text[stop:]) {
		return false
	}
	h.advance(text, start)
	return h.fence == 0 && len(bytes.TrimSpace(line)) > 0
}

// isATX reports whether a line is "# Heading" in form (CommonMark 4.2).
func isATX(line []byte) bool {
	line = unindented(line)
	level := 0
	for level < len(line) && line[level] == '#' {
		level++
	}
	return level >= 1 && level <= 6 && (level == len(line) || line[level] == ' ' || line[level] == '\t')
}

// isUnderline reports whether text begins with a line of "=" (CommonMark 4.3; one of "-"
// would be taken for a rule or the end of front matter too often).
func isUnderline(text []byte) bool {
	if len(text) == 0 || text[0] != '=' {
		return false
	}
	line := bytes.TrimRight(text[:lineStop(text, 0)], " \t\r\n")
	return len(bytes.Trim(line, "=")) == 0
}

// unindented is a line without up to three leading blanks.
func unindented(line []byte) []byte {
	for i := 0; i < 3 && len(line) > 0 && line[0] == ' '; i++ {
		line = line[1:]
	}
	return line
}

// advance follows the fences (CommonMark 4.5) of the lines before offset to, where a line starts.
func (h *headings) advance(text []byte, to int) {
	for h.pos < to {
		line := h.nextFence(text, to)
		if len(line) < 3 || line[0] != '`' && line[0] != '~' {
			continue
		}
		mark, width := line[0], 0
		for width < len(line) && line[width] == mark {
			width++
		}
		switch rest := line[width:]; {
		case h.fence == 0 && width >= 3 && (mark == '~' || bytes.IndexByte(rest, '`') < 0):
			h.fence, h.width = mark, width
		case h.fence == mark && width >= h.width && len(bytes.TrimSpace(rest)) == 0:
			h.fence = 0
		}
	}
}

// The least that a fence is made of.
var (
	backticks = []byte("```")
	tildes    = []byte("~~~")
)

// nextFence goes to the next line before offset to that may be a fence, and past it. It returns
// the line from its mark on, or nothing where there is none.
func (h *headings) nextFence(text []byte, to int) []byte {
	at := len(text)
	if h.fence != '~' {
		at = nextOf(text, backticks, h.pos, &h.ticks)
	}
	if h.fence != '`' {
		at = min(at, nextOf(text, tildes, h.pos, &h.tildes))
	}
	if at >= to {
		h.pos = to
		return nil
	}
	start := h.pos + bytes.LastIndexByte(text[h.pos:at], '\n') + 1
	h.pos = lineStop(text, at)
	return unindented(text[start:h.pos])
}

// nextOf is where the next of what is looked for is from pos on, or the text's length. Where it
// was found is kept, so that a text is gone through once.
func nextOf(text, what []byte, pos int, found *int) int {
	if *found < pos {
		if *found = bytes.Index(text[pos:], what); *found < 0 {
			*found = len(text)
		} else {
			*found += pos
		}
	}
	return *found
}
