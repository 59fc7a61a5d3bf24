// Package walk visits files and folders of a vault concurrently: those that are visible, match a glob and are not
// excluded by Obsidian. It also reads their texts.
package walk

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"chatvault/internal/base/routine"
	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/index"
	"chatvault/vault/note"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// Source provides the files of walks.
type Source struct {
	Open    func(ctx context.Context) (fsys.Tree, error)
	Private func(dir, name string) bool // for an entry of a folder that is not private; nil if nothing is
	Ignored func() []string             // Obsidian's exclusion filters
	Form    note.Form
}

// Walk visits the entries below a folder that a glob matches, several folders at a time. It neither follows nor
// visits symbolic links, so it cannot leave the vault, loop, or visit a note twice; protected and private names are
// skipped. It holds two descriptors per worker, however deep or wide the vault is.
type Walk struct {
	From    Source
	Base    string        // true name of the start folder; "." is the root
	Glob    *glob.Pattern // relative to Base
	Folders bool          // also visit folders
	Ignore  *Filter       // further entries to omit; nil if none

	// Visit is called for each entry, concurrently, by workers numbered from 0.
	Visit func(worker int, in fsys.Folder, e Found)
	// Skipped, if set, receives the folders that cannot be read. It is called concurrently.
	Skipped func(path string, err error)

	Workers int         // number of workers; 0 means GOMAXPROCS
	Stop    atomic.Bool // makes Run return soon

	tree  fsys.Tree
	seen  bool       // the tree contains only visible entries
	names [][]string // by worker: the buffer of a folder's names
	free  chan int   // the workers without a task
	busy  routine.Group
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

// ShareSize is the number of files in one folder that a worker visits before it shares the rest.
const ShareSize = 128

// Run walks until every entry has been visited or ctx ends; then it returns the error of ctx.
func (w *Walk) Run(ctx context.Context) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.tree, err = w.From.Open(ctx); err != nil {
		return vaulterr.Wrap(err, w.Base, "read the vault's folder")
	}
	defer w.tree.Close() // it was only read
	defer context.AfterFunc(ctx, routine.Guard("walk halt", func() { w.Stop.Store(true) }))()
	start := w.Base
	if start == "." {
		start = ""
	}
	// Open the start folder first: if it cannot be opened, that is an error.
	first, err := w.tree.Open(start)
	if err != nil {
		return vaulterr.Wrap(err, w.Base, "read the folder")
	}
	first.Close()

	_, w.seen = w.tree.(*index.Tree)
	w.names, w.free = make([][]string, w.WorkerCount()), make(chan int, w.WorkerCount())
	for worker := range w.WorkerCount() {
		w.free <- worker
	}
	w.share(walkTask{dir: start})
	w.busy.Wait()
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

// share gives a task to a free worker. It returns false if there is none.
func (w *Walk) share(t walkTask) bool {
	select {
	case worker := <-w.free:
		w.busy.Go("walk", func() {
			whole := false
			defer func() {
				if !whole { // a panic, which Run passes on
					w.Stop.Store(true)
				}
			}()
			w.work(worker, t)
			whole = true
			w.free <- worker
		})
		return true
	default:
		return false
	}
}

// work does a task and those that it leads to, the newest first, which keeps the list short (depth first). The oldest
// go to free workers.
func (w *Walk) work(worker int, t walkTask) {
	for todo := []walkTask{t}; len(todo) > 0 && !w.Stop.Load(); {
		todo = w.shareOldest(todo, 1)
		last := len(todo) - 1
		t = todo[last]
		var err error
		if todo, err = w.do(worker, t, todo[:last]); err != nil && !fsys.Vanished(err) && w.Skipped != nil {
			w.Skipped(t.dir, err)
		}
	}
}

// shareOldest shares tasks but keeps some.
func (w *Walk) shareOldest(todo []walkTask, keep int) []walkTask {
	for len(todo) > keep && w.share(todo[0]) {
		todo = todo[1:]
	}
	return todo
}

// do does a task and adds those that it leads to.
func (w *Walk) do(worker int, t walkTask, todo []walkTask) ([]walkTask, error) {
	in, err := w.tree.Open(t.dir)
	if err != nil {
		return todo, err
	}
	defer in.Close()
	if t.names != nil {
		w.visitAll(worker, in, t.dir, t.names)
		return todo, nil
	}
	names := w.names[worker][:0]
	err = in.Entries(func(name string, kind fsys.Kind) bool {
		e := Found{Dir: t.dir, Name: name, Folder: kind == fsys.KindFolder}
		switch {
		case kind == fsys.KindOther, !w.seen && !w.Visible(t.dir, name):
		case e.Folder:
			dirs := w.components(t.dirs, name)
			enter, listed := w.Glob.Below(dirs), w.Folders && w.Glob.Match(t.dirs, name, true)
			if w.Ignore != nil && (enter || listed) && w.Ignore.omits(e.Path(), true) {
				break
			}
			if enter {
				todo = append(todo, walkTask{dir: e.Path(), dirs: dirs})
			}
			if listed {
				w.Visit(worker, in, e)
			}
		case w.Glob.Match(t.dirs, name, false) && (w.Ignore == nil || !w.Ignore.omits(e.Path(), false)):
			if names = append(names, name); len(names) >= 2*ShareSize {
				todo = w.shareOldest(append(todo, walkTask{dir: t.dir, names: slices.Clone(names[:ShareSize])}), 0)
				names = append(names[:0], names[ShareSize:]...)
			}
		}
		return !w.Stop.Load()
	})
	todo = w.shareOldest(todo, 0)
	w.visitAll(worker, in, t.dir, names)
	w.names[worker] = names
	return todo, err
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
func (s Source) Notes(ctx context.Context) iter.Seq2[Entry, error] { return s.Files(ctx, glob.Notes) }

// Files is Notes for the files that a glob matches.
func (s Source) Files(ctx context.Context, g *glob.Pattern) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		w := &Walk{From: s, Base: ".", Glob: g}
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

// EachName calls visit with every visible file and folder, one at a time in no particular order, until it returns false,
// ctx ends or limit entries were visited. It reports whether all entries were visited.
func (s Source) EachName(ctx context.Context, limit int, visit func(name string, folder bool) bool) (complete bool) {
	var mu sync.Mutex
	complete = true
	w := &Walk{From: s, Base: ".", Glob: glob.All, Folders: true}
	w.Skipped = func(string, error) {
		mu.Lock()
		defer mu.Unlock()
		complete = false
	}
	w.Visit = func(_ int, _ fsys.Folder, e Found) {
		mu.Lock()
		defer mu.Unlock()
		if w.Stop.Load() {
			return
		}
		if limit--; limit < 0 || !visit(e.Path(), e.Folder) {
			complete = false
			w.Stop.Store(true)
		}
	}
	return w.Run(ctx) == nil && complete
}

// MostNames is the limit for walks over all names of a vault.
const MostNames = 1_000_000
