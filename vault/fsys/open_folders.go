package fsys

import (
	"cmp"
	"container/list"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"chatvault/internal/atomicfile"
	"chatvault/internal/routine"
	"chatvault/vault/pathname"
)

// maxFolders bounds the folders that are kept open, but for those that are in use. As many more are of
// those whose depth is a multiple of postEach: from them the way back up a deep tree is short.
const (
	maxFolders = 32
	postEach   = 64
)

// Folders keeps the folders open in which many files are worked on, for as long as that takes: those
// that were used last, so that the next is mostly one step from one of them, however deep it is. It is
// safe for concurrent use.
type Folders struct {
	Root  *os.Root
	Enter func(folder, name string, dir *os.Root) error // nil: everywhere; its error says why not into one of a folder

	mu     sync.Mutex
	open   map[string]*heldFolder // by true path
	recent [2]list.List           // of them, the one that was used last in front: the posts apart
	unsafe map[string]bool        // whose names do not last yet
}

// heldFolder is a folder that is open.
type heldFolder struct {
	path  string
	dir   *os.Root
	users int
	stale bool // nobody gets it any more
	in    *list.List
	place *list.Element
}

// NewFolders keeps folders below root open; Close ends that.
func NewFolders(root *os.Root) *Folders {
	return &Folders{Root: root, open: make(map[string]*heldFolder), unsafe: make(map[string]bool)}
}

// Close closes every folder that is open.
func (f *Folders) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range f.open {
		f.drop(h)
	}
}

// get opens a folder, through no link, or returns it where it is open already. done lets go of it.
func (f *Folders) get(folder string) (dir *os.Root, done func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.nearest(folder)
	if h == nil {
		if dir, err = f.Root.OpenRoot("."); err != nil {
			return nil, nil, err
		}
		h = f.hold(".", dir)
	}
	h.users++ // so that it stays open meanwhile
	for h.path != folder {
		next, err := f.step(h, folder)
		f.leave(h)
		if err != nil {
			return nil, nil, err
		}
		h = next
		h.users++
	}
	h.in.MoveToFront(h.place)
	return h.dir, func() { f.release(h) }, nil
}

// nearest is the folder that is open and nearest above another one, or that itself; nil: none is.
func (f *Folders) nearest(folder string) *heldFolder {
	if h := f.open[folder]; h != nil {
		return h
	}
	found := f.open["."]
	for at, h := range f.open {
		if at != "." && pathname.In(folder, at) && (found == nil || found.path == "." || len(at) > len(found.path)) {
			found = h
		}
	}
	return found
}

// step opens the next folder on the way from one that is open to one that is in it.
func (f *Folders) step(h *heldFolder, to string) (*heldFolder, error) {
	from := 0
	if h.path != "." {
		from = len(h.path) + 1
	}
	name, _, _ := strings.Cut(to[from:], "/")
	if f.Enter != nil {
		if err := f.Enter(h.path, name, h.dir); err != nil {
			return nil, err
		}
	}
	dir, err := OpenInner(h.dir, name)
	if err != nil {
		return nil, err
	}
	return f.hold(to[:from+len(name)], dir), nil
}

// Own is get for whoever closes the folder itself.
func (f *Folders) Own(folder string) (*os.Root, error) {
	dir, done, err := f.get(folder)
	if err != nil {
		return nil, err
	}
	defer done()
	return dir.OpenRoot(".")
}

// hold keeps a folder open, and lets go of the one that was used the longest time ago.
func (f *Folders) hold(folder string, dir *os.Root) *heldFolder {
	h := &heldFolder{path: folder, dir: dir, in: &f.recent[0]}
	if (strings.Count(folder, "/")+1)%postEach == 0 {
		h.in = &f.recent[1]
	}
	h.place = h.in.PushFront(h)
	f.open[folder] = h
	for e := h.in.Back(); h.in.Len() > maxFolders && e != h.place; e = e.Prev() {
		if old := e.Value.(*heldFolder); old.users == 0 {
			f.drop(old)
			break
		}
	}
	return h
}

func (f *Folders) release(h *heldFolder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leave(h)
}

func (f *Folders) leave(h *heldFolder) {
	if h.users--; h.users == 0 && h.stale {
		_ = h.dir.Close()
	}
}

// drop lets go of an open folder.
func (f *Folders) drop(h *heldFolder) {
	delete(f.open, h.path)
	h.in.Remove(h.place)
	if h.stale = true; h.users == 0 {
		_ = h.dir.Close()
	}
}

// Forget says that what is called so, and all that is in it, is not what it was.
func (f *Folders) Forget(at string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for folder, h := range f.open {
		if pathname.In(folder, at) {
			f.drop(h)
		}
	}
	for folder := range f.unsafe {
		if pathname.In(folder, at) {
			delete(f.unsafe, folder)
		}
	}
}

// Changed says that names in a folder came or went, which flush makes last.
func (f *Folders) Changed(folder string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unsafe[folder] = true
}

// Flush makes last what changed. It comes when all is done: the first flush mostly writes the others with
// it.
func (f *Folders) Flush(w atomicfile.Writer) error {
	f.mu.Lock()
	folders := slices.Sorted(maps.Keys(f.unsafe))
	clear(f.unsafe)
	f.mu.Unlock()
	return cmp.Or(InParallel(len(folders), Workers, func(i int) error {
		dir, done, err := f.get(folders[i])
		if Vanished(err) {
			return nil
		}
		if err != nil {
			return err
		}
		defer done()
		return w.SyncDir(dir, ".")
	})...)
}

// OpenInner opens the folder name of parent, which must be one and no link.
func OpenInner(parent *os.Root, name string) (*os.Root, error) {
	info, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
	case !info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	return OpenFolder(parent, name, info)
}

// Workers is how many goroutines work in folders: most of it is waiting for the disk.
const Workers = 64

// InParallel calls do for 0 to n-1, at most workers at a time, and returns the errors by number. A
// panic is an error.
func InParallel(n, workers int, do func(i int) error) []error {
	errs := make([]error, n)
	one := func(i int) {
		defer func() {
			if fault := recover(); fault != nil {
				errs[i] = fmt.Errorf("internal error: %v", fault)
			}
		}()
		errs[i] = do(i)
	}
	var next atomic.Int64
	var done routine.Group
	for range min(n, workers) {
		done.Go("folders", func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				one(i)
			}
		})
	}
	done.Wait()
	return errs
}

// Each calls do for some paths, from the first to the last but one, with the open folder and the
// name there, several at the same time. When one fails none begins any more; the error is the
// first by place.
func (f *Folders) Each(ctx context.Context, paths []string, do func(dir *os.Root, name string, i int) error) error {
	var failed atomic.Bool
	return cmp.Or(InParallel(len(paths), Workers, func(i int) error {
		if failed.Load() {
			return nil
		}
		dir, done, err := f.get(path.Dir(paths[i]))
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			defer done()
			err = do(dir, path.Base(paths[i]), i)
		}
		if err != nil {
			failed.Store(true)
		}
		return err
	})...)
}
