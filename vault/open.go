// Package vault is a folder of Markdown notes and the only way to it: every path
// is cleaned by one function, confined by the operating system (os.Root), kept out
// of protected folders and looked up ignoring case and Unicode normal form; every
// write is atomic and goes through one place. It knows no model and no screen.
package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"chatvault/internal/atomicfile"
	"chatvault/vault/failure"
	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/index"
	"chatvault/vault/journal"
	"chatvault/vault/obsidian"
	"chatvault/vault/pathname"
	"chatvault/vault/query"
)

// Vault is an open vault. It is safe for concurrent use.
type Vault struct {
	query.Queries // about all notes
	obsidian.App

	root *os.Root // every access goes through it, or through a Root opened from it
	dir  string   // absolute path, links resolved

	changing    chan struct{} // holds a value while something is changed: one change at a time
	hook        hook          // told of every change; nil: nobody is
	private     *glob.List    // paths no operation may see; nil: none
	files       atomicfile.Writer
	journal     *journal.Journal                             // keeps the changes; nil: nobody does
	kept        journal.Home                                 // where what is deleted is kept; nil: nowhere of ours
	undoGuard   func(ctx context.Context, path string) error // see GuardUndo
	watchers    watchers
	ownWatchers watchers

	indexing  sync.Mutex // held while the index is started and stopped
	index     atomic.Pointer[index.Index]
	indexDisk fsys.Tree // what the index reads through
	closed    bool
}

// Open opens the vault at dir (any spelling; made absolute).
func Open(dir string) (*Vault, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, failure.Wrap(err, dir, "open the vault")
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failure.New(failure.KindNotFound, dir, "There is no folder %s. Name the vault's folder with --vault DIR.", failure.Quote(dir)).Because(err)
	case err != nil:
		return nil, failure.Wrap(err, dir, "open the vault")
	case !info.IsDir():
		return nil, failure.New(failure.KindNotFolder, dir, "%s is a file, not a folder. Name the vault's folder with --vault DIR.", failure.Quote(dir))
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, failure.Wrap(err, dir, "open the vault")
	}
	v := &Vault{root: root, dir: abs, changing: make(chan struct{}, 1)}
	v.Queries, v.App = query.Of(vaultView{v}), obsidian.In(vaultView{v})
	return v, nil
}

// Close releases it.
func (v *Vault) Close() error {
	v.stopIndex()
	return v.root.Close()
}

// Dir is the absolute path of the vault's folder, symbolic links resolved.
func (v *Vault) Dir() string { return v.dir }

// ReadOnly says that nothing in it can be changed: its folder cannot be written.
func (v *Vault) ReadOnly() bool { return fsys.MayWrite(v.dir) != nil }

// Name is the last element of Dir.
func (v *Vault) Name() string { return filepath.Base(v.dir) }

type (
	// Error is what a method of the vault fails with, for those outside of it.
	Error = failure.Error
	// Kind is what kind of failure it is.
	Kind = failure.Kind
)

// The kinds of failure.
const (
	KindDenied    = failure.KindDenied
	KindNotFound  = failure.KindNotFound
	KindExists    = failure.KindExists
	KindIsFolder  = failure.KindIsFolder
	KindNotFolder = failure.KindNotFolder
	KindAmbiguous = failure.KindAmbiguous
	KindChanged   = failure.KindChanged
	KindTooLarge  = failure.KindTooLarge
	KindBinary    = failure.KindBinary
)

// CleanPath is pathname.Clean.
func CleanPath(p string) (string, error) { return pathname.Clean(p) }

// IsNote is pathname.IsNote.
func IsNote(name string) bool { return pathname.IsNote(name) }
