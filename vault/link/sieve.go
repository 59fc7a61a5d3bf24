package link

import (
	"bytes"
	"path"
	"strings"
)

// Sieve finds the files that a Renaming may have something to do in, much faster than that finds
// it. It goes by the last names in links: whatever a move does to a link that is not in a moved
// file itself, the link ends in the old or the new base name of a file that moves.
type Sieve struct {
	moved   map[string]string
	names   map[string]bool // those base names, folded, with and without the extension that a link may leave away
	first   [256]bool       // bytes they begin with
	longest int
}

// NewSieve returns the sieve for files that get other names: moved tells the new path of each.
func NewSieve(moved map[string]string) *Sieve {
	s := &Sieve{moved: moved, names: make(map[string]bool)}
	add := func(name string) {
		s.names[name] = true
		if name != "" {
			s.first[name[0]] = true
		}
		s.longest = max(s.longest, len(name))
	}
	for from, to := range moved {
		for _, p := range [2]string{from, to} {
			base := path.Base(key(p))
			add(base)
			if stem, ok := strings.CutSuffix(base, ".md"); ok {
				add(stem)
			}
		}
	}
	return s
}

// Keeps says whether there may be something to do in a file.
func (s *Sieve) Keeps(name string, text []byte) bool {
	if _, ok := s.moved[name]; ok || IsCanvas(name) {
		return true
	}
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("[["))
		if i < 0 {
			break
		}
		at += i + 2
		if s.endWiki(text[at:]) {
			return true
		}
	}
	for _, mark := range [][]byte{[]byte("]("), []byte("]:")} {
		for at := 0; ; {
			i := bytes.Index(text[at:], mark)
			if i < 0 {
				break
			}
			at += i + 2
			if s.endMarkdown(text[at:]) {
				return true
			}
		}
	}
	return false
}

// endWiki says whether a wikilink, whose brackets opened before rest, may end in one of the names.
func (s *Sieve) endWiki(rest []byte) bool {
	from, odd := 0, false
	i := 0
loop:
	for ; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '|', '#', '\n':
			break loop
		case '[':
			if i+1 < len(rest) && rest[i+1] == '[' {
				return false // the next one begins
			}
		case ']':
			if i+1 < len(rest) && rest[i+1] == ']' {
				break loop
			}
		case '/':
			from = i + 1
		case '\\', '\'': // it may be an escape of what it stands in
			odd = true
		}
	}
	base := bytes.TrimRight(bytes.TrimLeft(rest[from:i], " \t"), " \t\\")
	if odd && (bytes.IndexByte(base, '\\') >= 0 || s.has(bytes.ReplaceAll(base, []byte("''"), []byte("'")))) {
		return true
	}
	return s.has(base)
}

// endMarkdown says whether a destination, before which the link's parenthesis or colon stands,
// may end in one of the names.
func (s *Sieve) endMarkdown(rest []byte) bool {
	dest, _, ok := destination(rest, skipBlanks(rest, 0, len(rest)), len(rest))
	if !ok {
		return false
	}
	raw := rest[dest.Start:dest.End]
	if i := bytes.IndexByte(raw, '#'); i >= 0 {
		raw = raw[:i]
	}
	if bytes.ContainsAny(raw, `%\&`) {
		raw = []byte(percentDecoded(unescaped(bytes.TrimSuffix(raw, []byte{'\\'}))))
	}
	return s.has(raw[bytes.LastIndexByte(raw, '/')+1:])
}

// has says whether a name is among them, however it is spelled.
func (s *Sieve) has(name []byte) bool {
	var lower [256]byte
	if len(name) == 0 {
		return false
	}
	for i, c := range name {
		if c >= 0x80 || i == len(lower) {
			return s.names[key(string(name))]
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if lower[i] = c; i == 0 && (!s.first[c] || len(name) > s.longest) && ascii(name) {
			return false
		}
	}
	return s.names[string(lower[:len(name)])]
}

func ascii(s []byte) bool {
	for _, c := range s {
		if c >= 0x80 {
			return false
		}
	}
	return true
}
