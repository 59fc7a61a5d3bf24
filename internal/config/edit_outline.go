package config

import (
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

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
