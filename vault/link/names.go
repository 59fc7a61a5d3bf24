package link

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"chatvault/vault/fold"
)

// Names are the files of a vault, by name, for finding out which of them a link means. Paths are
// true names with "/". It is not safe for concurrent use while it is changed.
type Names struct {
	byBase map[string][]name // by folded base name, the shortest path first
	byPath map[string][]name // by folded path, those that share their base name with more than crowd
	hidden map[string]bool   // those of which nothing is told
}

// crowd is how many files of one base name are looked through one by one.
const crowd = 16

// name is a file's path, as it is and folded.
type name struct{ path, folded string }

// NewNames returns the set of these paths, all the vault's files that a link can mean.
func NewNames(paths []string) *Names {
	n := &Names{byBase: make(map[string][]name, len(paths)), byPath: make(map[string][]name)}
	for _, p := range paths {
		e := name{p, key(p)}
		base := path.Base(e.folded)
		n.byBase[base] = append(n.byBase[base], e)
	}
	for base, list := range n.byBase {
		if len(list) > 1 {
			slices.SortFunc(list, compareNames)
			n.byBase[base] = slices.Compact(list)
			n.crowd(base)
		}
	}
	return n
}

// Hide says that nothing may be told of these files, which are among the names: a Renaming leaves
// the links that lead to them as they are, and writes none that does.
func (n *Names) Hide(paths []string) {
	if n.hidden == nil {
		n.hidden = make(map[string]bool, len(paths))
	}
	for _, p := range paths {
		n.hidden[p] = true
	}
}

// crowd takes the files of a base name into byPath, where they are many.
func (n *Names) crowd(base string) {
	if list := n.byBase[base]; len(list) > crowd {
		for _, e := range list {
			n.byPath[e.folded] = append(n.byPath[e.folded], e)
		}
	}
}

// uncrowd takes them out.
func (n *Names) uncrowd(base string) {
	if list := n.byBase[base]; len(list) > crowd {
		for _, e := range list {
			delete(n.byPath, e.folded)
		}
	}
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
// that does. What n is stays.
func (n *Names) Renamed(moved map[string]string) *Names {
	after := &Names{byBase: maps.Clone(n.byBase), byPath: maps.Clone(n.byPath), hidden: n.hidden}
	own := make(map[string]bool) // lists that n does not share any more
	list := func(base string) []name {
		if !own[base] {
			own[base] = true
			after.uncrowd(base)
			after.byBase[base] = slices.Clone(after.byBase[base])
		}
		return after.byBase[base]
	}
	gone := make(map[string]map[string]bool) // by folded base name
	for from := range moved {
		base := path.Base(key(from))
		if gone[base] == nil {
			gone[base] = make(map[string]bool)
		}
		gone[base][from] = true
	}
	for base, paths := range gone {
		if rest := slices.DeleteFunc(list(base), func(e name) bool { return paths[e.path] }); len(rest) > 0 {
			after.byBase[base] = rest
		} else {
			delete(after.byBase, base)
		}
	}
	for _, to := range moved {
		e := name{to, key(to)}
		base := path.Base(e.folded)
		after.byBase[base] = append(list(base), e)
	}
	for base := range own {
		slices.SortFunc(after.byBase[base], compareNames)
		after.crowd(base)
	}
	return after
}

// compareNames puts the shortest path first, the first by its letters among equals.
func compareNames(a, b name) int {
	return cmp.Or(cmp.Compare(length(a.path), length(b.path)), strings.Compare(a.path, b.path))
}

// length is a path's length as Obsidian counts it: in UTF-16 units.
func length(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// key is the form in which paths are equal that a link does not tell apart: by case, by Unicode
// normal form, or by the kind of their blanks.
func key(p string) string {
	for i := range len(p) {
		if p[i] >= utf8.RuneSelf {
			return fold.Name(strings.ReplaceAll(p, "\u00a0", " "))
		}
	}
	return fold.Name(p)
}
