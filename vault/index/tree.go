package index

import (
	"slices"
	"strings"
	"sync/atomic"

	"chatvault/vault/linematch"

	"chatvault/vault/fsys"
)

// Folder is a snapshot of a folder. It is immutable: a change replaces the Folder and all its parents.
type Folder struct {
	Name    string // "" for the root
	Stat    fsys.Stat
	Files   []*File   // sorted by name
	Folders []*Folder // sorted by name
	Err     error     // the read error, if any

	watch int // the watcher's ID; 0 if it is not watched
}

// File is a snapshot of a file. A change of the file replaces it.
type File struct {
	Name string
	Stat fsys.Stat
	text atomic.Pointer[Text]
}

// Text is the content of a note.
type Text struct {
	Data    []byte // read-only
	Special bool   // linematch.HasSpecial of Data

	read int64 // time of reading, in nanoseconds since 1970

	filter *linematch.Filter // the filter of a text that is not kept; Data is nil then
}

// Text returns the file's content, or nil if it is not kept.
func (f *File) Text() *Text {
	if t := f.text.Load(); t != nil && t.filter == nil {
		return t
	}
	return nil
}

// Filter returns the filter of a file whose text is not kept, or nil.
func (f *File) Filter() *linematch.Filter {
	if t := f.text.Load(); t != nil {
		return t.filter
	}
	return nil
}

// Known reports whether Stat is reliable. The system does not report changes through another name of the file outside
// of the watched folders.
func (f *File) Known() bool { return f.Stat.Links <= 1 }

// Find returns the folder at a path below f, or nil; "" is f itself.
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

// Folder returns the subfolder of this name, or nil.
func (f *Folder) Folder(name string) *Folder {
	if i, ok := slices.BinarySearchFunc(f.Folders, name, compareFolder); ok {
		return f.Folders[i]
	}
	return nil
}

// File returns the file of this name, or nil.
func (f *Folder) File(name string) *File {
	if i := f.Index(name); i >= 0 {
		return f.Files[i]
	}
	return nil
}

// Index returns the index in f.Files of the file of this name, or -1.
func (f *Folder) Index(name string) int {
	if i, ok := slices.BinarySearchFunc(f.Files, name, compareFile); ok {
		return i
	}
	return -1
}

func compareFile(f *File, name string) int     { return strings.Compare(f.Name, name) }
func compareFolder(f *Folder, name string) int { return strings.Compare(f.Name, name) }

// join returns the path of a name in a folder.
func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// split returns the folder and the name of a path.
func split(path string) (folder, name string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}
