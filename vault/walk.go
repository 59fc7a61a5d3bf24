package vault

import (
	"chatvault/vault/failure"
	"chatvault/vault/fold"
	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/pathname"
	"context"
	"fmt"
	"iter"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"chatvault/internal/routine"
)

// A walk visits the entries of a folder that a glob matches, at any depth, several
// folders at a time. Symbolic links are neither followed nor visited, so a walk cannot
// leave the vault, go round in circles or see a note twice; protected and private names
// are not seen. It holds two descriptors a worker, however deep or wide the vault.
type walk struct {
	v       *Vault
	base    string        // the folder it starts in: its true name, "." for the root
	glob    *glob.Pattern // relative to base
	files   bool          // visit files
	folders bool          // visit folders
	tree    fsys.Tree     // nil: that of the platform

	ignore *ignoreFilter // what it leaves out beside; nil: nothing

	// visit is called for each entry, concurrently, from worker 0 to workers-1.
	visit func(worker int, in fsys.Folder, e walkEntry)
	// skipped, where set, is told of folders that cannot be read, concurrently.
	skipped func(path string, err error)
	// unseen, where set, is told of files and folders that it does not see, for being private or
	// for names that cannot be said; not of what is protected, nor of what is in them. Concurrently.
	unseen func(e walkEntry)

	workers int // 0: as many as there are processors
	rooms   []walkRoom
	seen    bool // the tree holds nothing that must not be seen
	stop    atomic.Bool

	mu    sync.Mutex
	wake  sync.Cond
	todo  []walkTask
	left  int // tasks not finished, in todo or at work
	fault any // what a worker panicked with
	trace []byte
}

// walkEntry is an entry of the folder dir.
type walkEntry struct {
	dir    string // true name, "" for the root
	name   string
	folder bool
}

// path is the true name of the entry.
func (e walkEntry) path() string {
	if e.dir == "" {
		return e.name
	}
	return e.dir + "/" + e.name
}

// walkTask is a folder to read or, when names is set, files of it to visit: a folder of
// very many files is shared out.
type walkTask struct {
	dir   string
	dirs  []string // components below base, folded; nil where the glob does not care
	names []string
}

// walkRoom is what a worker gathers in a folder, in room that it uses over and over.
type walkRoom struct {
	names []string
	tasks []walkTask
}

// shareSize is how many files of one folder a worker visits before it lets others help.
const shareSize = 128

// run walks until everything was visited or ctx ended, whose error it then returns.
func (w *walk) run(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tr := w.tree
	if tr == nil {
		var err error
		if tr, err = w.v.openTree(ctx); err != nil {
			return failure.Wrap(err, w.base, "read the vault's folder")
		}
		defer tr.Close() // it was only read
	}
	w.wake.L = &w.mu // before anything may end the walk
	defer context.AfterFunc(ctx, routine.Guard("walk halt", w.halt))()
	start := w.base
	if start == "." {
		start = ""
	}
	// The folder the walk is for is opened first: not to be able to is an error.
	first, err := tr.Open(start)
	if err != nil {
		return failure.Wrap(err, w.base, "read the folder")
	}
	first.Close()

	_, w.seen = tr.(*indexTree)
	w.rooms = make([]walkRoom, w.workerCount())
	w.push(walkTask{dir: start})
	var done routine.Group
	for worker := range w.workerCount() {
		done.Go("walk", func() { w.work(worker, tr) })
	}
	done.Wait()
	if w.fault != nil {
		// On the caller's goroutine somebody can recover it.
		panic(fmt.Sprintf("%v\n\nin a walk:\n%s", w.fault, w.trace))
	}
	return ctx.Err()
}

// workerCount is how many goroutines run shall use.
func (w *walk) workerCount() int {
	if w.workers == 0 {
		w.workers = runtime.GOMAXPROCS(0)
	}
	return w.workers
}

// halt makes run return soon.
func (w *walk) halt() {
	w.stop.Store(true)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wake.L != nil {
		w.wake.Broadcast()
	}
}

func (w *walk) push(tasks ...walkTask) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.todo = append(w.todo, tasks...)
	w.left += len(tasks)
	if len(tasks) > 1 {
		w.wake.Broadcast()
	} else {
		w.wake.Signal()
	}
}

// pop takes the task that came last, which keeps the list short: a walk in depth. It
// waits while others may still bring some and reports false at the end.
func (w *walk) pop() (walkTask, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.todo) == 0 && w.left > 0 && !w.stop.Load() {
		w.wake.Wait()
	}
	if len(w.todo) == 0 || w.stop.Load() {
		return walkTask{}, false
	}
	t := w.todo[len(w.todo)-1]
	w.todo = w.todo[:len(w.todo)-1]
	return t, true
}

