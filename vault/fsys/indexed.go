package fsys

import (
	"io/fs"
	"os"
	"sync"

	"chatvault/vault/index"
	"chatvault/vault/linematch"
)

// Indexed is the vault as it was when the walk began, but for what is not kept in memory, which
// is on the disk.
type Indexed struct {
	Dir  *os.Root
	Root *index.Folder

	once sync.Once
	disk Tree
	err  error
}

// cold is the tree on the disk.
func (t *Indexed) cold() (Tree, error) {
	t.once.Do(func() { t.disk, t.err = Open(t.Dir) })
	return t.disk, t.err
}

// Close ends the tree.
func (t *Indexed) Close() error {
	t.once.Do(func() {}) // nobody opens it any more
	if t.disk == nil {
		return nil
	}
	return t.disk.Close()
}

// Open opens a folder of the index, or of the disk where the index has it not.
func (t *Indexed) Open(name string) (Folder, error) {
	f := t.Root.Find(name)
	if f == nil || f.Err != nil {
		return t.onDisk(name) // it came in this moment; it may be to be read by now
	}
	return &indexFolder{tree: t, path: name, f: f}, nil
}

func (t *Indexed) onDisk(name string) (Folder, error) {
	disk, err := t.cold()
	if err != nil {
		return nil, err
	}
	return disk.Open(name)
}

// indexFolder is a folder of an Indexed tree.
type indexFolder struct {
	tree *Indexed
	path string
	f    *index.Folder
	next int    // where the next file that is asked for stands, likely
	disk Folder // nil: not needed so far
	text Kept   // one file is open at a time
}

func (f *indexFolder) Close() {
	if f.disk != nil {
		f.disk.Close()
	}
}

func (f *indexFolder) Entries(yield func(name string, kind Kind) bool) error {
	for _, file := range f.f.Files {
		if !yield(file.Name, KindFile) {
			return nil
		}
	}
	for _, sub := range f.f.Folders {
		if !yield(sub.Name, KindFolder) {
			return nil
		}
	}
	return nil
}

// file is the file of this name, or nil. Files are mostly asked for in their order.
func (f *indexFolder) file(name string) *index.File {
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

// real is the folder on the disk.
func (f *indexFolder) real() (Folder, error) {
	if f.disk == nil {
		disk, err := f.tree.onDisk(f.path)
		if err != nil {
			return nil, err
		}
		f.disk = disk
	}
	return f.disk, nil
}

func (f *indexFolder) Stat(name string) (Stat, error) {
	if file := f.file(name); file != nil {
		if !file.Known() {
			return f.realStat(name)
		}
		return FromIndex(file.Stat), nil
	}
	if sub := f.f.Folder(name); sub != nil {
		if sub.Err != nil {
			return f.realStat(name)
		}
		return FromIndex(sub.Stat), nil
	}
	return Stat{}, fs.ErrNotExist
}

func (f *indexFolder) realStat(name string) (Stat, error) {
	disk, err := f.real()
	if err != nil {
		return Stat{}, err
	}
	return disk.Stat(name)
}

func (f *indexFolder) OpenFile(name string) (File, error) {
	if file := f.file(name); file != nil {
		if t := file.Text(); t != nil {
			f.text = Kept{file: file, Text: t}
			return &f.text, nil
		}
	}
	disk, err := f.real()
	if err != nil {
		return nil, err
	}
	return disk.OpenFile(name)
}

// Filter is what is known of the text of a file, or nil.
func (f *indexFolder) Filter(name string) *linematch.Filter {
	if file := f.file(name); file != nil {
		return file.Filter()
	}
	return nil
}

// Filtered is a folder that knows something of texts that it would have to read.
type Filtered interface {
	Filter(name string) *linematch.Filter
}

// Kept is a file whose text is in memory.
type Kept struct {
	file *index.File
	Text *index.Text
	at   int // read so far
}

// Close does nothing: the text is in memory.
func (h *Kept) Close() {}

// Stat is what the index knows of the file.
func (h *Kept) Stat() (Stat, error) { return FromIndex(h.file.Stat), nil }

// ReadNext reads on from the text in memory.
func (h *Kept) ReadNext(buf []byte) (int, error) {
	n := copy(buf, h.Text.Data[h.at:])
	h.at += n
	return n, nil
}
