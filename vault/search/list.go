package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/walk"
)

// ListQuery selects the entries of a folder that match a glob relative to it.
type ListQuery struct {
	Folder     string // "" or "." is the root; not a glob, so "[" is literal
	Pattern    string // glob relative to Folder; "" means "*"
	MaxResults int    // 0 or less means DefaultListResults

	Only Only // empty: all

	// IncludeIgnored also lists what Obsidian's settings exclude. It is not needed if Folder itself is excluded.
	IncludeIgnored bool
}

// Only selects some of the files.
type Only string

// The values of Only.
const (
	Conflicts     Only = "conflicts"      // conflict copies
	NotDownloaded Only = "not_downloaded" // files whose content is online
)

// DefaultListResults is the default of ListQuery.MaxResults.
const DefaultListResults = 100

// ListResult is the result of a listing.
type ListResult struct {
	Entries []walk.Entry // newest first, then by Path
	Total   int          // number of matches, including those omitted
	LeftOut int          // number of entries excluded by Obsidian
}

// List returns files and folders, newest first. It neither lists nor follows symbolic links. Its memory is bounded by
// MaxResults, not by the vault. For an invalid pattern and for a missing or protected folder the error is a
// *vaulterr.Error.
func List(ctx context.Context, from walk.Source, folder string, q ListQuery) (ListResult, error) {
	g, err := glob.Compile(cmp.Or(q.Pattern, "*"), glob.InFolder)
	if err != nil {
		return ListResult{}, err
	}
	limit := cmp.Or(max(q.MaxResults, 0), DefaultListResults)
	w := &walk.Walk{From: from, Base: folder, Glob: g, Folders: true, Ignore: from.Filter(folder, q.IncludeIgnored)}
	newest := topN[listed]{limit: limit, compare: newerFirst}
	var total atomic.Int64
	w.Visit = func(_ int, in fsys.Folder, e walk.Found) {
		st, err := in.Stat(e.Name)
		if err != nil || st.Kind != fsys.KindFile && st.Kind != fsys.KindFolder {
			return // deleted or replaced by a link since its folder was read
		}
		of := ""
		if q.Only == Conflicts {
			of = copyOf(from, in, e)
		}
		if q.Only == Conflicts && of == "" || q.Only == NotDownloaded && !st.Offline {
			return
		}
		total.Add(1)
		e.Folder = st.Kind == fsys.KindFolder
		newest.offer(listed{e, st, of})
	}
	if err := w.Run(ctx); err != nil {
		return ListResult{}, err
	}
	result := ListResult{Entries: make([]walk.Entry, 0, len(newest.items)), Total: int(total.Load()), LeftOut: w.Ignore.LeftOut()}
	for _, l := range newest.items {
		entry := walk.Entry{Path: l.entry.Path(), Folder: l.entry.Folder, Size: l.stat.Size, Modified: l.stat.Time(), CopyOf: l.of, Offline: l.stat.Offline}
		if entry.Folder {
			entry.Size = 0
		}
		result.Entries = append(result.Entries, entry)
	}
	return result, nil
}

// listed is an entry with its sort keys; its path is built only when needed.
type listed struct {
	entry walk.Found
	stat  fsys.Stat
	of    string // see copyOf
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

// topN keeps the first limit items in the order of compare. It is safe for concurrent use.
type topN[T any] struct {
	limit   int
	compare func(a, b T) int

	mu    sync.Mutex
	items []T // sorted
}

// last returns the item that a new one must precede to be kept; ok is false while all items are kept.
func (h *topN[T]) last() (item T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.items) < h.limit {
		return item, false
	}
	return h.items[h.limit-1], true
}

func (h *topN[T]) offer(item T) {
	if last, full := h.last(); full && h.compare(item, last) >= 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	at, _ := slices.BinarySearchFunc(h.items, item, h.compare)
	h.items = slices.Insert(h.items, at, item)
	h.items = h.items[:min(len(h.items), h.limit)]
}
