// Package walk goes through the files and folders of a vault, several at a time: those that may be
// seen, that a pattern matches and that Obsidian does not exclude. It reads texts on the way.
package walk

import (
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
	"chatvault/vault/failure"
	"chatvault/vault/fold"
	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/index"
	"chatvault/vault/pathname"
)

// Source is what walks go through.
type Source struct {
	Open    func(ctx context.Context) (fsys.Tree, error)
	Private func(dir, name string) bool // of what is in a folder that is not; nil: nothing is
	Ignored func() []string             // what Obsidian's settings exclude
	Index   func() *index.Index         // that has texts in memory; nil: none has
}

// Walk visits the entries of a folder that a glob matches, at any depth, several
// folders at a time. Symbolic links are neither followed nor visited, so a walk cannot
// leave the vault, go round in circles or see a note twice; protected and private names
// are not seen. It holds two descriptors a worker, however deep or wide the vault.
type Walk struct {
	From    Source
	Base    string        // the folder it starts in: its true name, "." for the root
	Glob    *glob.Pattern // relative to base
	Folders bool          // visit folders, too
	Tree    fsys.Tree     // nil: that of the platform

	Ignore *Filter // what it leaves out beside; nil: nothing

	// Visit is called for each entry, concurrently, from worker 0 to workers-1.
	Visit func(worker int, in fsys.Folder, e Found)
	// Skipped, where set, is told of folders that cannot be read, concurrently.
	Skipped func(path string, err error)
	// Unseen, where set, is told of files and folders that it does not see, for being private or
	// for names that cannot be said; not of what is protected, nor of what is in them. Concurrently.
	Unseen func(e Found)

	Workers int // 0: as many as there are processors
	rooms   []walkRoom
	seen    bool // the tree holds nothing that must not be seen
	Stop    atomic.Bool

	mu    sync.Mutex
	wake  sync.Cond
	todo  []walkTask
	left  int // tasks not finished, in todo or at work
	fault any // what a worker panicked with
	trace []byte
}

// Found is an entry of the folder dir.
type Found struct {
	Dir    string // true name, "" for the root
	Name   string
	Folder bool
}

// Path is the true name of the entry.
func (e Found) Path() string {
	if e.Dir == "" {
		return e.Name
	}
	return e.Dir + "/" + e.Name
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

// ShareSize is how many files of one folder a worker visits before it lets others help.
const ShareSize = 128

// Run walks until everything was visited or ctx ended, whose error it then returns.
func (w *Walk) Run(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tr := w.Tree
	if tr == nil {
		var err error
		if tr, err = w.From.Open(ctx); err != nil {
			return failure.Wrap(err, w.Base, "read the vault's folder")
		}
		defer tr.Close() // it was only read
	}
	w.wake.L = &w.mu // before anything may end the walk
	defer context.AfterFunc(ctx, routine.Guard("walk halt", w.halt))()
	start := w.Base
	if start == "." {
		start = ""
	}
	// The folder the walk is for is opened first: not to be able to is an error.
	first, err := tr.Open(start)
	if err != nil {
		return failure.Wrap(err, w.Base, "read the folder")
	}
	first.Close()

	_, w.seen = tr.(*index.Tree)
	w.rooms = make([]walkRoom, w.WorkerCount())
	w.push(walkTask{dir: start})
	var done routine.Group
	for worker := range w.WorkerCount() {
		done.Go("walk", func() { w.work(worker, tr) })
	}
	done.Wait()
	if w.fault != nil {
		// On the caller's goroutine somebody can recover it.
		panic(fmt.Sprintf("%v\n\nin a walk:\n%s", w.fault, w.trace))
	}
	return ctx.Err()
}

// WorkerCount is how many goroutines run shall use.
func (w *Walk) WorkerCount() int {
	if w.Workers == 0 {
		w.Workers = Workers()
	}
	return w.Workers
}

// Workers is how many goroutines walks use.
func Workers() int { return runtime.GOMAXPROCS(0) }

// halt makes run return soon.
func (w *Walk) halt() {
	w.Stop.Store(true)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wake.L != nil {
		w.wake.Broadcast()
	}
}

func (w *Walk) push(tasks ...walkTask) {
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
func (w *Walk) pop() (walkTask, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.todo) == 0 && w.left > 0 && !w.Stop.Load() {
		w.wake.Wait()
	}
	if len(w.todo) == 0 || w.Stop.Load() {
		return walkTask{}, false
	}
	t := w.todo[len(w.todo)-1]
	w.todo = w.todo[:len(w.todo)-1]
	return t, true
}

func (w *Walk) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left--; w.left == 0 {
		w.wake.Broadcast()
	}
}

