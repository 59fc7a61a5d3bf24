package note

import (
	"bytes"
	"strconv"

	"chatvault/vault/block"
)

// entry is a top-level property of the front matter as it stands in the text. Offsets are of the
// whole text.
type entry struct {
	key        string // what it says, quotes taken off
	plainKey   bool   // it has no quotes
	line       int    // of the front matter's content, from 1
	start, end int    // its lines, line ends included, from the key to the value's last
	colon      int    // after the ":"
	value      int    // where the value begins on the key's line; valueEnd where there is none
	valueEnd   int    // where it ends, on whatever line
	form       form
	items      []item // of a list
	indent     int    // formBlock: columns before the "-"
}

// form is how a value is written.
type form int

const (
	formNone   form = iota // nothing
	formPlain              // on the key's line, without quotes
	formSingle             // 'on the key's line'
	formDouble             // "on the key's line"
	formFlow               // [a, b]
	formBlock              // - a
	formOther              // maps, block scalars, anchors, values of several lines
)

// item is an element of a list: the bytes of its value, and of all that goes with it: in a block
// list its lines and the comments above it.
type item struct {
	start, end   int
	first, after int
}

// scanner finds the entries of a front matter by the look of its lines. It does not judge YAML:
// whoever relies on it compares what it found with what a parser says.
type scanner struct {
	text  []byte
	pos   int // the line that is next
	end   int
	line  int
	found []entry
}

// scanEntries finds the entries between the two offsets of a text; ok is false where something
// stands there that is no entry, comment or blank line.
func scanEntries(text []byte, start, end int) (entries []entry, ok bool) {
	s := scanner{text: text, pos: start, end: end, line: 1}
	for s.pos < s.end {
		switch line := s.peek(); {
		case isBlank(line) || isComment(line):
			s.next()
		case line[0] == ' ' || line[0] == '\t':
			return nil, false
		default:
			if !s.entry() {
				return nil, false
			}
		}
	}
	return s.found, true
}

// peek is the next line without its line end.
func (s *scanner) peek() []byte {
	return bytes.TrimRight(s.text[s.pos:s.stop(s.pos)], "\r\n")
}

// stop is where the line at pos ends, its line end included.
func (s *scanner) stop(pos int) int { return min(block.LineStop(s.text[:s.end], pos), s.end) }

func (s *scanner) next() {
	s.pos = s.stop(s.pos)
	s.line++
}

func isBlank(line []byte) bool { return len(bytes.Trim(line, " \t")) == 0 }

func isComment(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) > 0 && line[0] == '#'
}

// entry reads the entry whose key stands on the next line, and all its lines.
func (s *scanner) entry() bool {
	line := s.peek()
	e := entry{line: s.line, start: s.pos, plainKey: true}
	var colon int
	switch c := line[0]; c {
	case '"', '\'':
		n := block.QuotedEnd(line)
		if n < 0 {
			return false
		}
		e.plainKey, e.key, colon = false, string(line[1:n-1]), n
		if c == '\'' {
			e.key = string(bytes.ReplaceAll(line[1:n-1], []byte("''"), []byte("'")))
		} else if bytes.IndexByte(line[:n], '\\') >= 0 {
			key, err := strconv.Unquote(string(line[:n]))
			if err != nil {
				return false
			}
			e.key = key
		}
		for colon < len(line) && (line[colon] == ' ' || line[colon] == '\t') {
			colon++
		}
		if colon == len(line) || line[colon] != ':' || colon+1 < len(line) && line[colon+1] != ' ' && line[colon+1] != '\t' {
			return false
		}
	case '-', '?', ':', ',', '[', ']', '{', '}', '&', '*', '!', '|', '>', '%', '@', '`':
		return false
	default:
		if colon = keyEnd(line); colon < 0 {
			return false
		}
		e.key = string(bytes.TrimRight(line[:colon], " \t"))
	}
	e.colon = s.pos + colon + 1
	e.value = e.colon
	for e.value < s.pos+len(line) && (s.text[e.value] == ' ' || s.text[e.value] == '\t') {
		e.value++
	}
	if !s.value(&e, s.text[e.value:s.pos+len(line)]) {
		return false
	}
	s.found = append(s.found, e)
	return true
}

