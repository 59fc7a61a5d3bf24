package config

import (
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
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

// stretch is the part of a TOML file from a table's header to the next one; the first is what
// stands before any. Its offsets are of the file.
type stretch struct {
	path     []string // of the table; nil: the top level, or a list of tables
	list     bool     // a list of tables
	begin    int      // of its header
	keys     []placed
	comments []span
	room     int // where another key can stand: after the last, or after the header
	apart    int // after the last line that is empty
	end      int
}

// placed is a key with its value and where they stand.
type placed struct {
	path     []string
	line     span // its lines, with what ends the last
	from, to int  // the value
}

// span is a part of a file, from and up to.
type span struct{ from, to int }

// outlineOf reads a file that is valid TOML.
func outlineOf(file string) []stretch {
	s := scanner{text: file}
	if strings.HasPrefix(file, bom) {
		s.at = len(bom)
	}
	parts := []stretch{{begin: s.at, room: s.at, apart: s.at}}
	for s.at < len(s.text) {
		p := &parts[len(parts)-1]
		line := s.at
		s.spaces()
		switch {
		case s.at == len(s.text):
		case s.next() == '#':
			s.line()
			p.comments = append(p.comments, span{line, s.at})
		case s.next() == '\n' || s.next() == '\r':
			s.line()
			p.apart = s.at
		case s.next() == '[':
			p.end = line
			header := s.header()
			s.line()
			next := stretch{begin: line, room: s.at, list: strings.HasPrefix(header, "[[")}
			if !next.list {
				next.path = keyPath(header, "")
			}
			parts = append(parts, next)
		default:
			from := s.at
			a := s.assignment()
			written, _, _ := strings.Cut(s.text[from:a.from], "=")
			if strings.ContainsAny(written, `"'`) { // an = may stand in quotes
				written = strings.TrimRight(strings.TrimRight(s.text[from:a.from], " \t"), "=")
			}
			s.line()
			p.keys = append(p.keys, placed{keyPath(written, " = 0"), span{line, s.at}, a.from, a.to})
			p.room = s.at
		}
	}
	parts[len(parts)-1].end = len(file)
	return parts
}

// header reads a table's header, from its first bracket to its last.
func (s *scanner) header() string {
	from := s.at
	for s.at < len(s.text) && !strings.ContainsRune("#\r\n", rune(s.next())) {
		if s.next() == '"' || s.next() == '\'' {
			s.quoted()
			continue
		}
		s.at++
	}
	return strings.TrimRight(s.text[from:s.at], " \t")
}

// keyPath are the parts of a key, or of a table's header, as it is written; rest makes valid TOML
// of it.
func keyPath(written, rest string) []string {
	tree := map[string]any{}
	if _, err := toml.Decode(written+rest, &tree); err != nil {
		return nil
	}
	var path []string
	for len(tree) == 1 {
		for name, value := range tree {
			path = append(path, name)
			tree, _ = value.(map[string]any)
		}
	}
	return path
}

// findKey is where a key stands, under its table or with the table's name before it.
func findKey(parts []stretch, path []string) (k placed, ok bool) {
	for _, p := range parts {
		if p.list {
			continue
		}
		for _, k := range p.keys {
			if slices.Equal(append(slices.Clone(p.path), k.path...), path) {
				return k, true
			}
		}
	}
	return placed{}, false
}
