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

// pendingMove is a move that is about to happen.
type pendingMove struct {
	change      Change
	folder      bool // what moves is one
	destination string
	// rename does it, and returns what takes it back. Nothing is flushed.
	rename func() (undo func() error, err error)
	// flush makes it last.
	flush func() error
	close func()
}

// movePlan is a move with the links that it puts right, all or nothing: every new text is on the
// disk, under a name of its own, before the first takes its place; what moves is moved last; where
// a step fails, all those before it are taken back. Should the program end in between, the
// journal tells what was there.
func (v *Vault) movePlan(ctx context.Context, m *pendingMove, mode LinkMode) (*plan, error) {
	if err := v.planLinks(ctx, &m.change, m.folder, mode); err != nil {
		return nil, err
	}
	return &plan{
		change: m.change,
		close:  m.close,
		do:     func() (Change, error) { return m.change, v.move(m) },
	}, nil
}

func (v *Vault) move(m *pendingMove) error {
	ctx := context.Background() // it has begun: it ends whole or fails
	w := newRewriting(v, m.change.Rewrites)
	defer w.close()
	err := w.stage(ctx)
	if err == nil {
		err = w.place(ctx)
	}
	if err != nil {
		return notTakenBack(err, w.revert(ctx))
	}
	undo, err := m.rename()
	if err != nil {
		return notTakenBack(moveError(err, m.destination), w.revert(ctx))
	}
	if err := m.flush(); err != nil {
		return notTakenBack(moveError(err, m.destination), errors.Join(undo(), w.revert(ctx)))
	}
	return nil
}

// notTakenBack is the error of a move that failed; fault is what went wrong as it was taken back.
func notTakenBack(err, fault error) error {
	if fault == nil {
		return err
	}
	return &failure.Error{Err: err, Text: plainText(err) + " Not everything done until then could be undone at once: " + failure.Plain(fault).Error() + "."}
}

// rewriting puts the new texts of notes in their places.
type rewriting struct {
	v        *Vault
	in       *fsys.Folders
	rewrites []Rewrite // by path
	paths    []string  // theirs
	staged   []*atomicfile.Staged
	old      []*os.File           // the notes as they were, which are kept open
	places   []string             // a path in each folder of theirs
	together *atomicfile.Together // flushes all of them at once; nil: each by itself
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

// manyRewrites is from how many notes on all are flushed together, if they can be.
const manyRewrites = 32

// stagedAtOnce is how many new texts are flushed one by one when all of them are written: the first
// flush mostly writes the others with it. Meanwhile the next are written.
const stagedAtOnce = 128

// stage puts every new text on the disk.
func (w *rewriting) stage(ctx context.Context) error {
	if w.together != nil {
		if err := w.write(ctx, 0, len(w.paths)); err != nil {
			return err
		}
		if w.together.Flush() == nil {
			return nil
		}
		w.discard(ctx) // nobody says which of them failed: each tells by itself
		w.together.Close()
		w.together = nil
	}
	flushing := make(chan error, 1)
	flushing <- nil // nothing is under way
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

// write writes some of the new texts beside the old.
func (w *rewriting) write(ctx context.Context, from, to int) error {
	return w.in.Each(ctx, w.paths[from:to], func(dir *os.Root, name string, i int) (err error) {
		i += from
		w.staged[i], err = w.v.files.Stage(dir, name, w.rewrites[i].After, w.together != nil)
		return linkError(err, w.paths[i])
	})
}

// place lets every new text take its place, where what is there is still what it was made from.
func (w *rewriting) place(ctx context.Context) error {
	err := w.in.Each(ctx, w.paths, func(dir *os.Root, name string, i int) error {
		r := &w.rewrites[i]
		f, err := holds(dir, name, r.Path, r.Before)
		if err != nil {
			return err
		}
		if i < len(w.old) && runtime.GOOS != "windows" { // there, it could not be replaced
			w.old[i] = f
		} else {
			_ = f.Close() // it was only read
		}
		return linkError(w.staged[i].Place(dir), r.Path)
	})
	var freeing routine.Group
	freeing.Go("move free", w.free)
	defer freeing.Wait()
	if err == nil {
		err = w.flushFolders(ctx)
	}
	return err
}

// maxOpen bounds how many notes are kept open: some systems allow a process no more than 512 files.
const maxOpen = 256

// free lets go of the notes as they were. The disk gets their room back only now: where that takes
// long, it does while the folders are flushed.
func (w *rewriting) free() {
	_ = fsys.InParallel(len(w.old), fsys.Workers, func(i int) error { return w.old[i].Close() }) // they were only read
}

// flushFolders makes last which text has which place. It comes when all have theirs: the first
// flush mostly writes the others with it.
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

// holds opens a note that is what it should be: it was changed by somebody else where not.
func holds(dir *os.Root, name, at string, text []byte) (f *os.File, err error) {
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
	default: // as where too many files are open
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

// linkError is the error of a note whose links could not be put right.
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

// revert writes the old texts again where the new ones took their places, as many as it can: not
// where somebody changed a note since.
func (w *rewriting) revert(ctx context.Context) error {
	faults := make([]error, len(w.rewrites))
	for i, s := range w.staged {
		if s != nil && s.Placed() {
			faults[i] = failure.New(failure.KindOther, w.paths[i], "the folder of %s cannot be opened", failure.Quote(w.paths[i]))
		}
	}
	_ = w.in.Each(ctx, w.paths, func(dir *os.Root, name string, i int) error {
		if faults[i] == nil {
			return nil
		}
		r := &w.rewrites[i]
		f, err := holds(dir, name, r.Path, r.After)
		if err == nil {
			_ = f.Close()
			err = w.v.files.Replace(dir, name, r.Before, atomicfile.Options{Modified: r.Modified})
		}
		faults[i] = err
		return nil
	})
	return errors.Join(faults...)
}

// discard removes the new texts that did not take their places.
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

// close removes what is left of it but the texts in their places.
func (w *rewriting) close() {
	w.discard(context.Background())
	w.together.Close()
	w.in.Close()
}
