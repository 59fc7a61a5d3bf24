package query

import (
	"cmp"
	"context"
	"path"
	"slices"

	"chatvault/vault/pathname"
)

// Shape is the vault in numbers, for a prompt or a header.
type Shape struct {
	Notes, Files, Folders int           // Files counts every file, notes included
	Top                   []FolderCount // the largest folders, by notes at any depth below them
	Complete              bool          // false when the walk stopped at its bound or ctx ended
}

// FolderCount counts notes at any depth below a folder.
type FolderCount struct {
	Path  string
	Notes int
}

// Shape walks the vault, at most maxEntries entries, and reports at most maxFolders
// folders. What it has when ctx ends it returns, without error.
func (v Queries) Shape(ctx context.Context, maxEntries, maxFolders int) (Shape, error) {
	var s Shape
	notes := map[string]int{}
	s.Complete = v.of.Source().EachName(ctx, maxEntries, func(name string, folder bool) bool {
		switch {
		case folder:
			s.Folders++
			return true
		case pathname.IsNote(name):
			s.Notes++
			notes[path.Dir(name)]++
		}
		s.Files++
		return true
	})
	s.Top = largest(notes, maxFolders)
	return s, nil
}

// largest sums the notes of each folder up to the folders above it and returns the
// folders with the most, the outer ones first among equals.
func largest(notes map[string]int, limit int) []FolderCount {
	below := map[string]int{}
	for folder, n := range notes {
		for ; folder != "."; folder = path.Dir(folder) {
			below[folder] += n
		}
	}
	top := make([]FolderCount, 0, len(below))
	for folder, n := range below {
		top = append(top, FolderCount{Path: folder, Notes: n})
	}
	slices.SortFunc(top, func(a, b FolderCount) int {
		return cmp.Or(cmp.Compare(b.Notes, a.Notes), cmp.Compare(len(a.Path), len(b.Path)), cmp.Compare(a.Path, b.Path))
	})
	return top[:min(len(top), max(limit, 0))]
}
