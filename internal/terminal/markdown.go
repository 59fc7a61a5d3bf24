package terminal

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxNesting is what Markdown allows. Mail that was answered often quotes
	// six or seven deep; glamour takes seconds for eighty.
	maxNesting = 8
	// maxWord bounds text without a space, in characters: the time glamour takes
	// to wrap it grows with the square of its length, 40 s for 100 KB.
	maxWord = 1000
)

// Markdown makes Markdown safe to be rendered, by a renderer whose output goes
// through Rendered: Text, and character references that would be decoded to what
// Text removes (&#x1b;) become what Text makes of it; block quotes and lists are
// nested at most eight deep; words of more than a thousand characters are divided.
func Markdown(s string) string {
	return divideWords(CapNesting(cleanReferences(Text(s)), maxNesting))
}

// CapNesting limits how deep block quotes and lists are nested in Markdown: on
// one line to max marks, of which further ones become text, and by indentation
// to 4*max levels, as no line keeps more than 8*max columns of it. Lines that
// keep within that come back as they are.
func CapNesting(markdown string, limit int) string {
	var b strings.Builder
	kept := 0 // of markdown, in b
	for start := 0; start < len(markdown); {
		end := start + strings.IndexByte(markdown[start:], '\n') + 1
		if end == start {
			end = len(markdown)
		}
		if capped, changed := capLine(markdown[start:end], limit); changed {
			b.WriteString(markdown[kept:start])
			b.WriteString(capped)
			kept = end
		}
		start = end
	}
	if kept == 0 {
		return markdown
	}
	b.WriteString(markdown[kept:])
	return b.String()
}

// capLine is CapNesting for one line. A level of nesting costs a line that adds
// to it a mark, or two columns at least.
func capLine(line string, limit int) (capped string, changed bool) {
	var b strings.Builder
	marks, columns := 0, 0
	for i := 0; i < len(line); {
		if c := line[i]; c == ' ' || c == '\t' {
			width := 1
			if c == '\t' {
				width = 4
			}
			afterMark := i > 0 && line[i-1] != ' ' && line[i-1] != '\t' // which needs one
			if columns += width; columns > 8*limit && !afterMark {
				changed = true
			} else {
				b.WriteByte(c)
			}
			i++
			continue
		}
		n := markLength(line[i:])
		if n > 0 && marks == limit {
			// The backslash takes the mark its meaning: before it, or before
			// the point of a number.
			b.WriteString(line[i : i+n-1])
			b.WriteByte('\\')
			b.WriteString(line[i+n-1:])
			return b.String(), true
		}
		if n == 0 {
			b.WriteString(line[i:])
			return b.String(), changed
		}
		marks++
		b.WriteString(line[i : i+n])
		i += n
	}
	return b.String(), changed
}

// markLength is the length of the mark of a quote or a list item at the start of
// s, 0 for none.
func markLength(s string) int {
	n := 0
	switch c := s[0]; {
	case c == '>':
		return 1
	case c == '-' || c == '+' || c == '*':
		n = 1
	case c >= '0' && c <= '9':
		for n < len(s) && n < 10 && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n == len(s) || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	default:
		return 0
	}
	if n < len(s) && s[n] != ' ' && s[n] != '\t' && s[n] != '\n' {
		return 0
	}
	return n
}

// cleanReferences replaces numeric character references to what Text does not keep.
func cleanReferences(s string) string {
	i := strings.Index(s, "&#")
	if i < 0 {
		return s
	}
	var b strings.Builder
	for ; i >= 0; i = strings.Index(s, "&#") {
		b.WriteString(s[:i])
		s = s[i:]
		r, n := reference(s)
		if n == 0 {
			b.WriteString(s[:2])
			s = s[2:]
			continue
		}
		if r == '\n' || r == '\t' || classify(r) == plain {
			b.WriteString(s[:n])
		} else {
			b.WriteString(Text(string(r)))
		}
		s = s[n:]
	}
	b.WriteString(s)
	return b.String()
}

// reference reads a numeric character reference at the start of s: the character
// and its length, 0 for none.
func reference(s string) (r rune, length int) {
	end := strings.IndexByte(s[:min(len(s), 12)], ';')
	if end < 0 {
		return 0, 0
	}
	digits, base := s[2:end], 10
	if digits != "" && digits[0]|0x20 == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil {
		return 0, 0
	}
	if n == 0 || n > unicode.MaxRune {
		return utf8.RuneError, end + 1
	}
	return rune(n), end + 1
}

// divideWords puts a space into text that has none for too long.
func divideWords(s string) string {
	var b strings.Builder
	kept, run := 0, 0
	for i, r := range s {
		if r == ' ' || r == '\n' || r == '\t' {
			run = 0
			continue
		}
		if run++; run > maxWord && classify(r) == plain {
			b.WriteString(s[kept:i])
			b.WriteByte(' ')
			kept, run = i, 1
		}
	}
	if kept == 0 {
		return s
	}
	b.WriteString(s[kept:])
	return b.String()
}
