package index

import (
	"slices"
	"strings"
	"sync/atomic"

	"chatvault/vault/linematch"

	"chatvault/vault/fsys"
)

// Folder is what a folder holds at one moment. It never changes: where something in it changes,
// another Folder takes its place, and that of each folder above it.
type Folder struct {
	Name    string // "" for the root
	Stat    fsys.Stat
	Files   []*File   // in order of their names
	Folders []*Folder // in order of their names
	Err     error     // why it could not be read; nil: it was

	listed int64 // when its names were read, in nanoseconds since 1970
	watch  int   // what the watcher calls it; 0: it is not watched
}

// File is a file at one moment. When anything about the file changes, another File takes its place.
type File struct {
	Name string
	Stat fsys.Stat
	text atomic.Pointer[Text]
}

// Text is the content of a note.
type Text struct {
	Data   []byte // must not be changed
	Binary bool   // there is a NUL in it
	// LongestLine is the length of its longest line in bytes, or more: that of a short text is its own.
	LongestLine int

	read int64 // when it was read, in nanoseconds since 1970
	memo memo

	filter *linematch.Filter // of a text for which there was no room; Data is nil
}

// Text is the file's content, or nil where it is not kept.
func (f *File) Text() *Text {
	if t := f.text.Load(); t != nil && t.filter == nil {
		return t
	}
	return nil
}

// Filter says which patterns match nothing in a file whose text is not kept, or is nil.
func (f *File) Filter() *linematch.Filter {
	if t := f.text.Load(); t != nil {
		return t.filter
	}
	return nil
}

// Known reports whether Stat can be relied on. The system does not tell when a file is changed by
// another name that it has outside of what is watched.
func (f *File) Known() bool { return f.Stat.Links <= 1 }

// Find is the folder at a path below f, "" being f itself, or nil.
func (f *Folder) Find(path string) *Folder {
	for path != "" {
		name, rest, _ := strings.Cut(path, "/")
		if f = f.Folder(name); f == nil {
			return nil
		}
		path = rest
	}
	return f
}

// Folder is the folder of this name in f, or nil.
func (f *Folder) Folder(name string) *Folder {
	if i, ok := slices.BinarySearchFunc(f.Folders, name, compareFolder); ok {
		return f.Folders[i]
	}
	return nil
}

// File is the file of this name in f, or nil.
func (f *Folder) File(name string) *File {
	if i := f.Index(name); i >= 0 {
		return f.Files[i]
	}
	return nil
}

// Index is where in f.Files the file of this name is; -1: there is none.
func (f *Folder) Index(name string) int {
	if i, ok := slices.BinarySearchFunc(f.Files, name, compareFile); ok {
		return i
	}
	return -1
}

func compareFile(f *File, name string) int     { return strings.Compare(f.Name, name) }
func compareFolder(f *Folder, name string) int { return strings.Compare(f.Name, name) }

// at is f with the folder at a path below it replaced by what edit makes of it; nil takes it away.
// Where there is no such folder it is f.
func (f *Folder) at(path string, edit func(*Folder) *Folder) *Folder {
	if path == "" {
		return edit(f)
	}
	name, rest, _ := strings.Cut(path, "/")
	old := f.Folder(name)
	if old == nil {
		return f
	}
	made := old.at(rest, edit)
	switch made {
	case old:
		return f
	case nil:
		return f.without(name)
	}
	return f.with(made)
}

// with is f with a folder in it, in the place of one of the same name.
func (f *Folder) with(sub *Folder) *Folder {
	next := *f
	i, ok := slices.BinarySearchFunc(f.Folders, sub.Name, compareFolder)
	if ok {
		next.Folders = slices.Clone(f.Folders)
		next.Folders[i] = sub
	} else {
		next.Folders = slices.Concat(f.Folders[:i], []*Folder{sub}, f.Folders[i:])
	}
	return &next
}

// without is f without the folder of this name.
func (f *Folder) without(name string) *Folder {
	i, ok := slices.BinarySearchFunc(f.Folders, name, compareFolder)
	if !ok {
		return f
	}
	next := *f
	next.Folders = slices.Concat(f.Folders[:i], f.Folders[i+1:])
	return &next
}

// each calls visit for every folder at any depth below f, which is at path, f the last of them.
func (f *Folder) each(path string, visit func(path string, f *Folder)) {
	for _, sub := range f.Folders {
		sub.each(join(path, sub.Name), visit)
	}
	visit(path, f)
}

// join is the path of a name in a folder.
func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// split is the folder and the name of a path.
func split(path string) (folder, name string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}
