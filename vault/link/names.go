package link

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"chatvault/vault/pathname"
)

// Names indexes the files of a vault by name, to resolve links. Paths are true names with "/"; those of folders end
// in one. Lookups may run concurrently.
type Names struct {
	Home

	byBase map[string][]name // by folded base name, shortest path first
	byPath map[string][]name // by folded path
	byAlt  map[string]string // by folded alternate; "" if several have it
	hidden map[string]bool   // files whose existence must not be revealed
}

// name is a file's path, unchanged and folded.
type name struct{ path, folded string }

// NewNames returns the index of paths, which must include every file that a link can mean; the folders of the paths
// are added. A Renaming leaves links to hidden files unchanged and creates none that leads to one.
func (h Home) NewNames(paths []string, hidden ...string) *Names {
	n := &Names{Home: h, byAlt: map[string]string{}, byBase: make(map[string][]name, len(paths)), byPath: make(map[string][]name, len(paths)), hidden: make(map[string]bool, len(hidden))}
	add := func(p string) {
		e := name{p, key(p)}
		base := path.Base(e.folded)
		n.byBase[base] = append(n.byBase[base], e)
		if alt := key(h.alternate(p)); alt != "" && alt+".md" != base {
			if _, taken := n.byAlt[alt]; taken {
				p = ""
			}
			n.byAlt[alt] = p
		}
	}
	known := make(map[string]bool)
	for _, p := range paths {
		add(p)
		for dir := path.Dir(p); !known[dir]; dir = path.Dir(dir) {
			known[dir] = true
			add(dir + "/")
		}
	}
	for _, p := range hidden {
		add(p)
		n.hidden[p] = true
	}
	for base, list := range n.byBase {
		if len(list) > 1 {
			slices.SortFunc(list, compareNames)
			n.byBase[base] = slices.Compact(list)
		}
		for _, e := range n.byBase[base] {
			n.byPath[e.folded] = append(n.byPath[e.folded], e)
		}
	}
	return n
}

// NewNames returns the index of paths in a vault of Obsidian, see Home.NewNames.
func NewNames(paths []string, hidden ...string) *Names { return Home{}.NewNames(paths, hidden...) }

// Renamed returns the names after a renaming; moved maps old paths to new ones, and "" to that of a new file. Folders
// of moved files remain.
func (n *Names) Renamed(moved map[string]string) *Names {
	var paths, hidden []string
	if added := moved[""]; added != "" {
		paths = append(paths, added)
	}
	for _, list := range n.byBase {
		for _, e := range list {
			p := e.path
			if to, ok := moved[p]; ok {
				p = to
			}
			if n.hidden[e.path] {
				hidden = append(hidden, p)
			} else {
				paths = append(paths, p)
			}
		}
	}
	return n.NewNames(paths, hidden...)
}

// compareNames orders names by length of path, then alphabetically.
func compareNames(a, b name) int {
	return cmp.Or(cmp.Compare(utf8.RuneCountInString(a.path), utf8.RuneCountInString(b.path)), strings.Compare(a.folded, b.folded), strings.Compare(a.path, b.path))
}

// key returns the form of a path for comparison in links.
func key(p string) string { return pathname.Key(p) }
