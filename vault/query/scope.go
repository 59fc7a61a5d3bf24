// Package query answers questions about all notes of a vault, or those of a scope: which tags,
// tasks, properties and links they have.
package query

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"chatvault/vault/failure"
	"chatvault/vault/glob"
	"chatvault/vault/pathname"
	"chatvault/vault/walk"
)

// vault is what is asked about.
type vault interface {
	Source() walk.Source
	// Find is the true name of what is at a path.
	Find(ctx context.Context, path string) (name string, folder bool, err error)
	// Content is the true name and the content of a file.
	Content(ctx context.Context, path string) (name string, data []byte, err error)
	Private(name string) bool
	// Plain reports whether it is a folder of plain Markdown, which Obsidian does not use.
	Plain() bool
}

// Queries are questions about all notes of a vault.
type Queries struct{ of vault }

// Of returns the questions about a vault.
func Of(v vault) Queries { return Queries{v} }

// Scope says which notes a question is about. The zero Scope is every note.
type Scope struct {
	Path    string // a note, or a folder with all that is in it; "" or ".": the vault
	Pattern string // of names, at any depth, as Query.FilePattern has it; "": notes
	// Ignored takes in what Obsidian's settings exclude, too. It is not needed where Path is
	// excluded itself.
	Ignored bool
}

// Missed is what of a scope a question did not look at.
type Missed struct {
	Skipped  []string     // files that could not be looked at, with the reason: "a.md": it is too long
	Excluded walk.LeftOut // what Obsidian's settings exclude
}

// maxNotSearched bounds how many of Skipped are named.
const maxNotSearched = 20

// each visits the texts that a scope holds, as Texts does. The texts of a folder are those below
// its true name.
func (v Queries) each(ctx context.Context, s Scope, visit func(worker int, t walk.Text)) (Missed, error) {
	within, pattern := "", s.Pattern
	excluded := v.of.Source().IgnoredFiles()
	if s.Ignored {
		excluded = func(string) bool { return false }
	}
	if s.Path != "" && s.Path != "." {
		name, folder, err := v.of.Find(ctx, s.Path)
		switch {
		case err != nil:
			return Missed{}, err
		case !folder:
			return Missed{}, v.one(ctx, name, pattern, visit)
		case name != ".":
			within = name + "/"
			if excluded(within) {
				excluded = func(string) bool { return false }
			}
		}
		if below := glob.Escape(within) + "**/*.{md,markdown}"; within != "" && pattern == "" && len(below) <= glob.MaxBytes {
			pattern = below
		}
	}
	var missed Missed
	var mu sync.Mutex
	err := v.of.Source().Texts(ctx, pattern, func(worker int, t walk.Text) bool {
		switch {
		case !strings.HasPrefix(t.Path, within):
		case excluded(t.Path):
			mu.Lock()
			missed.Excluded.Files++
			mu.Unlock()
		default:
			visit(worker, t)
		}
		return true
	}, func(path string, err error) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(path, within) && len(missed.Skipped) < maxNotSearched {
			missed.Skipped = append(missed.Skipped, fmt.Sprintf("%s: %v", failure.Quote(path), err))
		}
	})
	return missed, err
}

// one visits a single file.
func (v Queries) one(ctx context.Context, path, pattern string, visit func(int, walk.Text)) error {
	if pattern != "" {
		g, err := glob.Compile(pattern, glob.Anywhere)
		if err != nil {
			return err
		}
		if !g.MatchPath(path) {
			return nil
		}
	}
	name, data, err := v.of.Content(ctx, path)
	if err != nil {
		return err
	}
	if len(data) > walk.MaxText {
		return failure.New(failure.KindTooLarge, path, "%s is too large to search (over %d MB).", failure.Quote(name), walk.MaxText>>20)
	}
	visit(0, walk.Text{Path: name, Data: data})
	return nil
}

// collect gathers what visit finds in the texts that a scope holds, in no order.
func collect[T any](ctx context.Context, v Queries, s Scope, visit func(t walk.Text, add func(T))) ([]T, Missed, error) {
	parts := make([][]T, walk.Workers())
	missed, err := v.each(ctx, s, func(worker int, t walk.Text) {
		visit(t, func(found T) { parts[worker] = append(parts[worker], found) })
	})
	if err != nil {
		return nil, Missed{}, err
	}
	return slices.Concat(parts...), missed, nil
}

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
