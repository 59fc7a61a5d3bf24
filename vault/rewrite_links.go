package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/fsys"
	"chatvault/vault/lookup"
	"chatvault/vault/vaulterr"
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
	places   []string             // one path in each of their folders
	together *atomicfile.Together // syncs all of them at once; nil if each is synced separately
}

func newRewriting(v *Vault, rewrites []Rewrite) *rewriting {
	w := &rewriting{v: v, in: fsys.NewFolders(v.finder.Root), rewrites: rewrites, staged: make([]*atomicfile.Staged, len(rewrites))}
	seen := make(map[string]bool)
	for _, r := range rewrites {
		w.paths = append(w.paths, r.Path)
		if folder := path.Dir(r.Path); !seen[folder] {
			seen[folder] = true
			w.places = append(w.places, r.Path)
		}
	}
	if len(rewrites) >= manyRewrites {
		w.together = atomicfile.FlushTogether(v.finder.Root)
	}
	return w
}

// manyRewrites is the number of notes from which they are synced together, if possible.
const manyRewrites = 32

// stage writes every new text to disk.
func (w *rewriting) stage(ctx context.Context) error {
	err := w.in.Each(ctx, w.paths, func(dir *os.Root, name string, i int) (err error) {
		w.staged[i], err = w.v.files.Stage(dir, name, w.rewrites[i].After, w.together == nil)
		return linkError(err, w.paths[i])
	})
	if err != nil || w.together == nil || w.together.Flush() == nil {
		return err
	}
	w.discard(ctx) // the failure does not name a file; separate syncs will
	w.together.Close()
	w.together = nil
	return w.stage(ctx)
}

// place renames every new text to its note, if the note still has the content that it was made from, and syncs the
// folders.
func (w *rewriting) place(ctx context.Context) error {
	err := w.in.Each(ctx, w.paths, func(dir *os.Root, name string, i int) error {
		r := &w.rewrites[i]
		now, ok, err := (&lookup.Place{Dir: dir, Name: name, Path: r.Path}).CurrentHash()
		if err != nil && !fsys.Vanished(err) && !errors.Is(err, fsys.ErrSwapped) {
			return linkError(err, r.Path)
		}
		if !ok || now != Hash(r.Before) {
			return vaulterr.New(vaulterr.KindChanged, r.Path, "%s was changed by another program while its links were being updated. Nothing was moved; try again.", vaulterr.Quote(r.Path))
		}
		return linkError(w.staged[i].Place(dir), r.Path)
	})
	if err != nil {
		return err
	}
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

// linkError returns the error for a note whose links could not be updated.
func linkError(err error, at string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return vaulterr.New(vaulterr.KindChanged, at, "%s was moved or deleted by another program while its links were being updated. Nothing was moved; try again.", vaulterr.Quote(at))
	}
	err = vaulterr.Wrap(err, at, "update links in")
	if e, ok := errors.AsType[*vaulterr.Error](err); ok && !strings.Contains(e.Text, "Nothing was") {
		e.Text = strings.TrimSuffix(e.Text, ".") + ". Nothing was moved."
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
