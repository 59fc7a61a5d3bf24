package prosediff

import (
	"slices"
	"strings"

	markdown "chatvault/vault/block"
)

// block is a passage of one text: text[start:end], of which text[start:stop] is what stands in it
// and the rest the end of its last line and the empty lines after it. Blocks cover a text.
type block struct {
	kind             Kind
	start, stop, end int
	line             int    // from 1
	key              string // of a property
	piece            bool   // a line of a passage of several
}

func (b block) body(s string) string { return s[b.start:b.stop] }
func (b block) tail(s string) string { return s[b.stop:b.end] }

// splitter cuts a text into blocks, line by line.
type splitter struct {
	text   string
	blocks []block
	open   bool // the last block may go on with the next line
}

// split cuts a text into blocks; with lines each of its lines is one.
func split(text string, lines bool) []block {
	s := &splitter{text: text}
	if lines {
		at := 0
		for line := range strings.Lines(text) {
			s.add(Code, at, at+len(strings.TrimSuffix(line, "\n")), at+len(line), len(s.blocks)+1)
			at += len(line)
		}
		return s.blocks
	}
	in := markdown.New([]byte(text))
	if strings.HasPrefix(text, mark) { // there were two
		in = markdown.Scanner{}
		in.More([]byte(text))
	}
	for in.Scan() {
		if in.Kind == markdown.Property {
			s.property(&in)
			continue
		}
		s.line(&in.Line)
	}
	return s.blocks
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
func (s *splitter) line(l *markdown.Line) {
	line := strings.TrimLeft(s.text[l.Start:l.End], " \t")
	stop := s.stop(l)
	add := func(kind Kind) { s.add(kind, l.Start, stop, l.Next, l.Number) }
	switch quoted := l.Quotes > 0 && strings.HasPrefix(line, ">"); {
	case !quoted && !l.BeginsItem && slices.Contains([]markdown.Kind{markdown.Fence, markdown.Code, markdown.Indented, markdown.Math}, l.Kind):
		add(Code)
	case line == "":
		if s.open = false; len(s.blocks) == 0 {
			s.add(Blank, l.Start, l.Start, l.Next, l.Number)
			return
		}
		s.blocks[len(s.blocks)-1].end = l.Next
	case l.BeginsItem && !quoted:
		add(Item)
	case quoted && s.open && s.last() == Quote:
		s.goOn(stop, l.Next)
	case quoted:
		add(Quote)
	case l.Kind == markdown.Heading:
		add(Heading)
	case l.Kind == markdown.Text && line[0] == '|':
		add(Row)
	case s.open:
		s.goOn(stop, l.Next)
	default:
		add(Paragraph)
	}
}

// stop is where a line ends, without its last byte where that ends it.
func (s *splitter) stop(l *markdown.Line) int {
	return l.Start + len(strings.TrimSuffix(s.text[l.Start:l.Next], "\n"))
}

// property puts a line of front matter where it belongs: a key and what belongs to it is a block.
func (s *splitter) property(in *markdown.Scanner) {
	start, end := in.Front()
	line := s.text[in.Start:in.End]
	stop := s.stop(&in.Line)
	key, isKey := propertyKey(line)
	switch {
	case in.Next == start || in.Start == end:
		s.add(Property, in.Start, stop, in.Next, in.Number)
		s.blocks[len(s.blocks)-1].key = "---"
	case strings.TrimSpace(line) == "":
		s.blocks[len(s.blocks)-1].end = in.Next
	case isKey || in.Number == 2 || line[0] == '#':
		s.add(Property, in.Start, stop, in.Next, in.Number)
		s.blocks[len(s.blocks)-1].key = key
	case s.blocks[len(s.blocks)-1].key == "---":
		s.add(Property, in.Start, stop, in.Next, in.Number)
	default:
		s.goOn(stop, in.Next)
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
