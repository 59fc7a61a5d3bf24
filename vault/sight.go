package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"chatvault/internal/atomicfile"
	"chatvault/vault/failure"
	"chatvault/vault/fold"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
	"chatvault/vault/pathname"
)

// What the journal, and whoever takes changes back, sees of the vault and does in it: by exact true
// paths, through no link, without the rules for new names. What is protected or private is out of
// reach here as it is for tools, whatever the journal says.

// sight is what is at a path.
type sight struct {
	there  bool
	folder bool
	print  string // of a file: its hash, or what stands for it where it was not read
	stat   string // what would stand for it
	size   int64
	mode   fs.FileMode
	time   time.Time // when it was modified last
	data   []byte    // where it was read
}

// holds says whether a sight is what a print stands for.
func (s *sight) holds(print string) bool {
	return s.there && !s.folder && print != "" && (s.print == print || s.stat == print)
}

// file begins the record of a file that is seen before a change.
func (s *sight) file(at string) journal.File {
	return journal.File{Path: at, Before: s.print, Mode: uint32(s.mode.Perm()), Size: s.size, Modified: s.time}
}

// lookDepth says how close one looks at a file. What is longer than maxKept is never read.
type lookDepth int

const (
	statIt lookDepth = iota // size and time stand for its content
	hashIt
	readIt
)

// look says what is at a path, spelled exactly so; a link there is not followed.
func (v *ground) look(ctx context.Context, at string, how lookDepth) (sight, error) {
	dir, name, err := v.holder(ctx, at)
	if errors.Is(err, failure.KindNotFound) || errors.Is(err, failure.KindNotFolder) {
		return sight{}, nil
	}
	if err != nil {
		return sight{}, err
	}
	defer func() { _ = dir.Close() }()
	info, err := dir.Lstat(name)
	var s sight
	if err == nil {
		s, err = lookIn(dir, name, info, how)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return sight{}, nil
	}
	if err != nil {
		return sight{}, failure.Wrap(err, at, "read")
	}
	return s, nil
}

// lookIn says what is at a name in an open folder, where info describes it. Of a link, its target
// stands for its content.
func lookIn(dir *os.Root, name string, info fs.FileInfo, how lookDepth) (sight, error) {
	s := sight{there: true, folder: info.IsDir(), size: info.Size(), mode: info.Mode(), time: info.ModTime()}
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
	p := &place{dir: dir, name: name, info: info}
	if how == hashIt {
		hash, err := p.hash()
		s.print = hash
		return s, err
	}
	f, err := p.open()
	if err != nil {
		return s, err
	}
	defer func() { _ = f.Close() }()
	s.data, err = fsys.ReadBounded(context.Background(), f, p.info.Size(), maxKept)
	s.print, s.size = Hash(s.data), int64(len(s.data))
	return s, err
}

var errSpecial = errors.New("it is a pipe, socket or device")

// linkPrint begins what stands for the content of a symbolic link.
const linkPrint = "link to "

// statPrint stands for the content of a file that is not read.
func statPrint(info fs.FileInfo) string {
	return fmt.Sprintf("%d bytes of %d", info.Size(), info.ModTime().UnixNano())
}

// ground is the vault as the journal, recovery and undo work on it.
type ground struct {
	*Vault
	in    *fsys.Folders // that stay open from one step to the next, until close; nil: none does
	inner string        // in this folder what is hidden can be reached, too
}

// ground is where single steps are made.
func (v *Vault) ground() *ground { return &ground{Vault: v} }

// groundOf is where the steps of a change are made. What is hidden in a folder that it deletes or
// restores goes, and comes back, with that folder.
func (v *Vault) groundOf(c *journal.Change) *ground {
	g := v.ground()
	if c.Folder && (c.Op == "delete" || c.Op == "restore") {
		g.inner = c.Path
	}
	g.in = g.newFolders()
	return g
}

func (v *ground) newFolders() *fsys.Folders {
	in := fsys.NewFolders(v.root)
	in.Enter = v.mayEnter
	return in
}

func (v *ground) close() { v.in.Close() }

// mayEnter refuses what no tool could name: what cannot be in a folder, is protected, or is private, under
// whatever name the file system takes for it. folder is one that may be entered itself.
func (v *ground) mayEnter(folder, name string, dir *os.Root) error {
	if !plainName(name) || pathname.Protected(name) && !pathname.In(folder, v.inner) {
		at := path.Join(folder, name)
		return failure.New(failure.KindDenied, at, "Access denied: %s is not a path that can be changed.", failure.Quote(at))
	}
	switch {
	case v.private.HasEntry(folder, name):
		return denyPrivate(path.Join(folder, name))
	case !v.private.AliasSafe(name) && !fsys.ListsName(dir, name):
		at := path.Join(folder, name)
		return failure.New(failure.KindNotFound, at, "File not found: %s", failure.Quote(at))
	}
	return nil
}

// folder opens a folder, spelled exactly so, that may be entered.
func (v *ground) folder(_ context.Context, at, of string) (*os.Root, error) {
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
		return nil, failure.New(failure.KindNotFound, of, "File not found: %s", failure.Quote(of))
	case errors.Is(err, syscall.ENOTDIR):
		return nil, failure.New(failure.KindNotFolder, of, "%s is a file, not a folder, so %s cannot be in it.", failure.Quote(at), failure.Quote(of))
	case errors.Is(err, syscall.ELOOP):
		return nil, failure.New(failure.KindDenied, of, "Access denied: %s goes through a symbolic link. Change what the link points to by its own path.", failure.Quote(of))
	}
	return nil, v.lookupError(err, of, at)
}

