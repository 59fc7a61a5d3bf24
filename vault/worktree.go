package vault

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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
func (v *workTree) look(at string, how lookDepth) (s fileState, err error) {
	err = v.inHolder(at, func(dir *os.Root, name string) (err error) {
		s, err = stateIn(dir, name, how)
		return err
	})
	if errors.Is(err, vaulterr.KindNotFound) {
		return fileState{}, nil
	}
	if err != nil {
		return fileState{}, vaulterr.Wrap(err, at, "read")
	}
	return s, nil
}

// stateIn examines the entry name in an open folder.
func stateIn(dir *os.Root, name string, how lookDepth) (fileState, error) {
	info, err := dir.Lstat(name)
	var s fileState
	if err == nil {
		s, err = lookIn(dir, name, info, how)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fileState{}, nil
	}
	return s, err
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

// workTree is the vault as the journal, recovery and undo access it. The caller must close it.
type workTree struct {
	*Vault
	in       *fsys.Folders // keeps folders open between steps
	hiddenIn string        // in this folder hidden files can be reached too

	recovering bool // an obstacle to changing a file does not prevent changing the others
}

// workTree returns the access to everything but hidden files. Those in the folder hiddenIn, if not "", are included.
func (v *Vault) workTree(hiddenIn string) *workTree {
	g := &workTree{Vault: v, in: fsys.NewFolders(v.finder.Root), hiddenIn: hiddenIn}
	g.in.Enter = g.mayEnter
	return g
}

// workTreeFor returns the access for the steps of a recorded change. Hidden files in a folder that it deletes, removes
// or restores are included.
func (v *Vault) workTreeFor(c *journal.Change) *workTree {
	if c.Folder && c.Op != "move" {
		return v.workTree(c.Path)
	}
	return v.workTree("")
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
	case !v.finder.Private.AliasSafe(name) && exists(dir, name) && !fsys.ListsName(dir, name): // another name of an entry that may be private
		at := path.Join(folder, name)
		return vaulterr.New(vaulterr.KindNotFound, at, "File not found: %s", vaulterr.Quote(at))
	case fsys.IsOffline(dir, name):
		return lookup.NotDownloaded(path.Join(folder, name), path.Join(folder, name))
	}
	return nil
}

func exists(dir *os.Root, name string) bool {
	_, err := dir.Lstat(name)
	return err == nil
}

// inFolder calls do with the open permitted folder at exactly this path. of is the path in it that errors name.
func (v *workTree) inFolder(at, of string, do func(dir *os.Root) error) error {
	entered := false
	err := v.in.With(at, func(dir *os.Root) error {
		entered = true
		return do(dir)
	})
	switch {
	case err == nil || entered:
		return err
	case fsys.Vanished(err): // also if it is a file or a link now
		return vaulterr.New(vaulterr.KindNotFound, of, "File not found: %s", vaulterr.Quote(of))
	}
	return lookup.Error(err, of, at)
}

// inHolder calls do with the open parent folder of a path and the name in it.
func (v *workTree) inHolder(at string, do func(dir *os.Root, name string) error) error {
	if !fs.ValidPath(at) {
		return vaulterr.New(vaulterr.KindDenied, at, "Access denied: %s is not a path that can be changed.", vaulterr.Quote(at))
	}
	folder, name := path.Dir(at), path.Base(at)
	return v.inFolder(folder, at, func(dir *os.Root) error {
		if err := v.mayEnter(folder, name, dir); err != nil {
			return err
		}
		return do(dir, name)
	})
}

// makeFolder creates a folder with the permission bits mode, 0 for the default, and those that its owner needs to fill
// it. In a recovery it may exist.
func (v *workTree) makeFolder(at string, mode fs.FileMode) error {
	return v.inHolder(at, func(dir *os.Root, name string) error {
		err := dir.Mkdir(name, cmp.Or(mode.Perm(), 0o777)|0o700)
		switch {
		case errors.Is(err, fs.ErrExist) && v.recovering:
			return nil
		case errors.Is(err, fs.ErrExist):
			return vaulterr.New(vaulterr.KindChanged, at, "%s was created by another program just now. Nothing was changed; look at it first.", vaulterr.Quote(at))
		case err != nil:
			return vaulterr.Wrap(err, at, "create")
		}
		v.in.Changed(path.Dir(at))
		if mode != 0 {
			_ = dir.Chmod(name, mode.Perm()|0o700) // independent of the umask; optional
		}
		return nil
	})
}

// removeEmpty removes a folder that contains at most temporary files of a crash.
func (v *workTree) removeEmpty(at string) {
	_ = v.inHolder(at, func(dir *os.Root, name string) error {
		info, err := dir.Lstat(name)
		if err != nil || !info.IsDir() {
			return err
		}
		v.in.Forget(at)
		_, _ = atomicfile.SweepTemps(dir, name) // remaining files keep the folder
		if dir.Remove(name) == nil {
			v.in.Changed(path.Dir(at))
		}
		return nil
	})
}

// rename moves a file or folder to an unused name, also one that differs in case only.
func (v *workTree) rename(from, to string) error {
	err := v.inHolder(from, func(oldDir *os.Root, oldName string) error {
		return v.inHolder(to, func(newDir *os.Root, newName string) error {
			if path.Dir(from) == path.Dir(to) && pathname.Fold(oldName) == pathname.Fold(newName) {
				return respell(oldDir, oldName, newName)
			}
			return atomicfile.RenameNoReplace(oldDir, oldName, newDir, newName)
		})
	})
	v.in.Forget(from)
	v.in.Forget(to)
	if err != nil {
		return err
	}
	v.in.Changed(path.Dir(to))
	if path.Dir(from) != path.Dir(to) {
		err = v.in.Flush(v.files) // before the removal can be
		v.in.Changed(path.Dir(from))
	}
	return err
}

// names returns the names in a folder, except temporary files of a crash.
func (v *workTree) names(folder string) (names []string, err error) {
	err = v.inFolder(folder, folder, func(dir *os.Root) (err error) {
		if names, err = fsys.ReadNames(dir); err != nil {
			err = vaulterr.Wrap(err, folder, "read")
		}
		return err
	})
	return slices.DeleteFunc(names, atomicfile.IsTemp), err
}

// respelled reports whether a move differs in case or normal form only.
func respelled(c *journal.Change) bool {
	return path.Dir(c.Path) == path.Dir(c.NewPath) && pathname.Fold(path.Base(c.Path)) == pathname.Fold(path.Base(c.NewPath))
}

// spelled reports whether a folder has a name in exactly this spelling, even if the file system ignores case.
func (v *workTree) spelled(at string) bool {
	names, err := v.names(path.Dir(at))
	return err == nil && slices.Contains(names, path.Base(at))
}

func isLink(print string) bool { return strings.HasPrefix(print, linkPrint) }

// plainName reports whether a name can be the name of a folder entry.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= pathname.MaxName && fs.ValidPath(name) && filepath.IsLocal(name) &&
		!strings.ContainsRune(name, 0) && !strings.ContainsRune(name, '/') && (filepath.Separator == '/' || !strings.ContainsRune(name, filepath.Separator))
}
