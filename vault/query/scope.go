// Package query answers questions about the notes of a vault: their tags, tasks, properties and links.
package query

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"chatvault/vault/glob"
	links "chatvault/vault/link"
	"chatvault/vault/note"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
	"chatvault/vault/walk"
)

// vault is the part of a vault that this package uses.
type vault interface {
	Source() walk.Source
	// Find returns the true name of the file or folder at path.
	Find(ctx context.Context, path string) (name string, folder bool, err error)
	// Content returns the true name and the content of a file.
	Content(ctx context.Context, path string) (name string, data []byte, err error)
	Private(name string) bool
	Home() links.Home
}

// Queries answers questions about the notes of a vault.
type Queries struct{ of vault }

// Of returns the queries of a vault.
func Of(v vault) Queries { return Queries{v} }

// Scope selects the notes of a query. The zero Scope is every note.
type Scope struct {
	Path    string // a note or a folder; "" or "." is the vault
	Pattern string // name glob at any depth, like search.Query.FilePattern; "" means notes
	// Ignored includes what Obsidian's settings exclude. It is not needed if Path itself is excluded.
	Ignored bool
}

// Filter selects notes of a scope: those that meet every condition that is set.
type Filter struct {
	Scope
	Tag   string  // they have this tag or a nested one
	Key   string  // they have this property
	Value *string // with Key: it equals this, or is a list that contains it
	Text  string  // they contain this, with composed or decomposed characters
}

// Select returns the notes that a filter selects, by path.
func (v Queries) Select(ctx context.Context, f Filter) ([]string, Missed, error) {
	tag, key := pathname.Fold(strings.Trim(f.Tag, "#/")), pathname.Fold(f.Key)
	texts := slices.Compact([]string{f.Text, norm.NFC.String(f.Text), norm.NFD.String(f.Text)})
	list, missed, err := collect(ctx, v, f.Scope, func(t walk.Text, add func(string)) {
		if bytes.IndexByte(t.Data, 0) >= 0 || !slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(t.Data, []byte(text)) }) ||
			f.Tag != "" && !slices.ContainsFunc(t.Note().Tags, func(has note.Tag) bool { return nestedIn(has.Name, tag) }) {
			return
		}
		if f.Key != "" {
			properties, _ := t.Properties()
			if !slices.ContainsFunc(properties, func(p note.Property) bool { return isProperty(p, key, f.Value) }) {
				return
			}
		}
		add(t.Path)
	})
	slices.Sort(list)
	return list, missed, err
}

// Missed describes the files of a scope that a query did not examine.
type Missed struct {
	Skipped  []string // files that could not be read, with the reason: "a.md": it is too long
	Excluded int      // number of files excluded by Obsidian's settings
}

// maxNotSearched limits Missed.Skipped.
const maxNotSearched = 20

// each visits the texts of a scope, concurrently like walk.Texts.
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
			missed.Excluded++
			mu.Unlock()
		default:
			visit(worker, t)
		}
		return true
	}, func(path string, err error) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(path, within) && len(missed.Skipped) < maxNotSearched {
			missed.Skipped = append(missed.Skipped, fmt.Sprintf("%s: %v", vaulterr.Quote(path), err))
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
		return vaulterr.New(vaulterr.KindTooLarge, path, "%s is too large to search (over %d MB).", vaulterr.Quote(name), walk.MaxText>>20)
	}
	visit(0, walk.Text{Path: name, Data: data})
	return nil
}

// collect returns the results that visit adds for the texts of a scope, in no particular order.
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

// Shape is the size of the vault, for a prompt or a header.
type Shape struct {
	Notes, Files, Folders int           // Files includes the notes
	Top                   []FolderCount // the largest folders
	Complete              bool          // false if the walk reached its limit or ctx ended
}

// FolderCount is the number of notes at any depth below a folder.
type FolderCount struct {
	Path  string
	Notes int
}

// Shape counts up to maxEntries entries of the vault and returns up to maxFolders folders. If ctx ends, it returns
// what it has so far, without an error.
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

// largest adds the notes of each folder to its parents and returns the folders with the most; of equal ones, outer
// folders come first.
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
