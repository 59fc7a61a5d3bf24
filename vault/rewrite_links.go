package vault

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"

	"chatvault/internal/atomicfile"
	"chatvault/internal/routine"
	"chatvault/vault/failure"
	"chatvault/vault/fsys"
)

// rewriteLinks replaces the texts of notes.
func (v *Vault) rewriteLinks(ctx context.Context, rewrites []Rewrite) error {
	w := newRewriting(v, rewrites)
	defer w.close()
	if err := w.stage(ctx); err != nil {
		return err
	}
	return w.place(ctx)
}

// rewriting replaces the texts of notes.
type rewriting struct {
	v        *Vault
	in       *fsys.Folders
	rewrites []Rewrite // by path
	paths    []string  // the paths of rewrites
	staged   []*atomicfile.Staged
	old      []*os.File           // the replaced notes, kept open
	places   []string             // one path in each of their folders
	together *atomicfile.Together // syncs all of them at once; nil if each is synced separately
}

func newRewriting(v *Vault, rewrites []Rewrite) *rewriting {
	w := &rewriting{v: v, in: fsys.NewFolders(v.root), rewrites: rewrites, staged: make([]*atomicfile.Staged, len(rewrites)), old: make([]*os.File, min(len(rewrites), maxOpen))}
	seen := make(map[string]bool)
	for _, r := range rewrites {
		w.paths = append(w.paths, r.Path)
		if folder := path.Dir(r.Path); !seen[folder] {
			seen[folder] = true
			w.places = append(w.places, r.Path)
		}
	}
	if len(rewrites) >= manyRewrites {
		w.together = atomicfile.FlushTogether(v.root)
	}
	return w
}

// manyRewrites is the number of notes from which they are synced together, if possible.
const manyRewrites = 32

// stagedAtOnce is the number of new texts that are synced after all of them are written, since the first sync usually
// includes the others. The next ones are written in the meantime.
const stagedAtOnce = 128

// stage writes every new text to disk.
func (w *rewriting) stage(ctx context.Context) error {
	if w.together != nil {
		if err := w.write(ctx, 0, len(w.paths)); err != nil {
			return err
		}
		if w.together.Flush() == nil {
			return nil
		}
		w.discard(ctx) // the failure does not name a file; separate syncs will
		w.together.Close()
		w.together = nil
	}
	flushing := make(chan error, 1)
	flushing <- nil // none in progress
	for from := 0; from < len(w.paths); from += stagedAtOnce {
		to := min(from+stagedAtOnce, len(w.paths))
		err := w.write(ctx, from, to)
		if before := <-flushing; before != nil {
			return before
		}
		if err != nil {
			return err
		}
		routine.Go("move flush", func() {
			flushing <- cmp.Or(fsys.InParallel(to-from, fsys.Workers, func(i int) error {
				return linkError(w.staged[from+i].Flush(), w.paths[from+i])
			})...)
		})
	}
	return <-flushing
}

// write writes some of the new texts to temporary files.
func (w *rewriting) write(ctx context.Context, from, to int) error {
	return w.in.Each(ctx, w.paths[from:to], func(dir *os.Root, name string, i int) (err error) {
		i += from
		w.staged[i], err = w.v.files.Stage(dir, name, w.rewrites[i].After, w.together != nil)
		return linkError(err, w.paths[i])
	})
}

// place renames every new text to its note, if the note still has the content that it was made from.
func (w *rewriting) place(ctx context.Context) error {
	err := w.in.Each(ctx, w.paths, func(dir *os.Root, name string, i int) error {
		r := &w.rewrites[i]
		f, err := openUnchanged(dir, name, r.Path, r.Before)
		if err != nil {
			return err
		}
		if i < len(w.old) && runtime.GOOS != "windows" { // an open file cannot be replaced on Windows
			w.old[i] = f
		} else {
			_ = f.Close() // it was only read
		}
		return linkError(w.staged[i].Place(dir), r.Path)
	})
	var freeing routine.Group
	freeing.Go("move free", w.closeOld)
	defer freeing.Wait()
	if err == nil {
		err = w.flushFolders(ctx)
	}
	return err
}

// maxOpen limits the notes that are kept open: some systems limit a process to 512 files.
const maxOpen = 256

// closeOld closes the replaced notes. The disk frees their space only then, which can take long, so it happens while the
// folders are synced.
func (w *rewriting) closeOld() {
	_ = fsys.InParallel(len(w.old), fsys.Workers, func(i int) error { return w.old[i].Close() }) // they were only read
}

// flushFolders syncs the folders after all renames: the first sync usually includes the others.
func (w *rewriting) flushFolders(ctx context.Context) error {
	if w.together != nil && w.together.Flush() == nil {
		for _, at := range w.places {
			if err := w.v.files.SyncedDir(path.Dir(at)); err != nil {
				return linkError(err, at)
			}
		}
		return nil
	}
	return w.in.Each(ctx, w.places, func(dir *os.Root, _ string, i int) error {
		return linkError(w.v.files.SyncDir(dir, "."), w.places[i])
	})
}

// openUnchanged opens a note that has the expected content. The error is KindChanged if it has not.
func openUnchanged(dir *os.Root, name, at string, text []byte) (f *os.File, err error) {
	changed := failure.New(failure.KindChanged, at, "%s was changed by another program while its links were being updated. Nothing was moved; try again.", failure.Quote(at))
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, changed
	}
	p := &place{dir: dir, name: name, path: at, info: info}
	f, err = p.open()
	switch {
	case err == nil:
	case fsys.Vanished(err) || errors.Is(err, fsys.ErrSwapped):
		return nil, changed
	default: // for example too many open files
		return nil, linkError(err, at)
	}
	now, err := fsys.ReadBounded(context.Background(), f, p.info.Size(), int64(len(text)))
	switch {
	case err == nil && bytes.Equal(now, text):
		return f, nil
	case err == nil || errors.Is(err, failure.KindTooLarge):
		err = changed
	default:
		err = linkError(err, at)
	}
	_ = f.Close()
	return nil, err
}

// linkError returns the error for a note whose links could not be updated.
func linkError(err error, at string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return failure.New(failure.KindChanged, at, "%s was moved or deleted by another program while its links were being updated. Nothing was moved; try again.", failure.Quote(at))
	}
	err = failure.Wrap(err, at, "update links in")
	if e, ok := errors.AsType[*failure.Error](err); ok && !strings.Contains(e.Text, "Nothing was") {
		e.Text += " Nothing was moved."
	}
	return err
}

// discard removes the temporary files of the new texts.
func (w *rewriting) discard(ctx context.Context) {
	var paths []string
	var staged []*atomicfile.Staged
	for i, s := range w.staged {
		if s != nil && !s.Placed() {
			paths, staged = append(paths, w.paths[i]), append(staged, s)
		}
	}
	_ = w.in.Each(ctx, paths, func(dir *os.Root, _ string, i int) error {
		staged[i].Close(dir)
		return nil
	})
	clear(w.staged)
}

// close removes the temporary files and releases resources.
func (w *rewriting) close() {
	w.discard(context.Background())
	w.together.Close()
	w.in.Close()
}