// keyEnd is where the ":" stands that ends a plain key; -1: nowhere.
func keyEnd(line []byte) int {
	for i, c := range line {
		switch {
		case c == ':' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t'):
			return i
		case c == '#' && i > 0 && (line[i-1] == ' ' || line[i-1] == '\t'):
			return -1
		}
	}
	return -1
}

// plainEnd is where a plain value ends on its line: at a comment or the last that is no blank.
func plainEnd(s []byte) int {
	for i, c := range s {
		if c == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t') {
			s = s[:i]
			break
		}
	}
	return len(bytes.TrimRight(s, " \t"))
}

// value reads an entry's value, which begins with rest on the key's line, to its last line.
func (s *scanner) value(e *entry, rest []byte) bool {
	if len(rest) == 0 || rest[0] == '#' {
		e.value, e.valueEnd = e.colon, e.colon
		s.next()
		e.end = s.pos
		s.block(e)
		return true
	}
	switch rest[0] {
	case '|', '>':
		s.next()
		e.end = s.pos
		for s.pos < s.end {
			line := s.peek()
			if !isBlank(line) && line[0] != ' ' && line[0] != '\t' {
				break
			}
			s.next()
			if !isBlank(line) {
				e.end = s.pos
			}
		}
		e.form, e.valueEnd = formOther, s.lineEnd(e)
		return true
	case '"', '\'':
		return s.enclosed(e, block.QuotedEnd, map[byte]form{'"': formDouble, '\'': formSingle}[rest[0]])
	case '[', '{':
		return s.enclosed(e, flowEnd, formFlow)
	}
	e.form, e.valueEnd = formPlain, e.value+plainEnd(rest)
	if c := rest[0]; c == '&' || c == '*' || c == '!' {
		e.form = formOther
	}
	s.next()
	e.end = s.pos
	for s.pos < s.end { // what is indented goes on with it
		line := s.peek()
		if !isBlank(line) && line[0] != ' ' && line[0] != '\t' && (e.form != formOther || line[0] != '-') {
			break
		}
		s.next()
		if !isBlank(line) && !isComment(line) {
			e.form, e.end = formOther, s.pos
		}
	}
	if e.form == formOther && e.end > e.start {
		e.valueEnd = max(e.valueEnd, s.lineEnd(e))
	}
	s.rewind(e)
	return true
}

// lineEnd is where an entry's last line ends, without its line end.
func (s *scanner) lineEnd(e *entry) int {
	return e.start + len(bytes.TrimRight(s.text[e.start:e.end], "\r\n"))
}

// rewind goes back to the line after the entry's last.
func (s *scanner) rewind(e *entry) {
	s.line -= bytes.Count(s.text[e.end:s.pos], []byte("\n"))
	s.pos = e.end
}

// enclosed reads a value between quotes or brackets, which may end on another line.
func (s *scanner) enclosed(e *entry, ends func([]byte) int, how form) bool {
	n := ends(s.text[e.value:s.end])
	if n < 0 {
		return false
	}
	e.form, e.valueEnd = how, e.value+n
	first := s.pos
	s.next()
	for s.pos < e.valueEnd {
		s.next()
	}
	e.end = s.pos
	if tail := bytes.TrimRight(s.text[e.valueEnd:e.end], "\r\n"); !isBlank(tail) && (tail[0] != ' ' && tail[0] != '\t' || !isComment(tail)) {
		return false
	}
	if s.text[e.value] == '{' || how != formFlow && e.end != s.stop(first) {
		e.form = formOther
	}
	if e.form == formFlow {
		e.items = flowItems(s.text, e.value+1, e.valueEnd-1)
	}
	return true
}
