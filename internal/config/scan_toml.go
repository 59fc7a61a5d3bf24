package config

import (
	"strings"

	"github.com/BurntSushi/toml"
)

// bom may stand at the beginning of a file.
const bom = "\ufeff"

// assignment is a key at the top level of a TOML file and where its value stands, as offsets.
type assignment struct {
	key      string // empty: of several parts
	from, to int
}

// outline is what stands where at the top level of a file, before its first table.
type outline struct {
	assignments []assignment
	room        int // where another assignment can stand: after the last, or before the first table
}

// topLevel reads the outline of a file that is valid TOML.
func topLevel(file string) outline {
	s := scanner{text: file}
	if strings.HasPrefix(file, bom) {
		s.at = len(bom)
	}
	var o outline
	o.room = s.at
	apart := s.at // after the last line that is empty
	for s.at < len(s.text) {
		line := s.at
		s.spaces()
		switch {
		case s.at == len(s.text):
		case s.next() == '#':
			s.line()
		case s.next() == '\n' || s.next() == '\r':
			s.line()
			apart = s.at
		case s.next() == '[':
			if len(o.assignments) == 0 { // above the comment that belongs to the table
				o.room = min(apart, line)
			}
			return o
		default:
			o.assignments = append(o.assignments, s.assignment())
			s.line()
			o.room, apart = s.at, s.at
		}
	}
	if len(o.assignments) == 0 {
		o.room = len(file)
	}
	return o
}

// scanner walks over a file that is known to be valid.
type scanner struct {
	text string
	at   int
}

func (s *scanner) next() byte { return s.text[s.at] }

func (s *scanner) spaces() {
	for s.at < len(s.text) && (s.next() == ' ' || s.next() == '\t') {
		s.at++
	}
}

// line goes to the beginning of the next line.
func (s *scanner) line() {
	if i := strings.IndexByte(s.text[s.at:], '\n'); i >= 0 {
		s.at += i + 1
		return
	}
	s.at = len(s.text)
}

// assignment reads a key and its value.
func (s *scanner) assignment() assignment {
	from := s.at
	for s.at < len(s.text) && s.next() != '=' {
		if s.next() == '"' || s.next() == '\'' {
			s.quoted()
			continue
		}
		s.at++
	}
	a := assignment{key: plainKey(s.text[from:s.at])}
	s.at = min(s.at+1, len(s.text))
	s.spaces()
	a.from = s.at
	s.value()
	a.to = s.at
	return a
}

// plainKey is the name of a key as it is written, in quotes or not; empty when it has parts.
func plainKey(written string) string {
	var tree map[string]any
	if _, err := toml.Decode(written+" = 0", &tree); err != nil {
		return ""
	}
	for name, value := range tree {
		if _, table := value.(map[string]any); !table {
			return name
		}
	}
	return ""
}

// value goes to the end of a value.
func (s *scanner) value() {
	if s.at == len(s.text) {
		return
	}
	switch s.next() {
	case '"', '\'':
		s.quoted()
		return
	case '[', '{':
		s.nested()
		return
	}
	from := s.at
	for s.at < len(s.text) && !strings.ContainsRune("#\r\n", rune(s.next())) {
		s.at++
	}
	s.at = from + len(strings.TrimRight(s.text[from:s.at], " \t"))
}

// nested goes past a list or an inline table.
func (s *scanner) nested() {
	for depth := 0; s.at < len(s.text); {
		switch s.next() {
		case '"', '\'':
			s.quoted()
			continue
		case '#':
			s.line()
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		s.at++
		if depth == 0 {
			return
		}
	}
}

// quoted goes past a text in quotes, of one line or of several.
func (s *scanner) quoted() {
	quote := s.text[s.at : s.at+1]
	end := quote
	if long := strings.Repeat(quote, 3); strings.HasPrefix(s.text[s.at:], long) {
		end = long
	}
	s.at += len(end)
	for s.at < len(s.text) && !strings.HasPrefix(s.text[s.at:], end) {
		if quote == `"` && s.next() == '\\' {
			s.at++
		}
		s.at++
	}
	s.at = min(s.at+len(end), len(s.text))
	if len(end) == 3 { // one or two quotes may stand before the three that end it
		for n := 0; n < 2 && strings.HasPrefix(s.text[s.at:], quote); n++ {
			s.at++
		}
	}
}