func (w *Walk) work(worker int, tr fsys.Tree) {
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
		if err := w.do(worker, tr, t); err != nil && !fsys.Vanished(err) && w.Skipped != nil {
			w.Skipped(t.dir, err)
		}
		w.finish()
	}
}

func (w *Walk) do(worker int, tr fsys.Tree, t walkTask) error {
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
			return !w.Stop.Load()
		}
		e := Found{Dir: t.dir, Name: name, Folder: kind == fsys.KindFolder}
		if !w.seen && !w.Visible(t.dir, name) {
			if w.Unseen != nil && !pathname.Protected(name) {
				w.Unseen(e)
			}
			return !w.Stop.Load()
		}
		if e.Folder {
			dirs := w.components(t.dirs, name)
			enter, listed := w.Glob.Below(dirs), w.Folders && w.Glob.Match(t.dirs, name, true)
			if w.Ignore != nil && (enter || listed) {
				enter, listed = w.Ignore.folder(e.Path(), enter, listed)
			}
			if enter {
				tasks = append(tasks, walkTask{dir: e.Path(), dirs: dirs})
			}
			if listed {
				w.Visit(worker, in, e)
			}
		} else if w.Glob.Match(t.dirs, name, false) && (w.Ignore == nil || w.Ignore.file(e.Path())) {
			if names = append(names, name); len(names) >= 2*ShareSize {
				w.push(walkTask{dir: t.dir, names: slices.Clone(names[:ShareSize])})
				names = append(names[:0], names[ShareSize:]...)
			}
		}
		return !w.Stop.Load()
	})
	if len(tasks) > 0 {
		w.push(tasks...)
	}
	w.visitAll(worker, in, t.dir, names)
	return err
}

func (w *Walk) visitAll(worker int, in fsys.Folder, dir string, names []string) {
	for _, name := range names {
		if w.Stop.Load() {
			return
		}
		w.Visit(worker, in, Found{Dir: dir, Name: name})
	}
}

// components are those of a folder below one with dirs, for the glob.
func (w *Walk) components(dirs []string, name string) []string {
	if w.Glob.NameOnly() {
		return nil
	}
	return append(dirs[:len(dirs):len(dirs)], fold.Name(name))
}

// Visible is the one place that decides which entries a walk sees. A name that is not
// UTF-8 cannot be said in a tool's argument, so nobody could do anything with it.
func (w *Walk) Visible(dir, name string) bool {
	if pathname.Protected(name) || !fold.IsASCII(name) && !utf8.ValidString(name) {
		return false
	}
	return w.From.Private == nil || !w.From.Private(dir, name)
}

// Notes yields every Markdown file of the vault under the same protection as everything else,
// in no particular order, with sizes and times. Symbolic links are not followed. It stops
// when ctx ends, with its error as the last pair.
func (s Source) Notes(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		found := make(chan Entry, 256)
		var err error
		var walking routine.Group
		walking.Go("notes", func() {
			defer close(found)
			w := &Walk{From: s, Base: ".", Glob: glob.Notes}
			w.Visit = func(_ int, in fsys.Folder, e Found) {
				st, err := in.Stat(e.Name)
				if err != nil || st.Kind != fsys.KindFile {
					return // gone, or replaced, since its folder was read
				}
				select {
				case found <- Entry{Path: e.Path(), Size: st.Size, Modified: st.Time()}:
				case <-ctx.Done():
				}
			}
			err = w.Run(ctx)
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

// EachName calls visit with every visible file and folder, folder by folder, without
// looking at sizes or times, until visit is false, ctx ends or limit entries were seen.
// complete tells whether that was all of them. It holds one folder open at a time,
// however deep the vault.
func (s Source) EachName(ctx context.Context, limit int, visit func(name string, folder bool) bool) (complete bool) {
	tr, err := s.Open(ctx)
	if err != nil {
		return false
	}
	defer func() { _ = tr.Close() }() // it was only read
	complete = true
	for folders := []string{""}; len(folders) > 0; {
		folder := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		dir, err := tr.Open(folder)
		if err != nil {
			complete = false // it went meanwhile, or may not be read
			continue
		}
		stopped := false
		err = dir.Entries(func(base string, kind fsys.Kind) bool {
			name := path.Join(folder, base)
			if kind == fsys.KindOther || pathname.Protected(base) || s.Private != nil && s.Private(folder, base) {
				return true
			}
			if limit <= 0 || !visit(name, kind == fsys.KindFolder) || ctx.Err() != nil {
				stopped = true
				return false
			}
			limit--
			if kind == fsys.KindFolder {
				folders = append(folders, name)
			}
			return true
		})
		dir.Close()
		if stopped {
			return false
		}
		complete = complete && err == nil
	}
	return complete && ctx.Err() == nil
}

// MostNames bounds how many names are gone through where all of them are.
const MostNames = 1_000_000
