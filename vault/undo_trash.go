package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"chatvault/internal/atomicfile"
	"chatvault/vault/failure"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
	"chatvault/vault/pathname"
)

// trashed is something in the trash.
type trashed struct {
	vault *ground
	dir   *os.Root // the folder that holds it
	name  string
	info  fs.FileInfo
	infos *os.Root // the folder of the system's notes on what is in its trash; nil: there are none
	mu    sync.Mutex
	in    *fsys.Folders // of what is there, where that is a folder; nil: nobody looked yet
	ours  bool          // the trash is in the vault, and may have come with it
}

func (t *trashed) close() {
	if t == nil {
		return
	}
	if t.in != nil {
		t.in.Close()
		_ = t.in.Root.Close()
	}
	_ = t.dir.Close()
	if t.infos != nil {
		_ = t.infos.Close()
	}
}

// openTrashed finds what a deletion put somewhere; nil where it is not there any more, or where the
// place is no trash: the journal may have come with the vault.
func (v *ground) openTrashed(c *journal.Change) *trashed {
	where := c.NewPath
	if where == "" || !isTrashName(filepath.Base(where), path.Base(c.Path), c.Folder) {
		return nil
	}
	t := &trashed{vault: v}
	if filepath.IsAbs(where) {
		if !v.inKeptTrash(t, where, c.Path) && !v.inSystemTrash(t, where, c.Path) {
			return nil
		}
	} else if t.ours = true; !v.inOwnTrash(t, where) {
		return nil
	}
	var err error
	if t.info, err = t.dir.Lstat(t.name); err != nil {
		t.close()
		return nil
	}
	return t
}

// inOwnTrash opens the folder in the vault's own trash that holds something.
func (v *Vault) inOwnTrash(t *trashed, where string) bool {
	folder, name, inIt := strings.Cut(where, "/")
	if !inIt || folder != ".trash" || strings.Contains(name, "/") || !fs.ValidPath(where) {
		return false
	}
	dir, err := fsys.OpenInner(v.root, folder)
	t.dir, t.name = dir, name
	return err == nil
}

// same says whether it is what a change deleted, unchanged.
func (t *trashed) same(ctx context.Context, c *journal.Change) (bool, error) {
	if t.info.IsDir() != c.Folder {
		return false, nil
	}
	if !c.Folder {
		if len(c.Files) != 1 {
			return false, nil
		}
		s, err := lookIn(t.dir, t.name, t.info, hashIt)
		return s.holds(c.Files[0].Before), err
	}
	p := &place{dir: t.dir, name: t.name, path: c.Path, info: t.info}
	return p.sameTree(ctx, t.vault, c, func(f *journal.File) string { return f.Before })
}

// mayComeWhole says whether what a change deleted may be put back in one step: nothing of it is private
// now, and, where the trash may have come with the vault, nothing of it is another program's.
func (t *trashed) mayComeWhole(ctx context.Context, c *journal.Change) (bool, error) {
	may := func(at string) bool {
		return (!t.ours || !pathname.OthersFolder(at)) && !t.vault.private.Has(at)
	}
	if !may(c.Path) || !c.Folder {
		return may(c.Path), nil
	}
	dir, err := fsys.OpenFolder(t.dir, t.name, t.info)
	if err != nil {
		return false, err
	}
	defer func() { _ = dir.Close() }()
	err = fsys.Walk(ctx, dir, func(_ *os.Root, name string, _ fs.FileInfo, fault error) error {
		if fault == nil && !may(path.Join(c.Path, name)) {
			fault = errOther
		}
		return fault
	})
	if errors.Is(err, errOther) {
		return false, nil
	}
	return err == nil, err
}

// within is where a file of a change is in what was deleted.
func within(c *journal.Change, f *journal.File) string {
	if f.Path == c.Path {
		return "."
	}
	return strings.TrimPrefix(f.Path, c.Path+"/")
}

// has says whether a file of what was deleted is there as it was.
func (t *trashed) has(c *journal.Change, f *journal.File) bool {
	if t == nil {
		return false
	}
	dir, name, err := t.open(within(c, f))
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	info, err := dir.Lstat(name)
	if err != nil {
		return false
	}
	s, err := lookIn(dir, name, info, hashIt)
	return err == nil && s.holds(f.Before)
}

// open opens the folder that holds something in what was deleted; "." is that itself.
func (t *trashed) open(in string) (dir *os.Root, name string, err error) {
	if in == "." {
		dir, err = t.dir.OpenRoot(".")
		return dir, t.name, err
	}
	if !fs.ValidPath(in) {
		return nil, "", fs.ErrInvalid
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.in == nil {
		root, err := fsys.OpenFolder(t.dir, t.name, t.info)
		if err != nil {
			return nil, "", err
		}
		t.in = fsys.NewFolders(root)
	}
	dir, err = t.in.Own(path.Dir(in))
	return dir, path.Base(in), err
}

// untrash moves what is in the trash, or something in it, to a path that is free.
func (v *ground) untrash(ctx context.Context, t *trashed, in, to string) error {
	from, name, err := t.open(in)
	if err != nil {
		return failure.Wrap(err, to, "restore")
	}
	defer func() { _ = from.Close() }()
	dir, base, err := v.holder(ctx, to)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	err = atomicfile.RenameNoReplace(from, name, dir, base)
	if errors.Is(err, syscall.EXDEV) {
		err = carryBack(from, name, dir, base)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return changedNow(to)
	case err != nil:
		return failure.Wrap(err, to, "restore")
	}
	if in == "." && t.infos != nil {
		_ = t.infos.Remove(t.name + ".trashinfo") // a note on nothing is of no use
	}
	return errors.Join(atomicfile.SyncDir(dir, "."), atomicfile.SyncDir(from, "."))
}

// findTrashed is where something is that a change deleted whose end nobody saw; "": it is not
// found.
func (v *ground) findTrashed(ctx context.Context, c *journal.Change) string {
	name := path.Base(c.Path)
	var places []string
	for i := range 10 {
		places = append(places, path.Join(".trash", numbered(name, i, c.Folder)))
	}
	kept := v.keptPlaces(c.Path)
	slices.Sort(kept)
	slices.Reverse(kept)
	places = append(places, kept[:min(len(kept), 10)]...)
	places = append(places, v.systemTrashNames(name, c.Folder)...)
	for _, where := range places {
		found := *c
		found.NewPath = where
		if t := v.openTrashed(&found); t != nil {
			same, err := t.same(ctx, c)
			t.close()
			if same && err == nil {
				return where
			}
		}
	}
	return ""
}
