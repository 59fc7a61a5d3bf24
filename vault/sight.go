package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"chatvault/internal/atomicfile"
	"chatvault/vault/journal"
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

// howMuch says how close one looks at a file. What is longer than maxKept is never read.
type howMuch int

const (
	statIt howMuch = iota // size and time stand for its content
	hashIt
	readIt
)

// look says what is at a path, spelled exactly so; a link there is not followed.
func (v *Vault) look(ctx context.Context, at string, how howMuch) (sight, error) {
	dir, name, err := v.holder(ctx, at)
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrNotFolder) {
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
		return sight{}, wrap(err, at, "read")
	}
	return s, nil
}

func (p *place) look(how howMuch) (sight, error) { return lookIn(p.dir, p.name, p.info, how) }

// lookIn says what is at a name in an open folder, where info describes it. Of a link, its target
// stands for its content.
func lookIn(dir *os.Root, name string, info fs.FileInfo, how howMuch) (sight, error) {
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
	s.data, err = readBounded(context.Background(), f, p.info.Size(), maxKept)
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

type innerKey struct{}

// withInnerOf returns a context in which what is hidden in a folder that a change deletes or restores
// can be reached: it goes, and comes back, with that folder.
func withInnerOf(ctx context.Context, c *journal.Change) context.Context {
	if !c.Folder || c.Op != "delete" && c.Op != "restore" {
		return ctx
	}
	return context.WithValue(ctx, innerKey{}, c.Path)
}

// mayReach refuses what no tool could name: what is not in the vault, is protected, or is private.
func (v *Vault) mayReach(ctx context.Context, at string) error {
	if !walkedPath(at) {
		inner, ok := ctx.Value(innerKey{}).(string)
		if !ok || !above(inner, at) || !walkedPath(inner) || !fs.ValidPath(at) {
			return fail(KindDenied, at, "Access denied: %s is not a path that can be changed.", quote(at))
		}
	}
	if v.private != nil && v.private(at) {
		return denyPrivate(at)
	}
	return nil
}

// holder opens the folder that holds a path.
func (v *Vault) holder(ctx context.Context, at string) (dir *os.Root, name string, err error) {
	if err := v.mayReach(ctx, at); err != nil {
		return nil, "", err
	}
	parent := path.Dir(at)
	p, err := v.findExact(ctx, at, parent, refuseLinks)
	if err != nil {
		return nil, "", err
	}
	defer p.close()
	if !p.info.IsDir() {
		return nil, "", fail(KindNotFolder, at, "%s is a file, not a folder, so %s cannot be in it.", quote(parent), quote(at))
	}
	if dir, err = openFolder(p.dir, p.name, p.info); err != nil {
		return nil, "", v.lookupError(err, at, parent)
	}
	return dir, path.Base(at), nil
}

// missingFolders are the folders above a path that are not there, outermost first.
func (v *Vault) missingFolders(ctx context.Context, at string) ([]string, error) {
	var missing []string
	for folder := path.Dir(at); folder != "."; folder = path.Dir(folder) {
		s, err := v.look(ctx, folder, statIt)
		if err != nil {
			return nil, err
		}
		if s.there && !s.folder {
			return nil, fail(KindNotFolder, at, "%s is a file now, not a folder, so %s cannot be in it.", quote(folder), quote(at))
		}
		if s.there {
			break
		}
		missing = append([]string{folder}, missing...)
	}
	return missing, nil
}

// Modes that what is written by the journal's word may have: notes are not executed, and whoever wants
// others to write to them says so again.
const (
	keptFileMode   = 0o664
	keptFolderMode = 0o775
)

// makeFolder makes a folder with its permission bits, 0 for those of a new one, where it is
// missing; made is false where it is not. It stays open to its owner: something is to be put into it.
func (v *Vault) makeFolder(ctx context.Context, at string, mode fs.FileMode) (made bool, err error) {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return false, err
	}
	defer func() { _ = dir.Close() }()
	perm := mode & keptFolderMode
	if mode == 0 {
		perm = 0o777
	}
	folder, err := makeFolder(dir, name, perm|0o700)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, wrap(err, at, "create")
	}
	return true, folder.Close()
}

// setMode gives a folder its permission bits, of those that it may have.
func (v *Vault) setMode(ctx context.Context, at string, mode fs.FileMode) error {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	info, err := dir.Lstat(name)
	if err != nil || !info.IsDir() || info.Mode().Perm() == mode&keptFolderMode {
		return err
	}
	return dir.Chmod(name, mode&keptFolderMode)
}

// removeEmpty removes a folder where nothing is in it but what a crash left of a write.
func (v *Vault) removeEmpty(ctx context.Context, at string) {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }()
	info, err := dir.Lstat(name)
	if err != nil || !info.IsDir() {
		return
	}
	_, _ = atomicfile.SweepTemps(dir, name) // what stays keeps the folder
	if dir.Remove(name) == nil {
		_ = atomicfile.SyncDir(dir, ".")
	}
}

// put writes a file whose bytes are now those of a print: "" means that it is not there. mode is
// that of a new file, 0 for the usual one; modified is the time it is to have, zero for now.
func (v *Vault) put(ctx context.Context, at, now string, data []byte, mode fs.FileMode, modified time.Time) error {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	perm := mode & keptFileMode
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
func (v *Vault) still(ctx context.Context, at, print string) error {
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
	return fail(KindChanged, at, "%s was changed by somebody else in this moment, and is left as it is.", quote(at))
}

// unlink removes a file that is what a print stands for. Its bytes are kept elsewhere.
func (v *Vault) unlink(ctx context.Context, at, print string) error {
	if err := v.still(ctx, at, print); err != nil {
		return err
	}
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if err := v.files.Remove(dir, name); err != nil {
		return wrap(err, at, "remove")
	}
	return nil
}

// rename moves a file or folder to a name that is free, durably, also one that differs in case
// only.
func (v *Vault) rename(ctx context.Context, from, to string) error {
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
	err = atomicfile.RenameNoReplace(oldDir, oldName, newDir, newName)
	if errors.Is(err, fs.ErrExist) && path.Dir(from) == path.Dir(to) && foldName(oldName) == foldName(newName) && sameFile(oldDir, oldName, newName) {
		err = oldDir.Rename(oldName, newName) // a file system that ignores case itself
	}
	if err == nil {
		err = errors.Join(atomicfile.SyncDir(newDir, "."), atomicfile.SyncDir(oldDir, "."))
	}
	return moveError(err, to)
}
