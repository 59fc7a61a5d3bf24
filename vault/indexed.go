package vault

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"chatvault/vault/failure"
	"chatvault/vault/fsys"
	"chatvault/vault/index"
	"chatvault/vault/pathname"
	"chatvault/vault/walk"
)

// IndexOptions of StartIndex.
type IndexOptions struct {
	TextBytes int64            // bounds the texts that are kept in memory; 0: none is
	Changed   func(IndexState) // told, from another goroutine, of each state that is another one; may be nil
	Failed    func(error)      // told of a fault of the index, after which there is none; may be nil
}

// IndexState says how the index is doing.
type IndexState = index.State

// StartIndex makes the vault keep an index in memory (package index) from now on, until Close: in
// the background it looks at everything once and is kept true from then on. Where it is in force,
// listing, searching and going through texts take what they need from it and find exactly what
// they would find on the disk; where it is not, they go to the disk. Names are looked up, and
// single notes read, on the disk in any case. Only the first call does something.
func (v *Vault) StartIndex(o IndexOptions) error { return v.startIndex(o, func(*index.Options) {}) }

// startIndex is StartIndex with whatever set does to the options of the index.
func (v *Vault) startIndex(o IndexOptions, set func(*index.Options)) error {
	disk, err := fsys.Open(v.root)
	if err != nil {
		return failure.Wrap(err, ".", "read")
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
		TextBytes: o.TextBytes, Told: v.watchers.tell, Wanted: v.watchers.any, Changed: o.Changed, Failed: o.Failed,
	}
	set(&options)
	v.index.Store(index.Start(options))
	return nil
}

// stopIndex ends it.
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

// IndexState says how the index is doing; without one it is not ready.
func (v *Vault) IndexState() IndexState {
	x := v.index.Load()
	if x == nil {
		return IndexState{Why: "there is none"}
	}
	return x.State()
}

// own tells the index that a change of this process begins, and done what it was, so that it is
// not told to those who Watch.
func (v *Vault) own() (done func(Change)) {
	x := v.index.Load()
	if x == nil {
		return func(Change) {}
	}
	end := x.Own()
	return func(c Change) { end(c.names()...) }
}

// SettleIndex waits until the index, if there is one, has taken in everything that happened before,
// or ctx ends.
func (v *Vault) SettleIndex(ctx context.Context) error {
	if x := v.index.Load(); x != nil {
		return x.Settle(ctx)
	}
	return nil
}

// WatchTrouble says why changes in a vault with so many folders cannot be watched, and what to do
// about it; why is "" where they can.
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

// Mark stands for the files and folders there are, as the index knows them: as long as Mark returns
// the same, none was added, removed or written. It is nil where that is not known.
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

// openTree gives a walk its access to folders: to what the index has in memory where it is in
// force, else to the disk. A walk is the same on either, so what it finds is, too.
func (v *Vault) openTree(ctx context.Context) (fsys.Tree, error) {
	if x := v.index.Load(); x != nil {
		if root := x.View(ctx); root != nil {
			return &index.Tree{Dir: v.root, Root: root}, nil
		}
	}
	return fsys.Open(v.root)
}

// Watch lets tell know of notes that somebody else changed on disk, created, moved or deleted:
// their true names, in order, each once, those of a burst together. What this process does through
// the vault is not told. It is told a fraction of a second after the fact, from when the index is
// built (StartIndex) on; without one, nothing is. tell is called by one goroutine at a time and
// must not wait for it. When stop returns, no further call begins.
func (v *Vault) Watch(tell func(paths []string)) (stop func()) { return v.watchers.add(tell) }

// WatchOwn lets tell know of what this process changes through the vault: the true names, before and
// after, of every file and folder that a change was about or update links in. It is called while the
// change ends, and must not wait for the vault.
func (v *Vault) WatchOwn(tell func(paths []string)) (stop func()) { return v.ownWatchers.add(tell) }

// watchers are those who want to know of changes. The zero value is ready for use.
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

// any reports whether somebody wants to know.
func (w *watchers) any() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.tells) > 0
}

// tell tells everybody, the first who asked first.
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
