package config

import (
	"strings"
)

// bom may stand at the beginning of a file.
const bom = "\ufeff"

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

// assignment reads a key and its value, and gives where that stands.
func (s *scanner) assignment() span {
	for s.at < len(s.text) && s.next() != '=' {
		if s.next() == '"' || s.next() == '\'' {
			s.quoted()
			continue
		}
		s.at++
	}
	s.at = min(s.at+1, len(s.text))
	s.spaces()
	from := s.at
	s.value()
	return span{from, s.at}
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
