package vault

import (
	"chatvault/vault/fsys"
	"context"
	"io/fs"
	"sync"

	"chatvault/vault/index"
)

// openTree gives a walk its access to folders: to what the index has in memory where it is in
// force, else to the disk. A walk is the same on either, so what it finds is, too.
func (v *Vault) openTree(ctx context.Context) (fsys.Tree, error) {
	if x := v.index.Load(); x != nil {
		if root := x.View(ctx); root != nil {
			return &indexTree{v: v, root: root}, nil
		}
	}
	return fsys.Open(v.root)
}

// indexTree is the vault as it was when the walk began, but for what is not kept in memory, which
// is on the disk.
type indexTree struct {
	v    *Vault
	root *index.Folder

	once sync.Once
	disk fsys.Tree
	err  error
}

// cold is the tree on the disk.
func (t *indexTree) cold() (fsys.Tree, error) {
	t.once.Do(func() { t.disk, t.err = fsys.Open(t.v.root) })
	return t.disk, t.err
}

func (t *indexTree) Close() error {
	t.once.Do(func() {}) // nobody opens it any more
	if t.disk == nil {
		return nil
	}
	return t.disk.Close()
}

func (t *indexTree) Open(name string) (fsys.Folder, error) {
	f := t.root.Find(name)
	if f == nil || f.Err != nil {
		return t.onDisk(name) // it came in this moment; it may be to be read by now
	}
	return &indexFolder{tree: t, path: name, f: f}, nil
}

func (t *indexTree) onDisk(name string) (fsys.Folder, error) {
	disk, err := t.cold()
	if err != nil {
		return nil, err
	}
	return disk.Open(name)
}

// indexFolder is a folder of an indexTree.
type indexFolder struct {
	tree *indexTree
	path string
	f    *index.Folder
	next int         // where the next file that is asked for stands, likely
	disk fsys.Folder // nil: not needed so far
	text textHandle  // one file is open at a time
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

// file is the file of this name, or nil. Files are mostly asked for in their order.
func (f *indexFolder) file(name string) *index.File {
	if f.next < len(f.f.Files) && f.f.Files[f.next].Name == name {
		f.next++
		return f.f.Files[f.next-1]
	}
	i := f.f.Index(name)
	if i < 0 {
		return nil
	}
	f.next = i + 1
	return f.f.Files[i]
}

// real is the folder on the disk.
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
	if file := f.file(name); file != nil {
		if !file.Known() {
			return f.realStat(name)
		}
		return fsys.FromIndex(file.Stat), nil
	}
	if sub := f.f.Folder(name); sub != nil {
		if sub.Err != nil {
			return f.realStat(name)
		}
		return fsys.FromIndex(sub.Stat), nil
	}
	return fsys.Stat{}, fs.ErrNotExist
}

func (f *indexFolder) realStat(name string) (fsys.Stat, error) {
	disk, err := f.real()
	if err != nil {
		return fsys.Stat{}, err
	}
	return disk.Stat(name)
}

func (f *indexFolder) OpenFile(name string) (fsys.File, error) {
	if file := f.file(name); file != nil {
		if t := file.Text(); t != nil {
			f.text = textHandle{file: file, text: t}
			return &f.text, nil
		}
	}
	disk, err := f.real()
	if err != nil {
		return nil, err
	}
	return disk.OpenFile(name)
}

// textHandle is a file whose text is in memory.
type textHandle struct {
	file *index.File
	text *index.Text
	at   int // read so far
}

func (h *textHandle) Close() {}

func (h *textHandle) Stat() (fsys.Stat, error) { return fsys.FromIndex(h.file.Stat), nil }

func (h *textHandle) ReadNext(buf []byte) (int, error) {
	n := copy(buf, h.text.Data[h.at:])
	h.at += n
	return n, nil
}
