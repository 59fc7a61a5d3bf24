package fsys

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/routine"
	"chatvault/vault/pathname"
)

// maxFolders limits the cached folders, apart from those in use.
const maxFolders = 64

// Folders caches open folders for work on many files, so that the next is usually one step away from an open one, at
// any depth. When there are too many, those that are not in use are closed. It is safe for concurrent use.
type Folders struct {
	Root  *os.Root
	Enter func(folder, name string, dir *os.Root) error // called before opening a subfolder; an error prevents it. Optional

	mu       sync.Mutex
	open     map[string]*openFolder // by true name
	unsynced map[string]bool        // folders with changed names that are not durable yet
}

// openFolder is an open folder.
type openFolder struct {
	path    string
	dir     *os.Root
	users   int
	dropped bool // removed from the cache
}

// NewFolders returns an empty cache for the folders below root. The caller must call Close.
func NewFolders(root *os.Root) *Folders {
	return &Folders{Root: root, open: make(map[string]*openFolder), unsynced: make(map[string]bool)}
}

// Close closes all open folders.
func (f *Folders) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range f.open {
		f.drop(h)
	}
}

// With calls do with the open folder, which is opened without following links if necessary.
func (f *Folders) With(folder string, do func(dir *os.Root) error) error {
	f.mu.Lock()
	h, err := f.get(folder)
	if err == nil {
		h.users++ // keeps it open
	}
	f.mu.Unlock()
	if err != nil {
		return err
	}
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.unref(h)
	}()
	return do(h.dir)
}

// get returns the open folder.
func (f *Folders) get(folder string) (*openFolder, error) {
	at := folder
	for f.open[at] == nil && at != "." {
		at = at[:max(strings.LastIndexByte(at, '/'), 0)] // path.Dir would read the whole path at each step
		if at == "" {
			at = "."
		}
	}
	h := f.open[at]
	if h == nil {
		dir, err := f.Root.OpenRoot(".")
		if err != nil {
			return nil, err
		}
		h = f.add(".", dir)
	}
	for h.path != folder {
		h.users++
		next, err := f.step(h, folder)
		f.unref(h)
		if err != nil {
			return nil, err
		}
		h = next
	}
	return h, nil
}

// step opens the next folder on the path from h to a folder below it.
func (f *Folders) step(h *openFolder, to string) (*openFolder, error) {
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
	return f.add(to[:from+len(name)], dir), nil
}

// add adds an open folder.
func (f *Folders) add(folder string, dir *os.Root) *openFolder {
	if len(f.open) >= maxFolders {
		for _, o := range f.open {
			if o.users == 0 {
				f.drop(o)
			}
		}
	}
	h := &openFolder{path: folder, dir: dir}
	f.open[folder] = h
	return h
}

func (f *Folders) unref(h *openFolder) {
	if h.users--; h.users == 0 && h.dropped {
		_ = h.dir.Close()
	}
}

// drop removes a folder from the cache and closes it when it is unused.
func (f *Folders) drop(h *openFolder) {
	delete(f.open, h.path)
	if h.dropped = true; h.users == 0 {
		_ = h.dir.Close()
	}
}

// Forget removes everything at and below a path that has changed.
func (f *Folders) Forget(at string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for folder, h := range f.open {
		if pathname.In(folder, at) {
			f.drop(h)
		}
	}
	for folder := range f.unsynced {
		if pathname.In(folder, at) {
			delete(f.unsynced, folder)
		}
	}
}

// Changed records that names in a folder were added or removed, for Flush.
func (f *Folders) Changed(folder string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unsynced[folder] = true
}

// Flush makes the recorded changes durable. Call it after all changes: the first sync usually includes the others.
func (f *Folders) Flush(w atomicfile.Writer) error {
	f.mu.Lock()
	folders := slices.Sorted(maps.Keys(f.unsynced))
	clear(f.unsynced)
	f.mu.Unlock()
	return cmp.Or(InParallel(len(folders), Workers, func(i int) error {
		err := f.With(folders[i], func(dir *os.Root) error { return w.SyncDir(dir, ".") })
		if Vanished(err) {
			return nil
		}
		return err
	})...)
}

// OpenInner opens the folder name in parent, which must be a folder and not a link.
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

// Workers is the number of goroutines for work in folders, which mostly wait for the disk.
const Workers = 64

// InParallel calls do with 0 to n-1 on at most workers goroutines and returns the errors by index.
func InParallel(n, workers int, do func(i int) error) []error {
	errs := make([]error, n)
	var next atomic.Int64
	var done routine.Group
	for range min(n, workers) {
		done.Go("folders", func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = do(i)
			}
		})
	}
	done.Wait()
	return errs
}
