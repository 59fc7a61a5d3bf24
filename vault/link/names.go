package link

import (
	"cmp"
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
}

// name is a file's path, as it is and folded.
type name struct{ path, folded string }

// NewNames returns the set of these paths, all the vault's visible files.
func NewNames(paths []string) *Names {
	n := &Names{byBase: make(map[string][]name, len(paths))}
	for _, p := range paths {
		e := name{p, key(p)}
		base := path.Base(e.folded)
		n.byBase[base] = append(n.byBase[base], e)
	}
	for base, list := range n.byBase {
		if len(list) > 1 {
			slices.SortFunc(list, compareNames)
			n.byBase[base] = slices.Compact(list)
		}
	}
	return n
}

// Add takes a file in; one that is there already stays.
func (n *Names) Add(p string) {
	e := name{p, key(p)}
	base := path.Base(e.folded)
	list := n.byBase[base]
	at, found := slices.BinarySearchFunc(list, e, compareNames)
	if found {
		return
	}
	n.byBase[base] = slices.Insert(list, at, e)
}

// Remove takes a file out, if it is there.
func (n *Names) Remove(p string) {
	e := name{p, key(p)}
	base := path.Base(e.folded)
	list := n.byBase[base]
	at, found := slices.BinarySearchFunc(list, e, compareNames)
	switch {
	case !found:
	case len(list) == 1:
		delete(n.byBase, base)
	default:
		n.byBase[base] = slices.Delete(list, at, at+1)
	}
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
