package vault

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"chatvault/vault/fsys"
	"chatvault/vault/index"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
	"chatvault/vault/walk"
)

// IndexOptions are the options of StartIndex.
type IndexOptions struct {
	TextBytes int64            // limit for texts in memory; with 0, none are kept
	Changed   func(IndexState) // called from another goroutine when the state changes; optional
	Failed    func(error)      // called with a fault of the index, after which there is no index; optional
}

// IndexState describes the state of the index.
type IndexState = index.State

// StartIndex starts an index in memory (package index), which the background builds and keeps up to date until Close.
// When it is ready, listings, searches and walks use it, with the same results as from the disk. Look-ups of names
// and reads of single notes always use the disk. Only the first call has an effect.
func (v *Vault) StartIndex(o IndexOptions) error { return v.startIndex(o, func(*index.Options) {}) }

// startIndex is StartIndex with a function that adjusts the options of the index.
func (v *Vault) startIndex(o IndexOptions, set func(*index.Options)) error {
	disk, err := fsys.Open(v.root)
	if err != nil {
		return vaulterr.Wrap(err, ".", "read")
	}
	v.indexing.Lock()
	defer v.indexing.Unlock()
	if v.closed || v.index.Load() != nil {
		_ = disk.Close() // it was only read
		return nil
	}
	see := &walk.Walk{From: v.source()}
	v.indexDisk = disk
	options := index.Options{
		Disk: disk, Dir: v.dir, Visible: see.Visible,
		IsNote: pathname.IsNote, Keep: func(name string) bool { return IsNote(name) || pathname.HasSuffix(name, ".canvas") },
		TextBytes: o.TextBytes, OnChange: v.watchers.tell, NeedsChanges: v.watchers.any, OnState: o.Changed, OnFault: o.Failed,
	}
	set(&options)
	v.index.Store(index.Start(options))
	return nil
}

// stopIndex stops the index.
func (v *Vault) stopIndex() {
	v.indexing.Lock()
	defer v.indexing.Unlock()
	v.closed = true
	if v.indexDisk != nil {
		v.index.Load().Close()
		_ = v.indexDisk.Close() // it was only read
		v.indexDisk = nil
	}
}

// IndexState returns the state of the index. Without an index it is not ready.
func (v *Vault) IndexState() IndexState {
	x := v.index.Load()
	if x == nil {
		return IndexState{Why: "there is none"}
	}
	return x.State()
}

// own announces a change of this process to the index, and done its result, so that it is not reported to watchers.
func (v *Vault) own() (done func(Change)) {
	x := v.index.Load()
	if x == nil {
		return func(Change) {}
	}
	end := x.Own()
	return func(c Change) { end(c.names()...) }
}

// SettleIndex waits until the index, if there is one, has applied all earlier changes, or until ctx ends.
func (v *Vault) SettleIndex(ctx context.Context) error {
	if x := v.index.Load(); x != nil {
		return x.Settle(ctx)
	}
	return nil
}

// WatchTrouble returns why changes in a vault with this number of folders cannot be watched, and the remedy. why is
// "" if they can.
func (v *Vault) WatchTrouble(folders int) (why, todo string) {
	if !index.Local(v.dir) {
		return "the vault is on a network or virtual file system, where changes cannot be watched", "a copy of the vault on a disk of this machine would be faster"
	}
	limit, ok := index.WatchLimit()
	if !ok || folders+1 <= limit/2 {
		return "", ""
	}
	return fmt.Sprintf("the vault has %d folders, and the system can watch %d for all your programs together", folders, limit),
		fmt.Sprintf("to raise the limit: sudo sysctl fs.inotify.max_user_watches=%d (and a line in /etc/sysctl.d to keep that)", 4*(folders+1))
}

// Mark returns a value that represents the current files and folders according to the index: while it remains equal,
// none were added, removed or written. It is nil if that is unknown.
func (v *Vault) Mark(ctx context.Context) any {
	x := v.index.Load()
	if x == nil {
		return nil
	}
	if root := x.View(ctx); root != nil {
		return root
	}
	return nil
}

// openTree opens the folders for a walk: in the index if it is ready, otherwise on disk. The results are the same.
func (v *Vault) openTree(ctx context.Context) (fsys.Tree, error) {
	if x := v.index.Load(); x != nil {
		if root := x.View(ctx); root != nil {
			return &index.Tree{Dir: v.root, Root: root}, nil
		}
	}
	return fsys.Open(v.root)
}

// Watch calls tell with the true names of the notes that others created, changed, moved or deleted on disk, sorted
// and without duplicates; a burst of changes is combined. Changes by this process are not reported. A call comes a
// fraction of a second after the change, and only if there is an index (StartIndex). Calls are not concurrent, and
// tell must not wait for stop. After stop returns, no further call begins.
func (v *Vault) Watch(tell func(paths []string)) (stop func()) { return v.watchers.add(tell) }

// WatchOwn calls tell with the true names, before and after, of every file and folder that this process changes
// through the vault, including notes with updated links. tell is called at the end of the change and must not wait
// for the vault.
func (v *Vault) WatchOwn(tell func(paths []string)) (stop func()) { return v.ownWatchers.add(tell) }

// watchers is a set of callbacks for changes. The zero value is ready for use.
type watchers struct {
	mu    sync.Mutex
	last  int
	tells map[int]func([]string)
}

func (w *watchers) add(tell func([]string)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tells == nil {
		w.tells = map[int]func([]string){}
	}
	w.last++
	id := w.last
	w.tells[id] = tell
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.tells, id)
	}
}

// any reports whether there is a callback.
func (w *watchers) any() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.tells) > 0
}

// tell calls all callbacks in the order in which they were added.
func (w *watchers) tell(paths []string) {
	w.mu.Lock()
	ids := slices.Sorted(maps.Keys(w.tells))
	w.mu.Unlock()
	for _, id := range ids {
		w.mu.Lock()
		tell := w.tells[id]
		w.mu.Unlock()
		if tell != nil {
			tell(slices.Clone(paths))
		}
	}
}
