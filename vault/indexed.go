package vault

import (
	"context"
	"sync"
	"sync/atomic"

	"chatvault/vault/fsys"
	"chatvault/vault/index"
	"chatvault/vault/note"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
	"chatvault/vault/walk"
)

// IndexOptions are the options of StartIndex.
type IndexOptions struct {
	TextBytes int64            // limit for texts in memory; with 0, none are kept
	Changed   func(IndexState) // called from another goroutine when the state changes; optional
	Failed    func(error)      // called if the index fails, which ends it; optional
}

// IndexState describes the state of the index.
type IndexState = index.State

// Index is the part of a Vault that keeps its files in memory (package index) and reports changes on disk. It is safe
// for concurrent use.
type Index struct {
	vault *Vault
	tell  func(paths []string) // see Watch

	mu     sync.Mutex // guards starting and stopping
	now    atomic.Pointer[index.Index]
	disk   fsys.Tree // used by the index
	closed bool
}

// Start starts an index in memory (package index), which the background builds and keeps up to date until Close.
// When it is ready, listings, searches and walks use it, with the same results as from the disk. Look-ups of names
// and reads of single notes always use the disk. Only the first call has an effect.
func (x *Index) Start(o IndexOptions) error { return x.start(o, func(*index.Options) {}) }

// start is Start with a function that adjusts the options of the index.
func (x *Index) start(o IndexOptions, set func(*index.Options)) error {
	disk, err := fsys.Open(x.vault.finder.Root)
	if err != nil {
		return vaulterr.Wrap(err, ".", "read")
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed || x.now.Load() != nil {
		_ = disk.Close() // it was only read
		return nil
	}
	see := &walk.Walk{From: x.vault.Source()}
	x.disk = disk
	options := index.Options{
		Disk: disk, Dir: x.vault.dir, Visible: see.Visible,
		IsNote: pathname.IsNote, Keep: func(name string) bool { return IsNote(name) || note.IsDrawing(name) },
		TextBytes: o.TextBytes, OnChange: x.tell, OnState: o.Changed, OnFault: o.Failed,
	}
	set(&options)
	x.now.Store(index.Start(options))
	return nil
}

// stop stops the index.
func (x *Index) stop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	if x.disk != nil {
		x.now.Load().Close()
		_ = x.disk.Close() // it was only read
		x.disk = nil
	}
}

// State returns the state of the index. Without an index it is not ready.
func (x *Index) State() IndexState {
	if now := x.now.Load(); now != nil {
		return now.State()
	}
	return IndexState{Why: "there is none"}
}

// Settle waits until the index, if there is one, has applied all earlier changes, or until ctx ends.
func (x *Index) Settle(ctx context.Context) error {
	if now := x.now.Load(); now != nil {
		return now.Settle(ctx)
	}
	return nil
}

// Mark returns a value that represents the current files and folders according to the index: while it remains equal,
// none were added, removed or written. It is nil if that is unknown.
func (x *Index) Mark(ctx context.Context) any {
	if root := x.view(ctx); root != nil {
		return root
	}
	return nil
}

// view returns the current content of the index, or nil if it is not available.
func (x *Index) view(ctx context.Context) *index.Folder {
	if now := x.now.Load(); now != nil {
		return now.View(ctx)
	}
	return nil
}

// openTree opens the folders for a walk: in the index if it is ready, otherwise on disk. The results are the same.
func (v *Vault) openTree(ctx context.Context) (fsys.Tree, error) {
	if root := v.Index.view(ctx); root != nil {
		return &index.Tree{Dir: v.finder.Root, Root: root}, nil
	}
	return v.openDisk(ctx)
}

func (v *Vault) openDisk(context.Context) (fsys.Tree, error) { return fsys.Open(v.finder.Root) }

// Watch makes the vault call tell with the true names, before and after, of every file and folder that this process
// changes, including notes with updated links, and of the notes that any program changes on disk. The latter takes an
// index: they are reported a fraction of a second later, sorted, a burst of changes together. tell must not wait for the
// vault. Watch must be called before Start and before the first change.
func (x *Index) Watch(tell func(paths []string)) { x.tell = tell }
