package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
	"chatvault/vault/lookup"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// The journal, recovery and undo access the vault by exact true names, without following links and without the rules
// for new names. Protected and private files are out of their reach, as for tools, whatever the journal contains.

// fileState describes the file or folder at a path.
type fileState struct {
	exists bool
	folder bool
	print  string // of a file: its hash, or a substitute if it was not read
	stat   string // the substitute, see statPrint
	size   int64
	mode   fs.FileMode
	time   time.Time // modification time
	data   []byte    // the content, if it was read
}

// matches reports whether the file has the content that print represents.
func (s *fileState) matches(print string) bool {
	return s.exists && !s.folder && print != "" && (s.print == print || s.stat == print)
}

// is reports whether the file has the content that print represents; "" means that it must not exist.
func (s *fileState) is(print string) bool {
	return print == "" && !s.exists || s.matches(print)
}

// file returns the record of a file before a change.
func (s *fileState) file(at string) journal.File {
	return journal.File{Path: at, Before: s.print, Mode: uint32(s.mode.Perm()), Size: s.size, Modified: s.time}
}

// lookDepth defines how much of a file is examined. A file longer than maxKept is never read.
type lookDepth int

const (
	statIt lookDepth = iota // size and time represent the content
	hashIt
	readIt
)

// look examines the entry at exactly this path. It does not follow a link.
func (v *workTree) look(ctx context.Context, at string, how lookDepth) (fileState, error) {
	dir, name, err := v.holder(ctx, at)
	if errors.Is(err, vaulterr.KindNotFound) || errors.Is(err, vaulterr.KindNotFolder) {
		return fileState{}, nil
	}
	if err != nil {
		return fileState{}, err
	}
	defer func() { _ = dir.Close() }()
	info, err := dir.Lstat(name)
	var s fileState
	if err == nil {
		s, err = lookIn(dir, name, info, how)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fileState{}, nil
	}
	if err != nil {
		return fileState{}, vaulterr.Wrap(err, at, "read")
	}
	return s, nil
}

// lookIn examines the entry name in an open folder, described by info. For a link, its target represents the content.
func lookIn(dir *os.Root, name string, info fs.FileInfo, how lookDepth) (fileState, error) {
	s := fileState{exists: true, folder: info.IsDir(), size: info.Size(), mode: info.Mode(), time: info.ModTime()}
	switch {
	case s.folder:
		return s, nil
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := dir.Readlink(name)
		s.print = linkPrint + target
		return s, err
	case !info.Mode().IsRegular():
		return s, errSpecial
	}
	s.stat = statPrint(info)
	s.print = s.stat
	if how == statIt || info.Size() > maxKept {
		return s, nil
	}
	p := &lookup.Place{Dir: dir, Name: name, Info: info}
	if how == hashIt {
		hash, err := p.Hash()
		s.print = hash
		return s, err
	}
	f, err := p.Open()
	if err != nil {
		return s, err
	}
	defer func() { _ = f.Close() }()
	s.data, err = p.Content(f, maxKept)
	s.print, s.size = Hash(s.data), int64(len(s.data))
	return s, err
}

var errSpecial = errors.New("it is a pipe, socket or device")

// linkPrint is the prefix of the print of a symbolic link.
const linkPrint = "link to "

// statPrint returns a string that represents the content of a file that is not read.
func statPrint(info fs.FileInfo) string {
	return fmt.Sprintf("%d bytes of %d", info.Size(), info.ModTime().UnixNano())
}

// workTree is the vault as the journal, recovery and undo access it.
type workTree struct {
	*Vault
	in       *fsys.Folders // keeps folders open between steps until close; optional
	hiddenIn string        // in this folder hidden files can be reached too
}

// workTree returns the access for single steps.
func (v *Vault) workTree() *workTree { return &workTree{Vault: v} }

