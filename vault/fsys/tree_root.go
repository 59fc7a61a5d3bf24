package fsys

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// RootTree accesses folders through os.Root, on every platform. os.Root would follow links inside the vault, so each
// entry is checked before and after it is opened.
type RootTree struct{ Root *os.Root }

// Open opens the folder with this true name.
func (t RootTree) Open(name string) (Folder, error) {
	dir, err := t.Root.OpenRoot(".")
	if err != nil || name == "" {
		return &rootFolder{dir: dir}, err
	}
	for component := range strings.SplitSeq(name, "/") {
		next, err := OpenInner(dir, component)
		_ = dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return &rootFolder{dir: dir}, nil
}

// Close does nothing: the caller owns the root.
func (RootTree) Close() error { return nil }

type rootFolder struct{ dir *os.Root }

func (f *rootFolder) Close() { _ = f.dir.Close() } // it was only read

func (f *rootFolder) Entries(yield func(string, Kind) bool) error {
	self, err := f.dir.Open(".")
	if err != nil {
		return err
	}
	defer self.Close() // it was only read
	for {
		list, err := self.ReadDir(512)
		for _, e := range list {
			if !yield(entryName(f, e.Name()), kindOf(e.Type())) {
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

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return KindFile
	case mode.IsDir():
		return KindFolder
	}
	return KindOther
}

func statOf(info fs.FileInfo) Stat {
	st := Stat{Size: info.Size(), Modified: info.ModTime().UnixNano(), Kind: kindOf(info.Mode()), ReadOnly: info.Mode().Perm()&0o222 == 0, Access: uint32(info.Mode())}
	addSystem(&st, info)
	return st
}

func (f *rootFolder) Stat(name string) (Stat, error) { return statEntry(name, f.stat) }

func (f *rootFolder) stat(name string) (Stat, error) {
	info, err := f.dir.Lstat(name)
	if err != nil {
		return Stat{}, err
	}
	return statOf(info), nil
}

func (f *rootFolder) OpenFile(name string) (File, error) {
	if isOffline(f, name) {
		return nil, ErrNotDownloaded
	}
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
		return nil, fs.ErrNotExist // it was replaced in between
	}
	return rootFile{file}, nil
}

type rootFile struct{ *os.File }

func (f rootFile) Stat() (Stat, error) {
	info, err := f.File.Stat()
	if err != nil {
		return Stat{}, err
	}
	return statOf(info), nil
}
