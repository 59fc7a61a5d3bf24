package link

import (
	"bytes"
	"path"
	"strings"

	"chatvault/internal/base/lazyregexp"
	"chatvault/vault/note"
)

// Prefilter finds the files that a Renaming may have to change, much faster than Rewrite. It looks at the last name
// in each link: unless the file itself moves, an affected link ends in the old or the new base name of a moved file.
type Prefilter struct {
	home  Home
	moved map[string]string
	names map[string]bool // the folded base names, with and without an extension that a link may omit
}

// NewPrefilter returns the prefilter of a renaming; moved maps old paths to new ones.
func NewPrefilter(home Home, moved map[string]string) *Prefilter {
	s := &Prefilter{home: home, moved: moved, names: make(map[string]bool)}
	for from, to := range moved {
		for _, p := range [2]string{from, to} {
			base := path.Base(key(p))
			s.names[base] = true
			if alt := home.alternate(p); alt != "" {
				s.names[path.Base(key(alt))] = true
			}
			if stem, ok := strings.CutSuffix(base, ".md"); ok {
				s.names[stem] = true
			}
		}
	}
	return s
}

// linkingTag matches an HTML tag that may contain a link.
var linkingTag = lazyregexp.New(`(?is)<[a-z].*\s(?:src|href)\s*=`)

// Keeps reports whether a Renaming may have to change the file.
func (s *Prefilter) Keeps(name string, text []byte) bool {
	if _, ok := s.moved[name]; ok || note.IsDrawing(name) || s.home.Dendron {
		return true
	}
	if linkingTag().Match(text) {
		return true
	}
	// Every other link has "]" followed by "]", "(" or ":".
	defined := 0 // the end of the last definition's destination; no other begins inside it
	for at, done := 0, 0; ; at++ {
		i := bytes.IndexByte(text[at:], ']')
		if i < 0 || at+i+1 == len(text) {
			return false
		}
		at += i
		switch text[at+1] {
		case ']':
			if s.wikiMayMatch(text[done:at]) {
				return true
			}
			done = at
		case '(':
			if found, _ := s.markdownMayMatch(text[at+2:]); found {
				return true
			}
		case ':':
			if at < defined {
				continue
			}
			found, end := s.markdownMayMatch(text[at+2:])
			if found {
				return true
			}
			defined = at + 2 + end
		}
	}
}

// wikiMayMatch reports whether a wikilink may end in one of the names. before is the text up to its closing brackets.
func (s *Prefilter) wikiMayMatch(before []byte) bool {
	from, to, odd := -1, len(before), false // the last name of its path so far
	open := len(before) - 1
back:
	for ; ; open-- {
		if open <= 0 {
			return false
		}
		switch before[open] {
		case '[':
			if before[open-1] == '[' {
				break back
			}
		case '\n':
			return false
		case '|', '#': // the text before is not part of the path
			from, to, odd = -1, open, false
		case '/':
			if from < 0 {
				from = open + 1
			}
		case '\\', '\'': // it may be an escape of the surrounding string
			odd = true
		}
	}
	if from < 0 {
		from = open + 1
	}
	for from < to && blank(before[from]) {
		from++
	}
	for from < to && (blank(before[to-1]) || before[to-1] == '\\') {
		to--
	}
	base := before[from:to]
	if odd && (bytes.IndexByte(base, '\\') >= 0 || s.has(bytes.ReplaceAll(base, []byte("''"), []byte("'")))) {
		return true
	}
	return s.has(base)
}

// markdownMayMatch reports whether a destination may end in one of the names, and returns its end. rest begins after the
// link's parenthesis or colon.
func (s *Prefilter) markdownMayMatch(rest []byte) (found bool, end int) {
	dest, end, ok := destination(rest, skipBlanks(rest, 0, len(rest)), len(rest))
	if !ok {
		return false, 0
	}
	var l Link
	return markdownParts(rest, dest, &l) && s.has([]byte(path.Base(l.Path))), end
}

// has reports whether a name is one of the names, in any spelling.
func (s *Prefilter) has(name []byte) bool {
	var lower [256]byte // saves the allocation of key
	for i, c := range name {
		odd := c == '.' && (string(name[i:]) != ".md" || i > 0 && name[i-1] == ' ') // key may drop it
		if odd || c >= 0x80 || i == len(lower) {
			return s.names[key(string(name))]
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return len(name) > 0 && s.names[string(lower[:len(name)])]
}