// workTreeFor returns the access for the steps of a change. Hidden files in a folder that it deletes, removes or
// restores are included.
func (v *Vault) workTreeFor(c *journal.Change) *workTree {
	g := v.workTree()
	if c.Folder && c.Op != "move" {
		g.hiddenIn = c.Path
	}
	g.in = g.newFolders()
	return g
}

func (v *workTree) newFolders() *fsys.Folders {
	in := fsys.NewFolders(v.finder.Root)
	in.Enter = v.mayEnter
	return in
}

func (v *workTree) close() { v.in.Close() }

// mayEnter returns an error for an entry that no tool could name: an invalid name, or one that is protected or
// private in any spelling that the file system accepts. folder must be permitted itself.
func (v *workTree) mayEnter(folder, name string, dir *os.Root) error {
	if !plainName(name) || pathname.Protected(name) && !pathname.In(folder, v.hiddenIn) {
		at := path.Join(folder, name)
		return vaulterr.New(vaulterr.KindDenied, at, "Access denied: %s is not a path that can be changed.", vaulterr.Quote(at))
	}
	switch {
	case v.finder.Private.HasEntry(folder, name):
		return lookup.DenyPrivate(path.Join(folder, name))
	case !v.finder.Private.AliasSafe(name) && !fsys.ListsName(dir, name):
		at := path.Join(folder, name)
		return vaulterr.New(vaulterr.KindNotFound, at, "File not found: %s", vaulterr.Quote(at))
	}
	return nil
}

// folder opens a permitted folder at exactly this path.
func (v *workTree) folder(_ context.Context, at, of string) (*os.Root, error) {
	in := v.in
	if in == nil {
		in = v.newFolders()
		defer in.Close()
	}
	dir, err := in.Own(at)
	switch {
	case err == nil:
		return dir, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, vaulterr.New(vaulterr.KindNotFound, of, "File not found: %s", vaulterr.Quote(of))
	case errors.Is(err, syscall.ENOTDIR):
		return nil, vaulterr.New(vaulterr.KindNotFolder, of, "%s is a file, not a folder, so %s cannot be in it.", vaulterr.Quote(at), vaulterr.Quote(of))
	case errors.Is(err, syscall.ELOOP):
		return nil, vaulterr.New(vaulterr.KindDenied, of, "Access denied: %s goes through a symbolic link. Change what the link points to by its own path.", vaulterr.Quote(of))
	}
	return nil, lookup.Error(err, of, at)
}

// holder opens the parent folder of a path.
func (v *workTree) holder(ctx context.Context, at string) (dir *os.Root, name string, err error) {
	if !fs.ValidPath(at) {
		return nil, "", vaulterr.New(vaulterr.KindDenied, at, "Access denied: %s is not a path that can be changed.", vaulterr.Quote(at))
	}
	if dir, err = v.folder(ctx, path.Dir(at), at); err != nil {
		return nil, "", err
	}
	name = path.Base(at)
	if err := v.mayEnter(path.Dir(at), name, dir); err != nil {
		_ = dir.Close()
		return nil, "", err
	}
	return dir, name, nil
}

// changedIn makes an added or removed name durable, either at once or together with the other steps.
func (v *workTree) changedIn(dir *os.Root, folder string) error {
	if v.in != nil {
		v.in.Changed(folder)
		return nil
	}
	return atomicfile.SyncDir(dir, ".")
}

// forget records that a path has changed.
func (v *workTree) forget(at string) {
	if v.in != nil {
		v.in.Forget(at)
	}
}

// makeFolder creates a folder unless it exists, with the permission bits mode, 0 for the default, and those that its
// owner needs to fill it.
func (v *workTree) makeFolder(ctx context.Context, at string, mode fs.FileMode) error {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	perm := mode.Perm()
	if mode == 0 {
		perm = 0o777
	}
	err = dir.Mkdir(name, perm|0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		err = v.changedIn(dir, path.Dir(at))
	}
	if err != nil {
		return vaulterr.Wrap(err, at, "create")
	}
	if mode != 0 {
		_ = dir.Chmod(name, perm|0o700) // independent of the umask; optional
	}
	return nil
}

