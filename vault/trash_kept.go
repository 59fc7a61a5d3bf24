package vault

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
)

// KeepTrash makes deletions in a vault without a trash of its own (Obsidian's "none") go to the folder trash/ of
// home, which is outside the vault: they remain recoverable without being synchronised with the vault. It must be
// called once, before the first change.
func (v *Vault) KeepTrash(home journal.Home) { v.kept = home }

const keptFolder = "trash"

// openKept opens that trash. The error is fs.ErrNotExist if there is none.
func (v *Vault) openKept(create bool) (*os.Root, error) {
	if v.kept == nil {
		return nil, fs.ErrNotExist
	}
	home, err := v.kept(create)
	if err != nil {
		return nil, err
	}
	defer func() { _ = home.Close() }()
	if create {
		if err := statefile.MakeFolder(home, keptFolder); err != nil {
			return nil, err
		}
	}
	return statefile.Folder(home, keptFolder)
}

// trashState moves a place, with its parent folders, to trash/<time>/ in the state folder and returns its path there.
func (v *Vault) trashState(p *place, now time.Time) (where string, err error) {
	dir, err := v.openKept(true)
	if err != nil {
		return "", err
	}
	names := []string{now.UTC().Format("20060102T150405.000Z")}
	if folder := path.Dir(p.path); folder != "." {
		names = append(names, strings.Split(folder, "/")...)
	}
	for _, name := range names {
		next, err := openOrMakeFolder(dir, name, 0o700)
		_ = dir.Close()
		if err != nil {
			return "", err
		}
		dir = next
	}
	defer func() { _ = dir.Close() }()
	name, err := moveUnique(p, dir)
	if errors.Is(err, syscall.EXDEV) { // the state folder is on another file system
		name, err = p.name, moveAcross(p, dir)
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(dir.Name(), name), nil
}

// acrossPrefix is the prefix of names during a move between file systems.
const acrossPrefix = atomicfile.TempPrefix + "carried-"

// sweepAcross removes the remains of such a move after a crash.
func sweepAcross(dir *os.Root) {
	entries, err := statefile.List(dir, ".")
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), acrossPrefix) {
			_ = dir.RemoveAll(e.Name()) // complete on the other file system, or still in its place
		}
	}
}

// moveAcross moves a place to a folder on another file system: it is complete on that disk before the original is renamed
// to a temporary name and removed.
func moveAcross(p *place, dir *os.Root) error {
	if err := copyTree(p.dir, p.name, dir, p.name); err != nil {
		_ = dir.RemoveAll(p.name)
		return err
	}
	if err := atomicfile.SyncDir(dir, "."); err != nil {
		return err
	}
	gone := acrossPrefix + journal.NewID(time.Now())
	if err := p.dir.Rename(p.name, gone); err != nil {
		_ = dir.RemoveAll(p.name)
		return err
	}
	return p.dir.RemoveAll(gone)
}

// copyTree durably copies a file, or a folder with its content. Links are copied as links; other special files are
// omitted.
func copyTree(from *os.Root, name string, to *os.Root, toName string) error {
	info, err := from.Lstat(name)
	if err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := from.Readlink(name)
		if err != nil {
			return err
		}
		return to.Symlink(target, toName)
	case info.Mode().IsRegular():
		return copyFile(from, name, to, toName, info)
	case !info.IsDir():
		return nil
	}
	source, err := fsys.OpenFolder(from, name, info)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := makeFolder(to, toName, 0o700)
	if err != nil {
		return err
	}
	defer func() { _ = target.Close() }()
	names, err := fsys.ReadNames(source)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := copyTree(source, name, target, name); err != nil {
			return err
		}
	}
	return errors.Join(atomicfile.SyncDir(target, "."), to.Chmod(toName, info.Mode().Perm()), to.Chtimes(toName, time.Time{}, info.ModTime()))
}

func copyFile(from *os.Root, name string, to *os.Root, toName string, info fs.FileInfo) error {
	in, _, err := statefile.Open(from, name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := to.OpenFile(toName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	err = cmp.Or(err, out.Close())
	if err == nil {
		err = errors.Join(to.Chmod(toName, info.Mode().Perm()), to.Chtimes(toName, time.Time{}, info.ModTime()))
	}
	return err
}
