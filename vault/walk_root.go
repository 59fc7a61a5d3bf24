package vault

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// rootTree reads folders through os.Root, on every platform. The links that os.Root
// would follow inside the vault are refused by looking at each entry first and at what
// was opened after.
type rootTree struct{ root *os.Root }

func (t rootTree) open(name string) (folderHandle, error) {
	dir, err := t.root.OpenRoot(".")
	if err != nil || name == "" {
		return &rootFolder{dir: dir}, err
	}
	for component := range strings.SplitSeq(name, "/") {
		next, err := openChild(dir, component)
		_ = dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return &rootFolder{dir: dir}, nil
}

// openChild opens a folder in dir that is no link.
func openChild(dir *os.Root, name string) (*os.Root, error) {
	before, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, syscall.ENOTDIR
	}
	child, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if after, err := child.Stat("."); err != nil || !os.SameFile(before, after) {
		_ = child.Close()
		return nil, fs.ErrNotExist // replaced in between
	}
	return child, nil
}

func (rootTree) close() error { return nil }

type rootFolder struct{ dir *os.Root }

func (f *rootFolder) close() { _ = f.dir.Close() } // it was only read

func (f *rootFolder) entries(yield func(string, entryKind) bool) error {
	self, err := f.dir.Open(".")
	if err != nil {
		return err
	}
	defer self.Close() // it was only read
	for {
		list, err := self.ReadDir(512)
		for _, e := range list {
			if !yield(e.Name(), kindOf(e.Type())) {
				return nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func kindOf(mode fs.FileMode) entryKind {
	switch {
	case mode.IsRegular():
		return kindFile
	case mode.IsDir():
		return kindFolder
	}
	return kindOther
}

func statOf(info fs.FileInfo) fileStat {
	st := fileStat{size: info.Size(), modified: info.ModTime().UnixNano(), kind: kindOf(info.Mode()), access: uint32(info.Mode())}
	addSystem(&st, info)
	return st
}

func (f *rootFolder) stat(name string) (fileStat, error) {
	info, err := f.dir.Lstat(name)
	if err != nil {
		return fileStat{}, err
	}
	return statOf(info), nil
}

func (f *rootFolder) openFile(name string) (fileHandle, error) {
	before, err := f.dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	file, err := f.dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if after, err := file.Stat(); err != nil || !os.SameFile(before, after) {
		_ = file.Close()
		return nil, fs.ErrNotExist // replaced in between
	}
	return &rootFile{file}, nil
}

type rootFile struct{ file *os.File }

func (f *rootFile) close() { _ = f.file.Close() } // it was only read

func (f *rootFile) stat() (fileStat, error) {
	info, err := f.file.Stat()
	if err != nil {
		return fileStat{}, err
	}
	return statOf(info), nil
}

func (f *rootFile) read(buf []byte) (int, error) {
	n, err := f.file.Read(buf)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}
