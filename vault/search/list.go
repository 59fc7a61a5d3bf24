package search

import (
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
	w := &walk.Walk{From: from, Base: folder, Glob: g, Files: true, Folders: true, Ignore: from.Filter(folder, g, q.IncludeIgnored)}
	newest := make([]topN[listed], w.WorkerCount())
	for i := range newest {
		newest[i] = topN[listed]{limit: limit, ahead: newerFirst}
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
	var all []listed
	for i := range newest {
		all = append(all, newest[i].items...)
	}
	slices.SortFunc(all, func(a, b listed) int { return compareAhead(newerFirst, a, b) })
	all = all[:min(len(all), limit)]
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

func newerFirst(a, b *listed) bool {
	if a.stat.Modified != b.stat.Modified {
		return a.stat.Modified > b.stat.Modified
	}
	return comparePaths(&a.entry, &b.entry) < 0
}

// comparePaths is strings.Compare of the two paths.
func comparePaths(a, b *walk.Found) int {
	if a.Dir == b.Dir {
		return strings.Compare(a.Name, b.Name)
	}
	return strings.Compare(a.Path(), b.Path())
}

// topN keeps the items that come first of those it is offered, in a heap whose top is
// the last of them.
type topN[T any] struct {
	limit int
	ahead func(a, b *T) bool
	items []T
	next  T // the one that is offered: an argument would be put on the heap for ahead
}

// wants reports whether an item would be kept.
func (h *topN[T]) wants(item *T) bool {
	return len(h.items) < h.limit || h.ahead(item, &h.items[0])
}

func (h *topN[T]) offer(item T) {
	if len(h.items) < h.limit {
		h.items = append(h.items, item)
		for i := len(h.items) - 1; i > 0; {
			up := (i - 1) / 2
			if h.ahead(&h.items[i], &h.items[up]) {
				break
			}
			h.items[i], h.items[up] = h.items[up], h.items[i]
			i = up
		}
		return
	}
	h.next = item
	if !h.ahead(&h.next, &h.items[0]) {
		return
	}
	h.items[0] = item
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(h.items) {
			return
		}
		if down+1 < len(h.items) && h.ahead(&h.items[down], &h.items[down+1]) {
			down++ // the one that comes later
		}
		if h.ahead(&h.items[down], &h.items[i]) {
			return
		}
		h.items[i], h.items[down] = h.items[down], h.items[i]
		i = down
	}
}

// compareAhead makes an order for slices.SortFunc of ahead.
func compareAhead[T any](ahead func(a, b *T) bool, a, b T) int {
	switch {
	case ahead(&a, &b):
		return -1
	case ahead(&b, &a):
		return 1
	}
	return 0
}
