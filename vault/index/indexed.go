package index

import (
	"bytes"
	"io/fs"
	"os"
	"sync"

	"chatvault/vault/fsys"
	"chatvault/vault/linematch"
)

// Tree is a snapshot of the vault for a walk. Content that is not kept in memory is read from the disk.
type Tree struct {
	Dir  *os.Root
	Root *Folder

	once sync.Once
	disk fsys.Tree
	err  error
}

// Close closes the tree.
func (t *Tree) Close() error {
	t.once.Do(func() {}) // prevents a later open
	if t.disk == nil {
		return nil
	}
	return t.disk.Close()
}

// Open opens a folder of the index, or of the disk if the index does not have it.
func (t *Tree) Open(name string) (fsys.Folder, error) {
	f := t.Root.Find(name)
	if f == nil || f.Err != nil {
		return t.onDisk(name) // it is new, or may have become readable
	}
	return &indexFolder{tree: t, path: name, f: f}, nil
}

func (t *Tree) onDisk(name string) (fsys.Folder, error) {
	t.once.Do(func() { t.disk, t.err = fsys.Open(t.Dir) })
	if t.err != nil {
		return nil, t.err
	}
	return t.disk.Open(name)
}

// indexFolder is a folder of a Tree.
type indexFolder struct {
	tree *Tree
	path string
	f    *Folder
	next int         // likely index of the next requested file
	disk fsys.Folder // nil until needed
	text Kept        // only one file is open at a time
}

func (f *indexFolder) Close() {
	if f.disk != nil {
		f.disk.Close()
	}
}

func (f *indexFolder) Entries(yield func(name string, kind fsys.Kind) bool) error {
	for _, file := range f.f.Files {
		if !yield(file.Name, fsys.KindFile) {
			return nil
		}
	}
	for _, sub := range f.f.Folders {
		if !yield(sub.Name, fsys.KindFolder) {
			return nil
		}
	}
	return nil
}

// file returns the file of this name or nil. Files are usually requested in their order.
func (f *indexFolder) file(name string) *File {
	for i := max(f.next-1, 0); i <= f.next && i < len(f.f.Files); i++ {
		if f.f.Files[i].Name == name {
			f.next = i + 1
			return f.f.Files[i]
		}
	}
	i := f.f.Index(name)
	if i < 0 {
		return nil
	}
	f.next = i + 1
	return f.f.Files[i]
}

// real returns the folder on the disk.
func (f *indexFolder) real() (fsys.Folder, error) {
	if f.disk == nil {
		disk, err := f.tree.onDisk(f.path)
		if err != nil {
			return nil, err
		}
		f.disk = disk
	}
	return f.disk, nil
}

func (f *indexFolder) Stat(name string) (fsys.Stat, error) {
	file, sub := f.file(name), f.f.Folder(name)
	switch {
	case file != nil && file.Known():
		return file.Stat, nil
	case file == nil && sub == nil:
		return fsys.Stat{}, fs.ErrNotExist
	case file == nil && sub.Err == nil:
		return sub.Stat, nil
	}
	disk, err := f.real()
	if err != nil {
		return fsys.Stat{}, err
	}
	return disk.Stat(name)
}

func (f *indexFolder) OpenFile(name string) (fsys.File, error) {
	if file := f.file(name); file != nil {
		if t := file.Text(); t != nil {
			f.text.file, f.text.Text = file, t
			f.text.Reset(t.Data)
			return &f.text, nil
		}
	}
	disk, err := f.real()
	if err != nil {
		return nil, err
	}
	return disk.OpenFile(name)
}

// Filter returns the filter of a file's text or nil.
func (f *indexFolder) Filter(name string) *linematch.Filter {
	if file := f.file(name); file != nil {
		return file.Filter()
	}
	return nil
}

// Filtered is a folder that may have filters for texts that are not in memory.
type Filtered interface {
	Filter(name string) *linematch.Filter
}

// Kept is a file whose text is in memory.
type Kept struct {
	bytes.Reader
	file *File
	Text *Text
}

// Close does nothing.
func (h *Kept) Close() error { return nil }

// Stat returns the file's stat in the index.
func (h *Kept) Stat() (fsys.Stat, error) { return h.file.Stat, nil }
