// Package vault is a folder of Markdown notes and the only way to it: every path
// is cleaned by one function, confined by the operating system (os.Root), kept out
// of protected folders and looked up ignoring case and Unicode normal form; every
// write is atomic and goes through one place. It knows no model and no screen.
package vault

import (
	"context"
	"errors"
	"io/fs"
	"time"
)

// errStub marks what is still to be written.
var errStub = errors.New("vault: not written yet")

// Info describes a file or folder.
type Info struct {
	Path     string // true name, '/' separated, "." for the root
	Folder   bool
	Size     int64     // bytes; 0 for a folder
	Items    int       // folder: visible entries in it (not recursive)
	Modified time.Time // local time
	Created  time.Time // zero where unknown: the front matter's date, else the file system's birth time
	Mode     fs.FileMode
}

// Stat describes what path names.
func (v *Vault) Stat(ctx context.Context, path string) (Info, error) { return Info{}, errStub }

// File is the content of a file as it was read.
type File struct {
	Path string // true name
	Data []byte
	Hash string // of Data: what Write's IfHash compares
	Mode fs.FileMode
}

// MaxRead bounds what Read loads at once, in bytes.
const MaxRead = 64 << 20

// Read returns the whole file; over MaxRead it is KindTooLarge.
func (v *Vault) Read(ctx context.Context, path string) (*File, error) { return nil, errStub }

// LineRange asks for lines Start to End (1-based, inclusive; 0: from the top, to the end),
// bounded by MaxLines and MaxBytes of text; a line longer than MaxLineBytes is cut.
type LineRange struct {
	Start, End   int
	MaxLines     int
	MaxBytes     int
	MaxLineBytes int
}

// Lines is a part of a file.
type Lines struct {
	Path      string   // true name
	Start     int      // number of the first line in Text
	Text      []string // without line ends
	Cut       []int    // per line: bytes left out of it, 0 mostly
	Total     int      // lines in the file
	Truncated bool     // stopped at a bound before End
	Binary    bool     // the file is not text: Text is empty
	Size      int64
	Hash      string // of the whole file (Write's IfHash); computed while streaming
}

// ReadLines streams the file, so that a file of any size costs bounded memory.
func (v *Vault) ReadLines(ctx context.Context, path string, r LineRange) (*Lines, error) {
	return nil, errStub
}

// Change is one change to the vault; every one, whatever the method, goes through one
// place (apply), which is where a journal hooks in.
type Change struct {
	Op      string // "create", "overwrite", "edit", "move", "delete", "mkdir"
	Path    string // true name before
	NewPath string // move: true name after; delete: where it went, for the user
}

// Write creates or overwrites a file atomically, parents included. When the file exists and
// ifHash is not empty, it is KindChanged unless the content still has that hash. An existing
// file keeps its mode; line ends and BOM are the caller's business.
func (v *Vault) Write(ctx context.Context, path string, data []byte, ifHash string) (Change, error) {
	return Change{}, errStub
}

// Mkdir makes a folder, parents included; created is false when it was there.
func (v *Vault) Mkdir(ctx context.Context, path string) (name string, created bool, err error) {
	return "", false, errStub
}

// Move renames a file or folder; parents are made, nothing is overwritten, a rename that
// differs in case only works.
func (v *Vault) Move(ctx context.Context, source, destination string) (Change, error) {
	return Change{}, errStub
}

// Delete moves a file or folder to the trash that `trashOption` in .obsidian/app.json
// names. A folder that is not empty needs recursive. Never the root.
func (v *Vault) Delete(ctx context.Context, path string, recursive bool) (Change, error) {
	return Change{}, errStub
}

// Shape is the vault in numbers, for a prompt or a header.
type Shape struct {
	Notes, Files, Folders int
	Top                   []FolderCount // the largest folders, by notes at any depth below them
	Complete              bool          // false when the walk stopped at its bound or ctx ended
}

// FolderCount counts notes at any depth below a folder.
type FolderCount struct {
	Path  string
	Notes int
}

// Shape walks the vault, at most maxEntries entries.
func (v *Vault) Shape(ctx context.Context, maxEntries, maxFolders int) (Shape, error) {
	return Shape{}, errStub
}
