package vault

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"syscall"

	"chatvault/internal/routine"
)

// maxFolders bounds the folders that are kept open.
const maxFolders = 512

// folders keeps the folders open in which many files are worked on, for as long as that takes. It
// is safe for concurrent use.
type folders struct {
	v    *Vault
	mu   sync.Mutex
	open map[string]*os.Root // by true path
}

func newFolders(v *Vault) *folders { return &folders{v: v, open: make(map[string]*os.Root)} }

func (f *folders) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, dir := range f.open {
		_ = dir.Close()
	}
	clear(f.open)
}

// get opens a folder, through no link, or returns it where it is open already. done lets go of it.
func (f *folders) get(folder string) (dir *os.Root, done func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.locked(folder)
}

func (f *folders) locked(folder string) (dir *os.Root, done func(), err error) {
	if dir, ok := f.open[folder]; ok {
		return dir, func() {}, nil
	}
	if folder == "." {
		dir, err = f.v.root.OpenRoot(".")
	} else {
		var parent *os.Root
		if parent, done, err = f.locked(path.Dir(folder)); err != nil {
			return nil, nil, err
		}
		defer done()
		dir, err = openInner(parent, path.Base(folder))
	}
	switch {
	case err != nil:
		return nil, nil, err
	case len(f.open) >= maxFolders:
		return dir, func() { _ = dir.Close() }, nil
	}
	f.open[folder] = dir
	return dir, func() {}, nil
}

// rename says that the folders of some files are called otherwise now.
func (f *folders) rename(before, after []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := make(map[string]string)
	for i := range before {
		now[path.Dir(before[i])] = path.Dir(after[i])
	}
	open := make(map[string]*os.Root, len(f.open))
	for folder, dir := range f.open {
		to, ok := now[folder]
		if !ok {
			_ = dir.Close() // nobody asks for it by a name that is known to be right
			continue
		}
		open[to] = dir
	}
	f.open = open
}

// openInner opens the folder name of parent, which must be one and no link.
func openInner(parent *os.Root, name string) (*os.Root, error) {
	info, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	return openFolder(parent, name, info)
}

// folderWorkers is how many goroutines work in folders: most of it is waiting for the disk.
const folderWorkers = 64

// each calls do for some paths, from the first to the last but one, with the open folder and the
// name there, several at the same time. When one fails none begins any more; the error is the
// first by place.
func (f *folders) each(ctx context.Context, paths []string, do func(dir *os.Root, name string, i int) error) error {
	var failed atomic.Bool
	return inParallel(len(paths), folderWorkers, func(i int) error {
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
	})
}

// inParallel calls do for 0 to n-1, at most workers at a time, and returns the first error by
// number. A panic is an error.
func inParallel(n, workers int, do func(i int) error) error {
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
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