// removeEmpty removes a folder that contains at most temporary files of a crash.
func (v *workTree) removeEmpty(ctx context.Context, at string) {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }()
	info, err := dir.Lstat(name)
	if err != nil || !info.IsDir() {
		return
	}
	v.forget(at)
	_, _ = atomicfile.SweepTemps(dir, name) // remaining files keep the folder
	if dir.Remove(name) == nil {
		_ = v.changedIn(dir, path.Dir(at))
	}
}

// put writes a file whose current content must match print; "" means that it must not exist. mode is that of a new
// file, with 0 for the default; modified is its modification time, with zero for now.
func (v *workTree) put(ctx context.Context, at, now string, data []byte, mode fs.FileMode, modified time.Time) error {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	perm := mode.Perm()
	if mode == 0 {
		perm = newFileMode
	}
	err = v.files.Replace(dir, name, data, atomicfile.Options{
		Perm: perm | 0o200, Exclusive: now == "", Modified: modified, BeforeRename: func() error { return v.checkPrint(ctx, at, now) },
	})
	if errors.Is(err, fs.ErrExist) {
		return errChangedNow(at)
	}
	if err == nil && now == "" && mode != 0 {
		_ = dir.Chmod(name, perm) // independent of the umask; some file systems have no modes
	}
	return writeError(err, at)
}

// checkPrint returns an error unless the file has the content that print represents; "" means that it must not exist.
func (v *workTree) checkPrint(ctx context.Context, at, print string) error {
	s, err := v.look(ctx, at, hashIt)
	if err != nil {
		return err
	}
	if !s.is(print) {
		return errChangedNow(at)
	}
	return nil
}

// errChangedNow returns the error for a file modified by another program during the change.
func errChangedNow(at string) error {
	return vaulterr.New(vaulterr.KindChanged, at, "%s was changed by another program just now, so it is left unchanged.", vaulterr.Quote(at))
}

// unlink removes a file whose content matches print and is stored elsewhere.
func (v *workTree) unlink(ctx context.Context, at, print string) error {
	if err := v.checkPrint(ctx, at, print); err != nil {
		return err
	}
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if err := v.files.Remove(dir, name); err != nil {
		return vaulterr.Wrap(err, at, "remove")
	}
	return nil
}

// rename durably moves a file or folder to an unused name, also one that differs in case only.
func (v *workTree) rename(ctx context.Context, from, to string) error {
	oldDir, oldName, err := v.holder(ctx, from)
	if err != nil {
		return err
	}
	defer func() { _ = oldDir.Close() }()
	newDir, newName, err := v.holder(ctx, to)
	if err != nil {
		return err
	}
	defer func() { _ = newDir.Close() }()
	v.forget(from)
	v.forget(to)
	if path.Dir(from) == path.Dir(to) && pathname.Fold(oldName) == pathname.Fold(newName) {
		err = respell(oldDir, oldName, newName)
	} else {
		err = atomicfile.RenameNoReplace(oldDir, oldName, newDir, newName)
	}
	if err == nil {
		err = errors.Join(atomicfile.SyncDir(newDir, "."), atomicfile.SyncDir(oldDir, "."))
	}
	return moveError(err, to)
}

// link creates a symbolic link.
func (v *workTree) link(ctx context.Context, at, target string) error {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if err := dir.Symlink(target, name); err != nil {
		return vaulterr.Wrap(err, at, "create")
	}
	return v.changedIn(dir, path.Dir(at))
}