// holder opens the folder that holds a path.
func (v *ground) holder(ctx context.Context, at string) (dir *os.Root, name string, err error) {
	if !fs.ValidPath(at) {
		return nil, "", failure.New(failure.KindDenied, at, "Access denied: %s is not a path that can be changed.", failure.Quote(at))
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

// changedIn makes last that a name in an open folder came or went, at once or with all else that is done.
func (v *ground) changedIn(dir *os.Root, folder string) error {
	if v.in != nil {
		v.in.Changed(folder)
		return nil
	}
	return atomicfile.SyncDir(dir, ".")
}

// otherNow says that a path is not what it was.
func (v *ground) otherNow(at string) {
	if v.in != nil {
		v.in.Forget(at)
	}
}

// makeFolder makes a folder with its permission bits, 0 for those of a new one, where it is
// missing; made is false where it is not. It stays open to its owner: something is to be put into it.
func (v *ground) makeFolder(ctx context.Context, at string, mode fs.FileMode) (made bool, err error) {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return false, err
	}
	defer func() { _ = dir.Close() }()
	perm := mode & fs.ModePerm
	if mode == 0 {
		perm = 0o777
	}
	err = dir.Mkdir(name, perm|0o700)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err == nil {
		err = v.changedIn(dir, path.Dir(at))
	}
	if err != nil {
		return false, failure.Wrap(err, at, "create")
	}
	if mode != 0 {
		_ = dir.Chmod(name, perm|0o700) // as it was, whatever the umask; it is there all the same
	}
	return true, nil
}

// setMode gives a folder its permission bits, of those that it may have.
func (v *ground) setMode(ctx context.Context, at string, mode fs.FileMode) error {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	info, err := dir.Lstat(name)
	if err != nil || !info.IsDir() || info.Mode().Perm() == mode&fs.ModePerm {
		return err
	}
	return dir.Chmod(name, mode&fs.ModePerm)
}

// removeEmpty removes a folder where nothing is in it but what a crash left of a write.
func (v *ground) removeEmpty(ctx context.Context, at string) {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }()
	info, err := dir.Lstat(name)
	if err != nil || !info.IsDir() {
		return
	}
	v.otherNow(at)
	_, _ = atomicfile.SweepTemps(dir, name) // what stays keeps the folder
	if dir.Remove(name) == nil {
		_ = v.changedIn(dir, path.Dir(at))
	}
}

// put writes a file whose bytes are now those of a print: "" means that it is not there. mode is
// that of a new file, 0 for the usual one; modified is the time it is to have, zero for now.
func (v *ground) put(ctx context.Context, at, now string, data []byte, mode fs.FileMode, modified time.Time) error {
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
		Perm: perm | 0o200, Exclusive: now == "", Modified: modified, BeforeRename: func() error { return v.still(ctx, at, now) },
	})
	if errors.Is(err, fs.ErrExist) {
		return changedNow(at)
	}
	if err == nil && now == "" && mode != 0 {
		_ = dir.Chmod(name, perm) // as it was, whatever the umask; where the file system has no such modes it is there all the same
	}
	return writeError(err, at)
}

// still says whether a file is what a print stands for, "" for nothing.
func (v *ground) still(ctx context.Context, at, print string) error {
	s, err := v.look(ctx, at, hashIt)
	if err != nil {
		return err
	}
	if print == "" && s.there || print != "" && !s.holds(print) {
		return changedNow(at)
	}
	return nil
}

// changedNow says that somebody changed a file while it was about to be changed here.
func changedNow(at string) error {
	return failure.New(failure.KindChanged, at, "%s was changed by another program just now, so it is left unchanged.", failure.Quote(at))
}

// unlink removes a file that is what a print stands for. Its bytes are kept elsewhere.
func (v *ground) unlink(ctx context.Context, at, print string) error {
	if err := v.still(ctx, at, print); err != nil {
		return err
	}
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if err := v.files.Remove(dir, name); err != nil {
		return failure.Wrap(err, at, "remove")
	}
	return nil
}

// rename moves a file or folder to a name that is free, durably, also one that differs in case
// only.
func (v *ground) rename(ctx context.Context, from, to string) error {
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
	v.otherNow(from)
	v.otherNow(to)
	err = atomicfile.RenameNoReplace(oldDir, oldName, newDir, newName)
	if errors.Is(err, fs.ErrExist) && path.Dir(from) == path.Dir(to) && fold.Name(oldName) == fold.Name(newName) && fsys.SameFile(oldDir, oldName, newName) {
		err = oldDir.Rename(oldName, newName) // a file system that ignores case itself
	}
	if err == nil {
		err = errors.Join(atomicfile.SyncDir(newDir, "."), atomicfile.SyncDir(oldDir, "."))
	}
	return moveError(err, to)
}

// plainName reports whether a name can be that of an entry of a folder.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= pathname.MaxName && fs.ValidPath(name) && filepath.IsLocal(name) &&
		!strings.ContainsRune(name, 0) && !strings.ContainsRune(name, '/') && (filepath.Separator == '/' || !strings.ContainsRune(name, filepath.Separator))
}
