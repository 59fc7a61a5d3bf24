package link

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"chatvault/vault/fold"
)

// Names are the files of a vault, by name, for finding out which of them a link means. Paths are
// true names with "/"; those of folders end in one. It is not safe for concurrent use while it is changed.
type Names struct {
	// Plain is a folder of plain Markdown, not one of Obsidian's: there a link of Markdown's is
	// relative to its own folder, and only what it does not find there is looked for by its name.
	Plain bool

	byBase map[string][]name // by folded base name, the shortest path first
	byPath map[string][]name // by folded path, those that share their base name with more than crowd
	hidden map[string]bool   // those of which nothing is told
}

// crowd is how many files of one base name are looked through one by one.
const crowd = 16

// name is a file's path, as it is and folded.
type name struct{ path, folded string }

// NewNames returns the set of these paths, all the vault's files that a link can mean, with the folders
// they are in. A Renaming leaves links to hidden files as they are, and writes none that leads to them.
func NewNames(paths []string, hidden ...string) *Names {
	n := &Names{byBase: make(map[string][]name, len(paths)), byPath: make(map[string][]name), hidden: make(map[string]bool, len(hidden))}
	add := func(p string) {
		e := name{p, key(p)}
		base := path.Base(e.folded)
		n.byBase[base] = append(n.byBase[base], e)
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
		if list := n.byBase[base]; len(list) > crowd {
			for _, e := range list {
				n.byPath[e.folded] = append(n.byPath[e.folded], e)
			}
		}
	}
	return n
}

// called are the files of a base name, given by all of them, among which those with a folded path
// are.
func (n *Names) called(list []name, folded string) []name {
	if len(list) > crowd {
		return n.byPath[folded]
	}
	return list
}

// Renamed returns the names as they are when files got others: moved tells the new path of each
// that does. A folder stays when what is in it moves.
func (n *Names) Renamed(moved map[string]string) *Names {
	var paths, hidden []string
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
	after := NewNames(paths, hidden...)
	after.Plain = n.Plain
	return after
}

// compareNames puts the shortest path first, the first by its letters among equals.
func compareNames(a, b name) int {
	return cmp.Or(cmp.Compare(length(a.path), length(b.path)), strings.Compare(a.folded, b.folded), strings.Compare(a.path, b.path))
}

// length is a path's length as Obsidian counts it: in UTF-16 units.
func length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// key is the form in which paths are equal that a link does not tell apart: by case, by Unicode
// normal form, or by the kind of their blanks.
func key(p string) string { return fold.Name(strings.ReplaceAll(p, "\u00a0", " ")) }
