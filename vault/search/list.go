package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/walk"
)

// ListQuery asks for entries of a folder that match a glob relative to it.
type ListQuery struct {
	Folder     string // "" or ".": the root; taken as it is, so that it may hold "["
	Pattern    string // glob relative to Folder; "": "*"
	MaxResults int    // 0 or less: DefaultListResults

	// IncludeIgnored lists also what Obsidian's settings exclude. It is not needed where Folder
	// itself is excluded.
	IncludeIgnored bool
}

// DefaultListResults is how many entries List reports when not told.
const DefaultListResults = 100

// ListResult is what a listing found, newest first.
type ListResult struct {
	Entries []walk.Entry // by Modified, those of one time by Path
	Total   int          // matches, reported or not
	LeftOut walk.LeftOut // what Obsidian excludes and would have been looked at
}

// List lists files and folders, newest first. Symbolic links are neither listed nor
// followed. Its memory is bounded by MaxResults, not by the vault. A bad pattern, a
// folder that is not there or is protected is an *Error.
func List(ctx context.Context, from walk.Source, folder string, q ListQuery) (ListResult, error) {
	pattern := q.Pattern
	if pattern == "" {
		pattern = "*"
	}
	g, err := glob.Compile(pattern, glob.InFolder)
	if err != nil {
		return ListResult{}, err
	}
	limit := q.MaxResults
	if limit <= 0 {
		limit = DefaultListResults
	}
	w := &walk.Walk{From: from, Base: folder, Glob: g, Folders: true, Ignore: from.Filter(folder, g, q.IncludeIgnored)}
	newest := make([]topN[listed], w.WorkerCount())
	for i := range newest {
		newest[i] = topN[listed]{limit: limit, compare: newerFirst}
	}
	var total atomic.Int64
	w.Visit = func(worker int, in fsys.Folder, e walk.Found) {
		st, err := in.Stat(e.Name)
		if err != nil || st.Kind != fsys.KindFile && st.Kind != fsys.KindFolder {
			return // gone, or replaced by a link, since its folder was read
		}
		total.Add(1)
		e.Folder = st.Kind == fsys.KindFolder
		newest[worker].offer(listed{e, st})
	}
	if err := w.Run(ctx); err != nil {
		return ListResult{}, err
	}
	all := mergedBest(newest)
	result := ListResult{Entries: make([]walk.Entry, 0, len(all)), Total: int(total.Load()), LeftOut: w.Ignore.LeftOut()}
	for _, l := range all {
		entry := walk.Entry{Path: l.entry.Path(), Folder: l.entry.Folder, Size: l.stat.Size, Modified: l.stat.Time()}
		if entry.Folder {
			entry.Size = 0
		}
		result.Entries = append(result.Entries, entry)
	}
	return result, nil
}

// listed is an entry with what List sorts by; its path is put together only when it counts.
type listed struct {
	entry walk.Found
	stat  fsys.Stat
}

func newerFirst(a, b listed) int {
	switch {
	case a.stat.Modified != b.stat.Modified:
		return cmp.Compare(b.stat.Modified, a.stat.Modified)
	case a.entry.Dir == b.entry.Dir:
		return strings.Compare(a.entry.Name, b.entry.Name)
	}
	return strings.Compare(a.entry.Path(), b.entry.Path())
}

// topN keeps the items that come first of those it is offered. It takes up to twice as many before it
// sorts them and lets go of the rest.
type topN[T any] struct {
	limit   int
	compare func(a, b T) int
	items   []T
	sorted  bool // the first of items are the best of those that were sorted
}

// last is the item before which one must come to be kept; ok is false while every one is.
func (h *topN[T]) last() (item T, ok bool) {
	if h.sorted {
		item = h.items[h.limit-1]
	}
	return item, h.sorted
}

// wants reports whether an item would be kept.
func (h *topN[T]) wants(item T) bool {
	last, ok := h.last()
	return !ok || h.compare(item, last) < 0
}

func (h *topN[T]) offer(item T) {
	if !h.wants(item) {
		return
	}
	if h.items = append(h.items, item); len(h.items) == 2*h.limit {
		h.best()
		h.sorted = true
	}
}

// best are the items that are kept, in order.
func (h *topN[T]) best() []T {
	slices.SortFunc(h.items, h.compare)
	h.items = h.items[:min(len(h.items), h.limit)]
	return h.items
}

// mergedBest are the best of what several kept, in order.
func mergedBest[T any](parts []topN[T]) []T {
	all := topN[T]{limit: parts[0].limit, compare: parts[0].compare}
	for i := range parts {
		all.items = append(all.items, parts[i].items...)
	}
	return all.best()
}
