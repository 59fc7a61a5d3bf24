// Package index keeps the content of a folder tree in memory: names, sizes, times, and the text of notes up to a
// limit. It does not know the vault's rules.
//
// A View is never older than its call: it contains every file as it was then or later. With change notification
// (inotify), each View first applies the events so far and reads nothing else, and without changes the index uses no
// CPU time. Without it, each View compares the size and times of every file. If neither is reliable (on network file
// systems, or while a change of everything is pending), there is no View, and the caller must use the disk.
package index

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/internal/base/routine"
	"chatvault/vault/fsys"
)

// Options configures an index. Disk, Dir, Visible, IsNote and Keep are required.
type Options struct {
	Disk fsys.Tree
	// Dir is the absolute path of the root, for watchers by name and to determine the type of its file system.
	Dir string
	// Visible reports whether an entry of a folder is visible. Others are neither read nor watched. It is called once
	// per entry.
	Visible func(folder, name string) bool
	// IsNote reports, by the name of a file, whether it is a note, whose changes are passed to OnChange; Keep whether
	// its text is kept in memory if there is room.
	IsNote, Keep func(name string) bool
	// TextBytes limits the kept texts; with 0, none are kept. Filters of other texts may take the same amount in
	// addition.
	TextBytes int64
	// OnChange, if not nil, is called with the notes that changed, sorted by name. If the system reports no changes, the
	// index then looks for them every few seconds.
	OnChange func(paths []string)
	// OnState is called with the state after the index is built and after each change of the state.
	OnState func(State)
	// OnFault is called with a fault of the index, after which there is no View.
	OnFault func(error)
	// Watch creates the watcher; nil means Platform. It may fail: see Watcher.
	Watch func(dir string) (Watcher, error)
	// Quiet is the time without events that ends a burst of changes; 0 means 150 ms.
	Quiet time.Duration
}

// State describes the state of an index.
type State struct {
	Ready     bool   // Views are available
	Watched   bool   // the system reports changes; otherwise each View compares all files
	Why       string // reason why it is not ready or not watched
	Texts     int    // number of notes whose text is kept
	TextBytes int64  // size of these texts
	Filters   int64  // size of the filters of other texts
}

// Index is an index that its own goroutines build and keep up to date until it is closed. It is safe for concurrent
// use.
type Index struct {
	o      Options
	ctx    context.Context
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu          sync.Mutex      // guards the following group
	root        *Folder         // nil until built
	stopReason  string          // reason why there will be no more Views; "" if there may be
	watchReason string          // reason why the system does not report changes; "" if it does
	watch       Watcher         // nil without change notification
	device      uint64          // device of the root
	dirty       pending         // changes not yet applied to root
	want        []wanted        // notes whose text may be kept but is not
	texts       textSum         // totals of root
	changed     map[string]bool // notes whose change is not reported yet
	cost        time.Duration   // duration of the last complete comparison

	wake      chan struct{}      // the watcher has events
	kick      chan struct{}      // a View applied changes
	ask       chan chan struct{} // requests of Settle
	busy      atomic.Bool        // a complete read is running, during which Views do not wait for mu
	fullReads atomic.Int64       // number of complete reads
	last      State              // state last passed to Changed; used only by run
	reply     chan struct{}      // answer to Settle; used only by run
}

// Start starts building an index.
func Start(o Options) *Index {
	o.Quiet = cmp.Or(o.Quiet, 150*time.Millisecond)
	if o.Watch == nil {
		o.Watch = Platform
	}
	x := &Index{o: o, changed: map[string]bool{}, wake: make(chan struct{}), kick: make(chan struct{}, 1), ask: make(chan chan struct{})}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	x.busy.Store(true)
	routine.Join(&x.done, "index", x.run)
	return x
}

// Close stops the index and waits for its goroutines. There are no Views afterwards.
func (x *Index) Close() {
	x.cancel()
	x.mu.Lock()
	x.end("it was closed")
	x.mu.Unlock()
	x.done.Wait()
}

// end releases everything. The caller must hold x.mu.
func (x *Index) end(why string) {
	if x.watch != nil {
		_ = x.watch.Close()
	}
	x.watch, x.root, x.want, x.dirty, x.texts = nil, nil, nil, pending{}, textSum{}
	clear(x.changed)
	if x.stopReason == "" {
		x.stopReason = why
	}
}

// View returns the current content of the root, or nil if the caller must read the disk: while the index is built, if
// it cannot be kept up to date, or if ctx ends. The result is read-only.
func (x *Index) View(ctx context.Context) *Folder {
	for !x.mu.TryLock() { // for work that it needs done, unless everything is being read
		if x.busy.Load() || !routine.Sleep(ctx, time.Millisecond) {
			return nil
		}
	}
	defer x.mu.Unlock()
	if x.root == nil || ctx.Err() != nil {
		return nil
	}
	took, err := x.refresh(ctx)
	if took || err != nil {
		x.wakeRun()
	}
	if err != nil || x.dirty.all {
		return nil
	}
	return x.root
}

// refresh brings root up to date, except for a change of everything. The caller must hold x.mu. took reports
// whether there were changes.
func (x *Index) refresh(ctx context.Context) (took bool, err error) {
	whole := false
	defer func() {
		if !whole { // a panic: root may be inconsistent
			x.end("it failed")
		}
	}()
	took, err = x.update(ctx)
	whole = true
	return took, err
}

func (x *Index) update(ctx context.Context) (took bool, err error) {
	x.collect()
	if took = !x.dirty.empty(); took {
		if err := x.applyAll(ctx); err != nil {
			return true, err
		}
	}
	if !x.dirty.all && x.watch == nil {
		changed, err := x.compare(ctx)
		return took || changed, err
	}
	return took, nil
}

// wakeRun makes run check for work.
func (x *Index) wakeRun() {
	select {
	case x.kick <- struct{}{}:
	default:
	}
}

// State returns the current state.
func (x *Index) State() State {
	x.mu.Lock()
	defer x.mu.Unlock()
	return State{
		Ready: x.root != nil && x.stopReason == "", Watched: x.watch != nil, Why: cmp.Or(x.stopReason, x.watchReason),
		Texts: x.texts.notes, TextBytes: x.texts.bytes, Filters: x.texts.filters,
	}
}