// names returns the names in a folder, except temporary files of a crash.
func (v *workTree) names(ctx context.Context, folder string) ([]string, error) {
	dir, err := v.folder(ctx, folder, folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	names, err := fsys.ReadNames(dir)
	if err != nil {
		return nil, vaulterr.Wrap(err, folder, "read")
	}
	return slices.DeleteFunc(names, atomicfile.IsTemp), nil
}

// putBack restores what a change, or a part of it, replaced: it creates folders, renames a move back, restores the
// files that are as the change left them, and removes the folders that the change created if they are empty. modes has
// the permission bits of folders.
func (v *workTree) putBack(ctx context.Context, c *journal.Change, folders []string, modes map[string]uint32) error {
	for _, at := range folders {
		if err := v.makeFolder(ctx, at, fs.FileMode(modes[at])); err != nil {
			return err
		}
	}
	if c.Op == "move" {
		if err := v.moveBack(ctx, c); err != nil {
			return err
		}
	}
	errs := fsys.InParallel(len(c.Files), maxConcurrent, func(i int) error { return v.putBackFile(ctx, &c.Files[i]) })
	for i, err := range errs {
		if fsys.Scarce(err) { // there are enough descriptors for one at a time
			errs[i] = v.putBackFile(ctx, &c.Files[i])
		}
	}
	for _, err := range errs {
		if err != nil && !isObstacle(err) {
			return err
		}
	}
	err := errors.Join(errs...)
	for _, at := range slices.Backward(createdFolders(c)) {
		v.removeEmpty(ctx, at)
	}
	if v.in == nil {
		return err
	}
	return errors.Join(err, v.in.Flush(v.files))
}

// putBackFile restores the old content of a file, or removes it if it did not exist. The error is KindChanged if it
// has neither its old nor its new content.
func (v *workTree) putBackFile(ctx context.Context, f *journal.File) error {
	if f.Before == f.After {
		return nil
	}
	s, err := v.look(ctx, f.Path, hashIt)
	switch {
	case err != nil:
		return err
	case s.is(f.Before):
		return nil
	case !s.is(f.After):
		return errChangedNow(f.Path)
	case f.Before == "":
		return v.unlink(ctx, f.Path, f.After)
	case isLink(f.Before):
		return v.link(ctx, f.Path, strings.TrimPrefix(f.Before, linkPrint))
	}
	data, err := v.History.journal.Content(f.Before)
	if err != nil {
		return err
	}
	return v.put(ctx, f.Path, f.After, data, fs.FileMode(f.Mode), f.Modified)
}

// moveBack renames what was moved to its old name, whatever it contains now.
func (v *workTree) moveBack(ctx context.Context, c *journal.Change) error {
	from, err := v.look(ctx, c.Path, statIt)
	if err != nil {
		return err
	}
	to, err := v.look(ctx, c.NewPath, statIt)
	if err != nil {
		return err
	}
	if from.exists && to.exists && respelled(c) {
		from.exists = v.spelled(ctx, c.Path)
	}
	if from.exists || !to.exists || to.folder != c.Folder || isLink(to.print) {
		return nil
	}
	return v.rename(ctx, c.NewPath, c.Path)
}

// respelled reports whether a move differs in case or normal form only.
func respelled(c *journal.Change) bool {
	return path.Dir(c.Path) == path.Dir(c.NewPath) && pathname.Fold(path.Base(c.Path)) == pathname.Fold(path.Base(c.NewPath))
}

// spelled reports whether a folder has a name in exactly this spelling, even if the file system ignores case.
func (v *workTree) spelled(ctx context.Context, at string) bool {
	names, err := v.names(ctx, path.Dir(at))
	return err == nil && slices.Contains(names, path.Base(at))
}

func isLink(print string) bool { return strings.HasPrefix(print, linkPrint) }

// plainName reports whether a name can be the name of a folder entry.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= pathname.MaxName && fs.ValidPath(name) && filepath.IsLocal(name) &&
		!strings.ContainsRune(name, 0) && !strings.ContainsRune(name, '/') && (filepath.Separator == '/' || !strings.ContainsRune(name, filepath.Separator))
}
