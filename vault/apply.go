package vault

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
	"chatvault/vault/vaulterr"
)

// apply makes a change that has not been made: it creates folders, writes and removes files, renames what moves, and
// removes folders if they are empty. Changes by tools, undo, redo, and putting back a change that failed or was cut off
// all end here. content returns a new content by its hash.
//
// All new texts are on disk before the first one takes its place, and the rename comes last. A file that does not have
// its old content is left unchanged, and the error is KindChanged.
func (v *workTree) apply(c *journal.Change, content func(print string) ([]byte, error)) error {
	for _, at := range createdFolders(c) {
		if err := v.makeFolder(at, fs.FileMode(c.Modes[at])); err != nil {
			return err
		}
	}
	if c.Op == "move" { // into folders that are there
		if err := v.in.Flush(v.files); err != nil {
			return changeError(err, c.NewPath, "write")
		}
	}
	err := v.changeFiles(c, content)
	if err != nil && !v.tolerable(err) {
		return err
	}
	if c.Op == "move" {
		err = cmp.Or(err, changeError(v.rename(c.Path, c.NewPath), c.NewPath, "move to"))
	}
	for _, gone := range slices.Backward(c.Gone) {
		v.removeEmpty(gone.Path)
	}
	return cmp.Or(err, changeError(v.in.Flush(v.files), c.Path, "write"))
}

// tolerable reports whether other files are changed in spite of an error.
func (v *workTree) tolerable(err error) bool { return v.recovering && isObstacle(err) }

// changeFiles gives the files of a change their new contents.
func (v *workTree) changeFiles(c *journal.Change, content func(print string) ([]byte, error)) error {
	w := &writing{workTree: v, content: content, verb: "write"}
	if c.Op == "move" {
		w.verb = "update links in"
	}
	for i := range c.Files {
		if f := &c.Files[i]; f.Before != f.After {
			w.todo = append(w.todo, f)
		}
	}
	if len(w.todo) == 0 {
		return nil
	}
	w.staged = make([]*atomicfile.Staged, len(w.todo))
	defer w.close()
	err := w.each(w.stage)
	if err != nil && !v.tolerable(err) {
		return err
	}
	err = cmp.Or(err, w.each(w.place))
	return cmp.Or(err, changeError(v.in.Flush(v.files), c.Path, w.verb))
}

// writing changes several files.
type writing struct {
	*workTree
	todo    []*journal.File
	content func(print string) ([]byte, error)
	verb    string               // for errors
	staged  []*atomicfile.Staged // the new texts; nil for a file without one
}

// each calls do concurrently with the open folder, the name in it and the index of each file. It returns an error that
// is not tolerable if there is one.
func (w *writing) each(do func(dir *os.Root, name string, i int) error) error {
	var failed atomic.Bool // then the other files are left alone, except in a recovery
	one := func(i int) error {
		if failed.Load() {
			return nil
		}
		at := w.todo[i].Path
		err := w.inHolder(at, func(dir *os.Root, name string) error { return do(dir, name, i) })
		if errors.Is(err, fs.ErrExist) || errors.Is(err, fsys.ErrSwapped) {
			err = errChangedNow(at)
		}
		if err != nil && !w.recovering {
			failed.Store(true)
		}
		return changeError(err, at, w.verb)
	}
	errs := fsys.InParallel(len(w.todo), fsys.Workers, one)
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil && !w.tolerable(err) }); i >= 0 {
		return errs[i]
	}
	return cmp.Or(errs...)
}

// stage writes the new text of a file to disk.
func (w *writing) stage(dir *os.Root, name string, i int) error {
	f := w.todo[i]
	if f.After == "" || isLink(f.After) {
		return nil
	}
	data, err := w.content(f.After)
	if err != nil {
		return err
	}
	o := atomicfile.Options{Perm: newFileMode, Exclusive: f.Before == "", Modified: f.NewModified}
	if f.NewMode != 0 {
		o.Perm = fs.FileMode(f.NewMode) | 0o200
	}
	w.staged[i], err = w.files.Stage(dir, name, data, o)
	return err
}

// newFileMode is the mode of a new note, before the umask.
const newFileMode = 0o666

// place puts the new text of a file in its place, or removes the file, if it still has its old content.
func (w *writing) place(dir *os.Root, name string, i int) error {
	f := w.todo[i]
	if s, err := stateIn(dir, name, hashIt); err != nil || !s.is(f.Before) {
		return cmp.Or(err, errChangedNow(f.Path))
	}
	var err error
	switch {
	case f.After == "":
		return w.files.Remove(dir, name)
	case isLink(f.After):
		err = dir.Symlink(strings.TrimPrefix(f.After, linkPrint), name)
	case w.staged[i] != nil: // otherwise its error is known
		err = w.staged[i].Place(dir)
		if err == nil && f.Before == "" && f.NewMode != 0 {
			_ = dir.Chmod(name, fs.FileMode(f.NewMode)) // independent of the umask; some file systems have no modes
		}
	}
	w.in.Changed(path.Dir(f.Path))
	return err
}

// close removes the temporary files and releases resources.
func (w *writing) close() {
	for i, s := range w.staged {
		if s != nil && !s.Placed() {
			_ = w.inHolder(w.todo[i].Path, func(dir *os.Root, _ string) error { s.Close(dir); return nil })
		}
	}
}

// errChangedNow returns the error for a file modified by another program during the change.
func errChangedNow(at string) error {
	return vaulterr.New(vaulterr.KindChanged, at, "%s was changed by another program just now. Nothing was changed; try again.", vaulterr.Quote(at))
}

// changeError converts an error of a change; fs.ErrNotExist means that the file or its folder is gone. verb is the
// failed action, such as "write".
func changeError(err error, at, verb string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return vaulterr.New(vaulterr.KindChanged, at, "Cannot %s %s: it was moved or deleted just now, or its folder was. Nothing was changed; try again.", verb, vaulterr.Quote(at)).Because(err)
	}
	return vaulterr.Wrap(err, at, verb)
}