func (w *walk) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left--; w.left == 0 {
		w.wake.Broadcast()
	}
}

func (w *walk) work(worker int, tr fsys.Tree) {
	defer func() {
		if fault := recover(); fault != nil {
			w.mu.Lock()
			w.fault, w.trace = fault, debug.Stack()
			w.mu.Unlock()
			w.halt()
		}
	}()
	for {
		t, ok := w.pop()
		if !ok {
			return
		}
		if err := w.do(worker, tr, t); err != nil && !fsys.Vanished(err) && w.skipped != nil {
			w.skipped(t.dir, err)
		}
		w.finish()
	}
}

func (w *walk) do(worker int, tr fsys.Tree, t walkTask) error {
	in, err := tr.Open(t.dir)
	if err != nil {
		return err
	}
	defer in.Close()
	if t.names != nil {
		w.visitAll(worker, in, t.dir, t.names)
		return nil
	}
	room := &w.rooms[worker]
	names, tasks := room.names[:0], room.tasks[:0]
	defer func() { room.names, room.tasks = names, tasks }()
	err = in.Entries(func(name string, kind fsys.Kind) bool {
		if kind == fsys.KindOther {
			return !w.stop.Load()
		}
		e := walkEntry{dir: t.dir, name: name, folder: kind == fsys.KindFolder}
		if !w.seen && !w.visible(t.dir, name) {
			if w.unseen != nil && !pathname.Protected(name) {
				w.unseen(e)
			}
			return !w.stop.Load()
		}
		if e.folder {
			dirs := w.components(t.dirs, name)
			enter, listed := w.glob.Below(dirs), w.folders && w.glob.Match(t.dirs, name, true)
			if w.ignore != nil && (enter || listed) {
				enter, listed = w.ignore.folder(e.path(), enter, listed)
			}
			if enter {
				tasks = append(tasks, walkTask{dir: e.path(), dirs: dirs})
			}
			if listed {
				w.visit(worker, in, e)
			}
		} else if w.files && w.glob.Match(t.dirs, name, false) && (w.ignore == nil || w.ignore.file(e.path())) {
			if names = append(names, name); len(names) >= 2*shareSize {
				w.push(walkTask{dir: t.dir, names: slices.Clone(names[:shareSize])})
				names = append(names[:0], names[shareSize:]...)
			}
		}
		return !w.stop.Load()
	})
	if len(tasks) > 0 {
		w.push(tasks...)
	}
	w.visitAll(worker, in, t.dir, names)
	return err
}

func (w *walk) visitAll(worker int, in fsys.Folder, dir string, names []string) {
	for _, name := range names {
		if w.stop.Load() {
			return
		}
		w.visit(worker, in, walkEntry{dir: dir, name: name})
	}
}

// components are those of a folder below one with dirs, for the glob.
func (w *walk) components(dirs []string, name string) []string {
	if w.glob.NameOnly() {
		return nil
	}
	return append(dirs[:len(dirs):len(dirs)], fold.Name(name))
}

// visible is the one place that decides which entries a walk sees. A name that is not
// UTF-8 cannot be said in a tool's argument, so nobody could do anything with it.
func (w *walk) visible(dir, name string) bool {
	if pathname.Protected(name) || !fold.IsASCII(name) && !utf8.ValidString(name) {
		return false
	}
	switch {
	case w.v.privateEntry != nil:
		return !w.v.privateEntry(dir, name)
	case w.v.private != nil:
		return !w.v.private(path.Join(dir, name))
	}
	return true
}

// Notes yields every Markdown file of the vault under the same protection as everything else,
// in no particular order, with sizes and times. Symbolic links are not followed. It stops
// when ctx ends, with its error as the last pair.
func (v *Vault) Notes(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		found := make(chan Entry, 256)
		var err error
		var walking routine.Group
		walking.Go("notes", func() {
			defer close(found)
			w := &walk{v: v, base: ".", glob: glob.Notes, files: true}
			w.visit = func(_ int, in fsys.Folder, e walkEntry) {
				st, err := in.Stat(e.name)
				if err != nil || st.Kind != fsys.KindFile {
					return // gone, or replaced, since its folder was read
				}
				select {
				case found <- Entry{Path: e.path(), Size: st.Size, Modified: st.Time()}:
				case <-ctx.Done():
				}
			}
			err = w.run(ctx)
		})
		defer func() { // also when yield ended the loop, or panicked
			cancel()
			for range found { // until the walk has ended
			}
		}()
		for e := range found {
			if !yield(e, nil) {
				return
			}
		}
		walking.Wait() // a panic in the walk goes on here
		if err != nil {
			yield(Entry{}, err)
		}
	}
}
