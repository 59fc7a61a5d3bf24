package prosediff

import "strings"

// block is a passage of one text: text[start:end], of which text[start:stop] is what stands in it
// and the rest the end of its last line and the empty lines after it. Blocks cover a text.
type block struct {
	kind             Kind
	start, stop, end int
	line             int    // from 1
	key              string // of a property
}

func (b block) body(s string) string { return s[b.start:b.stop] }
func (b block) tail(s string) string { return s[b.stop:b.end] }

// splitter cuts a text into blocks, line by line.
type splitter struct {
	text   string
	blocks []block
	open   bool   // the last block may go on with the next line
	fence  string // that ends the code or math block under way
	list   bool   // what is indented belongs to a list, and is no code
}

// noFence is a fence that nothing ends.
const noFence = "\n"

// split cuts a text into blocks; with lines each of its lines is one.
func split(text string, lines bool) []block {
	s := &splitter{text: text}
	if lines {
		s.fence = noFence
	}
	at, n := 0, 1
	if count, end := frontMatter(text); count > 0 && !lines {
		s.properties(end)
		at, n = end, n+count
	}
	for ; at < len(text); n++ {
		stop, next := lineEnd(text, at)
		s.line(at, stop, next, n)
		at = next
	}
	return s.blocks
}

// lineEnd is where the line that begins at a place ends, and where the next begins.
func lineEnd(text string, at int) (stop, next int) {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i, at + i + 1
	}
	return len(text), len(text)
}

// add begins a block with a line.
func (s *splitter) add(kind Kind, from, stop, next, line int) {
	s.blocks = append(s.blocks, block{kind: kind, start: from, stop: stop, end: next, line: line})
	s.open = kind == Paragraph || kind == Item || kind == Quote
}

// goOn takes a line into the last block.
func (s *splitter) goOn(stop, next int) {
	b := &s.blocks[len(s.blocks)-1]
	b.stop, b.end = stop, next
}

// last is the kind of the last block.
func (s *splitter) last() Kind {
	if len(s.blocks) == 0 {
		return Blank
	}
	return s.blocks[len(s.blocks)-1].kind
}

// line puts a line where it belongs.
func (s *splitter) line(from, stop, next, n int) {
	raw := strings.TrimSuffix(s.text[from:stop], "\r")
	line := strings.TrimLeft(raw, " \t")
	indented := len(raw)-len(line) >= 4 || strings.HasPrefix(raw, "\t")
	switch {
	case s.fence != "":
		if endsFence(line, s.fence) {
			s.fence = ""
		}
		s.add(Code, from, stop, next, n)
	case strings.TrimSpace(line) == "":
		if s.open = false; len(s.blocks) == 0 {
			s.add(Blank, from, from, next, n)
			return
		}
		s.blocks[len(s.blocks)-1].end = next
	case beginsFence(line) != "":
		s.fence = beginsFence(line)
		s.add(Code, from, stop, next, n)
	case isHeading(line) && !indented:
		s.list = false
		s.add(Heading, from, stop, next, n)
	case isItem(line) && (s.list || !indented):
		s.list = true
		s.add(Item, from, stop, next, n)
	case strings.HasPrefix(line, ">"):
		if s.open && s.last() == Quote {
			s.goOn(stop, next)
			return
		}
		s.add(Quote, from, stop, next, n)
	case strings.HasPrefix(line, "|"):
		s.add(Row, from, stop, next, n)
	case s.open:
		s.goOn(stop, next)
	case indented && !s.list:
		s.add(Code, from, stop, next, n)
	default:
		s.list = s.list && indented
		s.add(Paragraph, from, stop, next, n)
	}
}

func isHeading(line string) bool {
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	return n >= 1 && n <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

func isItem(line string) bool {
	rest := line[1:]
	switch c := line[0]; {
	case c == '-', c == '*', c == '+':
	case c >= '0' && c <= '9':
		rest = strings.TrimLeft(line, "0123456789")
		if len(line)-len(rest) > 9 || rest == "" || rest[0] != '.' && rest[0] != ')' {
			return false
		}
		rest = rest[1:]
	default:
		return false
	}
	return rest == "" || rest[0] == ' ' || rest[0] == '\t'
}

// beginsFence is what a line's code or math block ends with; empty: it begins none.
func beginsFence(line string) string {
	for _, mark := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, mark))
		if n >= 3 && (mark == "~" || !strings.Contains(line[n:], mark)) {
			return line[:n]
		}
	}
	if strings.HasPrefix(line, "$$") && !strings.Contains(line[2:], "$$") {
		return "$$"
	}
	return ""
}

func endsFence(line, fence string) bool {
	line = strings.TrimRight(line, " \t")
	if fence == noFence {
		return false
	}
	if fence == "$$" {
		return strings.HasSuffix(line, fence)
	}
	return strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == ""
}

// frontMatter is how many lines a text's front matter has, and where it ends; 0: it has none.
func frontMatter(text string) (lines, end int) {
	stop, next := lineEnd(text, 0)
	if strings.TrimRight(text[:stop], " \t\r") != "---" || stop == next {
		return 0, 0
	}
	for lines = 1; next < len(text); {
		at := next
		stop, next = lineEnd(text, at)
		lines++
		switch strings.TrimRight(text[at:stop], " \t\r") {
		case "---", "...":
			return lines, next
		}
	}
	return 0, 0
}

// properties cuts the front matter, up to end: a key and what belongs to it is a block.
func (s *splitter) properties(end int) {
	n := 0
	for at := 0; at < end; {
		stop, next := lineEnd(s.text, at)
		n++
		line := strings.TrimSuffix(s.text[at:stop], "\r")
		key, isKey := propertyKey(line)
		switch {
		case n == 1 || next == end:
			s.add(Property, at, stop, next, n)
			s.blocks[len(s.blocks)-1].key = "---"
		case strings.TrimSpace(line) == "":
			s.blocks[len(s.blocks)-1].end = next
		case isKey || n == 2 || line[0] == '#':
			s.add(Property, at, stop, next, n)
			s.blocks[len(s.blocks)-1].key = key
		case s.blocks[len(s.blocks)-1].key == "---":
			s.add(Property, at, stop, next, n)
		default:
			s.goOn(stop, next)
		}
		at = next
	}
	s.open = false
}

// propertyKey is the key that a line of front matter begins with.
func propertyKey(line string) (string, bool) {
	if line == "" || strings.ContainsRune(" \t-#", rune(line[0])) {
		return "", false
	}
	key, _, ok := strings.Cut(line, ":")
	return strings.TrimSpace(key), ok
}
