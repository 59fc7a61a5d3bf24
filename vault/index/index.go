// Package index keeps in memory what a folder holds at any depth: names, sizes, times, and the
// text of notes up to a bound. It knows no rule of the vault.
//
// It promises that a View is never behind the disk: what was there when View was called, and
// still is, is in it as it is. Where the kernel tells of changes while they happen (inotify), what
// it told is taken in before each View, and nothing else is looked at. Where it does not, each
// View compares every file's size and times with what is known. Where neither can be trusted
// (file systems of the network, a change of everything at once that is not taken in yet) there is
// no View, and the caller has to go to the disk itself. While nothing changes it costs no time.
package index

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/internal/routine"
	"chatvault/vault/fsys"
)

// Options of an index. Disk, Dir, Visible, IsNote and Keep are required.
type Options struct {
	Disk fsys.Tree
	// Dir is the absolute path of the root, for watchers that go by names and for asking what
	// kind of file system it is on.
	Dir string
	// Visible says whether an entry of a folder may be seen at all; what may not is neither
	// looked at nor watched. It is asked once for each.
	Visible func(folder, name string) bool
	// IsNote says by its name whether a file is a note, whose changes are told; Keep whether its text
	// is kept, as far as there is room.
	IsNote, Keep func(name string) bool
	// TextBytes bounds the texts kept; 0: none is. Filters of texts for which there is no room take
	// up to as much in addition.
	TextBytes int64
	// Told is called with the notes that somebody else changed, in order of their names.
	Told func(paths []string)
	// Wanted says whether somebody waits for Told where finding out costs something; nil: nobody.
	Wanted func() bool
	// Changed is told, after the index was built and whenever its state is another one.
	Changed func(State)
	// Failed is told of a fault of the index; there is no View any more.
	Failed func(error)
	// Watch makes the watcher; nil: Platform. It may fail: see Watcher.
	Watch func(dir string) (Watcher, error)
	// Quiet is how long nothing must happen until a burst of changes is over; 0: 150 ms.
	Quiet time.Duration
}

// State says how an index is doing.
type State struct {
	Ready     bool   // there are Views
	Watched   bool   // the system tells of changes; else each View looks at every file
	Why       string // why it is not ready, or not watched
	Files     int
	Folders   int
	Texts     int   // notes whose text is kept
	TextBytes int64 // of them
	Filters   int64 // bytes of what is known of other texts
	Limit     int64 // what Options.TextBytes was
}

// Index is an index that is built, and kept true, by goroutines of its own until it is closed. It
// is safe for concurrent use.
type Index struct {
	o      Options
	ctx    context.Context
	cancel context.CancelFunc
	done   sync.WaitGroup

	gate     gate                    // held while anything of the next group is read or changed
	root     *Folder                 // nil: not built
	off      string                  // why there will be no View any more; "": there may be
	why      string                  // why the system does not tell of changes; "": it does
	watch    Watcher                 // nil: it does not
	device   uint64                  // that the root is on
	dirty    pending                 // what changed since root was
	want     []wanted                // notes whose text may be kept and is not
	late     []wanted                // those that changed too short a time ago
	texts    textSum                 // of root
	told     map[string]notification // changes not told yet
	viewed   bool                    // there was a View since
	verified time.Time               // what is known was
	cost     time.Duration           // of looking at everything, the last time
	seq      atomic.Uint64           // grows with each change that is taken in

	memos atomic.Int64 // bytes of what was worked out from texts
	own   ownChanges
	wake  chan struct{}      // the watcher has something
	kick  chan struct{}      // a View took something in
	ask   chan chan struct{} // Settle waits
	busy  atomic.Bool        // everything is looked at, which takes longer than anybody waits
	looks atomic.Int64       // how many times everything was
	last  State              // that Changed was told; of run alone
	reply chan struct{}      // to whoever asked; of run alone
}

// Start begins to build an index.
func Start(o Options) *Index {
	if o.Quiet == 0 {
		o.Quiet = 150 * time.Millisecond
	}
	if o.Watch == nil {
		o.Watch = Platform
	}
	x := &Index{o: o, gate: make(gate, 1), told: map[string]notification{}, wake: make(chan struct{}), kick: make(chan struct{}, 1), ask: make(chan chan struct{})}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	routine.Join(&x.done, "index", x.run)
	return x
}

// Close stops what runs and waits for it. There is no View after it.
func (x *Index) Close() {
	x.cancel()
	x.gate.lock()
	x.end("it was closed")
	x.gate.unlock()
	x.done.Wait()
}

// end gives everything back; the gate is held.
func (x *Index) end(why string) {
	if x.watch != nil {
		_ = x.watch.Close()
	}
	x.watch, x.root, x.want, x.late, x.dirty, x.texts = nil, nil, nil, nil, pending{}, textSum{}
	clear(x.told)
	if x.off == "" {
		x.off = why
	}
}

// patience is how long a View waits for the work of others: less than what going to the disk costs.
const patience = 5 * time.Millisecond

// View is what the root holds now, or nil where it has to be looked up on the disk: while the index
// is built, when it cannot be kept true, or when ctx ends. It must not be changed.
func (x *Index) View(ctx context.Context) *Folder {
	if x.busy.Load() || !x.gate.lockWithin(ctx, patience) {
		return nil
	}
	defer x.gate.unlock()
	if x.root == nil {
		return nil
	}
	took, err := x.takeIn(ctx)
	if x.viewed = true; took || err != nil || x.due() {
		x.again()
	}
	if err != nil || x.dirty.all {
		return nil
	}
	return x.root
}

// takeIn brings root up to date, but for a change of everything; the gate is held. took says that
// there was something.
func (x *Index) takeIn(ctx context.Context) (took bool, err error) {
	whole := false
	defer func() {
		if !whole { // a panic: nobody knows what root is worth
			x.end("it failed")
		}
	}()
	took, err = x.latest(ctx)
	whole = true
	return took, err
}

func (x *Index) latest(ctx context.Context) (took bool, err error) {
	x.collect()
	if took = !x.dirty.empty(); took {
		if err := x.applyAll(ctx); err != nil {
			return true, err
		}
	}
	if !x.dirty.all && (x.watch == nil || !x.watch.Exact()) {
		changed, err := x.compare(ctx)
		return took || changed, err
	}
	return took, nil
}

// again makes run look whether there is something to do.
func (x *Index) again() {
	select {
	case x.kick <- struct{}{}:
	default:
	}
}

// State says how it is doing.
func (x *Index) State() State {
	x.gate.lock()
	defer x.gate.unlock()
	s := State{
		Ready: x.root != nil && x.off == "", Watched: x.watch != nil && x.watch.Exact(), Why: x.why,
		Texts: x.texts.notes, TextBytes: x.texts.bytes, Filters: x.texts.filters, Limit: x.o.TextBytes,
	}
	if x.off != "" {
		s.Why = x.off
	}
	if x.root != nil {
		x.root.each("", func(_ string, f *Folder) {
			s.Folders++
			s.Files += len(f.Files)
		})
	}
	return s
}

// gate is a lock that can be waited for with a bound.
type gate chan struct{}

func (g gate) lock()   { g <- struct{}{} }
func (g gate) unlock() { <-g }

// hold calls do with the lock, which is given back also when do panics.
func (g gate) hold(do func()) {
	g.lock()
	defer g.unlock()
	do()
}

// lockWithin reports whether it got the lock before the time was over or ctx ended.
func (g gate) lockWithin(ctx context.Context, d time.Duration) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case g <- struct{}{}:
		return true
	default:
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case g <- struct{}{}:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	return false
}
