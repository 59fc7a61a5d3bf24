package link

import (
	"path"
	"slices"
	"strings"

	"chatvault/vault/note"
)

// Prefilter finds the files that a Renaming may have to change, before all names are known. It looks at the last name
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

// Keeps reports whether a Renaming may have to change the file.
func (s *Prefilter) Keeps(name string, text []byte) bool {
	if _, ok := s.moved[name]; ok || note.IsDrawing(name) || s.home.Dendron {
		return true
	}
	return slices.ContainsFunc(Parse(name, text), func(l Link) bool { return s.has(l.Path) })
}

// has reports whether a link's path ends in one of the names, in any spelling.
func (s *Prefilter) has(p string) bool { return s.names[path.Base(key(p))] }
