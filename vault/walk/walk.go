// Package walk visits files and folders of a vault concurrently: those that are visible, match a glob and are not
// excluded by Obsidian. It also reads their texts.
package walk

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"chatvault/internal/base/routine"
	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/index"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// Source provides the files of walks.
type Source struct {
	Open    func(ctx context.Context) (fsys.Tree, error)
	Private func(dir, name string) bool // for an entry of a folder that is not private; nil if nothing is
	Ignored func() []string             // Obsidian's exclusion filters
}

// Walk visits the entries below a folder that a glob matches, several folders at a time. It neither follows nor
// visits symbolic links, so it cannot leave the vault, loop, or visit a note twice; protected and private names are
// skipped. It holds two descriptors per worker, however deep or wide the vault is.
type Walk struct {
	From    Source
	Base    string        // true name of the start folder; "." is the root
	Glob    *glob.Pattern // relative to Base
	Folders bool          // also visit folders
	Tree    fsys.Tree     // nil means the platform's

	Ignore *Filter // further entries to omit; nil if none

	// Visit is called for each entry, concurrently, by workers numbered from 0.
	Visit func(worker int, in fsys.Folder, e Found)
	// Skipped, if set, receives the folders that cannot be read. It is called concurrently.
	Skipped func(path string, err error)

	Workers int // number of workers; 0 means GOMAXPROCS
	buffers []workerBuffers
	seen    bool // the tree contains only visible entries
	Stop    atomic.Bool

	mu    sync.Mutex
	wake  sync.Cond
	todo  []walkTask
	left  int // unfinished tasks, waiting or running
	fault any // the value of a worker's panic
	trace []byte
}

// Found is an entry of the folder Dir.
type Found struct {
	Dir    string // true name; "" is the root
	Name   string
	Folder bool
}

// Path returns the true name of the entry.
func (e Found) Path() string {
	if e.Dir == "" {
		return e.Name
	}
	return e.Dir + "/" + e.Name
}

// walkTask is a folder to read or, if names is set, some of its files to visit: workers share the files of a very
// large folder.
type walkTask struct {
	dir   string
	dirs  []string // folded components below Base; nil if the glob ignores them
	names []string
}

// workerBuffers holds a worker's buffers, reused for each folder.
type workerBuffers struct {
	names []string
	tasks []walkTask
}

// ShareSize is the number of files in one folder that a worker visits before it shares the rest.
const ShareSize = 128

// Run walks until every entry has been visited or ctx ends; then it returns the error of ctx.
func (w *Walk) Run(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tr := w.Tree
	if tr == nil {
		var err error
		if tr, err = w.From.Open(ctx); err != nil {
			return vaulterr.Wrap(err, w.Base, "read the vault's folder")
		}
		defer tr.Close() // it was only read
	}
	w.wake.L = &w.mu // needed before the walk can be stopped
	defer context.AfterFunc(ctx, routine.Guard("walk halt", w.halt))()
	start := w.Base
	if start == "." {
		start = ""
	}
	// Open the start folder first: if it cannot be opened, that is an error.
	first, err := tr.Open(start)
	if err != nil {
		return vaulterr.Wrap(err, w.Base, "read the folder")
	}
	first.Close()

	_, w.seen = tr.(*index.Tree)
	w.buffers = make([]workerBuffers, w.WorkerCount())
	w.push(walkTask{dir: start})
	var done routine.Group
	for worker := range w.WorkerCount() {
		done.Go("walk", func() { w.work(worker, tr) })
	}
	done.Wait()
	if w.fault != nil {
		// Panic on the caller's goroutine, where it can be recovered.
		panic(fmt.Sprintf("%v\n\nin a walk:\n%s", w.fault, w.trace))
	}
	return ctx.Err()
}

// WorkerCount returns the number of goroutines that Run uses.
func (w *Walk) WorkerCount() int {
	if w.Workers == 0 {
		w.Workers = Workers()
	}
	return w.Workers
}

// Workers returns the default number of goroutines of a walk.
func Workers() int { return runtime.GOMAXPROCS(0) }

// halt makes Run return soon.
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

// pop takes the newest task, which keeps the list short (depth first). It waits while running tasks may add more, and
// reports false at the end of the walk.
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
	room := &w.buffers[worker]
	names, tasks := room.names[:0], room.tasks[:0]
	defer func() { room.names, room.tasks = names, tasks }()
	err = in.Entries(func(name string, kind fsys.Kind) bool {
		if kind == fsys.KindOther {
			return !w.Stop.Load()
		}
		e := Found{Dir: t.dir, Name: name, Folder: kind == fsys.KindFolder}
		if !w.seen && !w.Visible(t.dir, name) {
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

// components returns the glob's components of a folder below one with dirs.
func (w *Walk) components(dirs []string, name string) []string {
	if w.Glob.NameOnly() {
		return nil
	}
	return append(dirs[:len(dirs):len(dirs)], pathname.Fold(name))
}

// Visible reports whether walks visit an entry; all walks decide here. Names that are not UTF-8 are hidden because no
// tool argument could contain them.
func (w *Walk) Visible(dir, name string) bool {
	if pathname.Protected(name) || !pathname.IsASCII(name) && !utf8.ValidString(name) {
		return false
	}
	return w.From.Private == nil || !w.From.Private(dir, name)
}

// Notes yields every visible Markdown file of the vault with its size and time, in no particular order. If the walk
// fails or ctx ends, the last pair has the error.
func (s Source) Notes(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		w := &Walk{From: s, Base: ".", Glob: glob.Notes}
		found := make([][]Entry, w.WorkerCount())
		w.Visit = func(worker int, in fsys.Folder, e Found) {
			if st, err := in.Stat(e.Name); err == nil && st.Kind == fsys.KindFile { // neither deleted nor replaced
				found[worker] = append(found[worker], Entry{Path: e.Path(), Size: st.Size, Modified: st.Time()})
			}
		}
		err := w.Run(ctx)
		for _, e := range slices.Concat(found...) {
			if !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// EachName calls visit with every visible file and folder, folder by folder and without their sizes and times, until
// visit returns false, ctx ends or limit entries were visited. It reports whether all entries were visited. It holds
// one folder open at a time, however deep the vault is.
func (s Source) EachName(ctx context.Context, limit int, visit func(name string, folder bool) bool) (complete bool) {
	complete = true
	w := &Walk{From: s, Base: ".", Glob: glob.All, Folders: true, Workers: 1, Skipped: func(string, error) { complete = false }}
	w.Visit = func(_ int, _ fsys.Folder, e Found) {
		if w.Stop.Load() {
			return
		}
		if limit <= 0 || !visit(e.Path(), e.Folder) {
			complete = false
			w.halt()
		}
		limit--
	}
	return w.Run(ctx) == nil && complete
}

// MostNames is the limit for walks over all names of a vault.
const MostNames = 1_000_000
