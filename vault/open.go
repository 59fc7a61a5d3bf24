// Package vault provides the only access to a folder of Markdown notes: every path is cleaned by one function,
// confined by the operating system (os.Root), kept out of protected folders, and looked up ignoring case and Unicode
// normal form; every write is atomic and goes through one place.
package vault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/fsys"
	"chatvault/vault/lookup"
	"chatvault/vault/obsidian"
	"chatvault/vault/pathname"
	"chatvault/vault/query"
	"chatvault/vault/trash"
	"chatvault/vault/vaulterr"
)

// Vault is an open vault. It is safe for concurrent use.
//
// Besides reading, searching and changing files, it has parts: questions about all notes, Obsidian's settings, the
// recorded changes, and the index.
type Vault struct {
	Query    query.Queries
	Obsidian obsidian.App
	History  History
	Index    Index

	finder lookup.Finder // every access goes through it or a Root opened from it
	dir    string        // absolute path, links resolved

	changing chan struct{} // holds a value during a change: one at a time

	files atomicfile.Writer
	trash trash.Trash
}

// Open opens the vault at dir, which may be relative.
func Open(dir string) (*Vault, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, vaulterr.Wrap(err, dir, "open the vault")
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, vaulterr.New(vaulterr.KindNotFound, dir, "There is no folder %s. Name the vault's folder with --vault DIR.", vaulterr.Quote(dir)).Because(err)
	case err != nil:
		return nil, vaulterr.Wrap(err, dir, "open the vault")
	case !info.IsDir():
		return nil, vaulterr.New(vaulterr.KindNotFolder, dir, "%s is a file, not a folder. Name the vault's folder with --vault DIR.", vaulterr.Quote(dir))
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, vaulterr.Wrap(err, dir, "open the vault")
	}
	v := &Vault{finder: lookup.Finder{Root: root}, dir: abs, trash: trash.Trash{Root: root, Dir: abs}, changing: make(chan struct{}, 1)}
	v.Query, v.Obsidian = query.Of(vaultView{v}), obsidian.In(vaultView{v})
	v.History.vault, v.Index.vault = v, v
	return v, nil
}

// Close closes the vault.
func (v *Vault) Close() error {
	v.Index.stop()
	return v.finder.Root.Close()
}

// Dir returns the absolute path of the vault's folder, with links resolved.
func (v *Vault) Dir() string { return v.dir }

// ReadOnly reports whether the vault's folder cannot be written.
func (v *Vault) ReadOnly() bool { return fsys.MayWrite(v.dir) != nil }

// Name returns the last element of Dir.
func (v *Vault) Name() string { return filepath.Base(v.dir) }

type (
	// Error is the error type of the vault's methods.
	Error = vaulterr.Error
	// Kind is the kind of an Error.
	Kind = vaulterr.Kind
)

// The kinds of errors.
const (
	KindDenied    = vaulterr.KindDenied
	KindNotFound  = vaulterr.KindNotFound
	KindExists    = vaulterr.KindExists
	KindIsFolder  = vaulterr.KindIsFolder
	KindNotFolder = vaulterr.KindNotFolder
	KindAmbiguous = vaulterr.KindAmbiguous
	KindChanged   = vaulterr.KindChanged
	KindTooLarge  = vaulterr.KindTooLarge
	KindBinary    = vaulterr.KindBinary
)

// IsNote is pathname.IsNote.
func IsNote(name string) bool { return pathname.IsNote(name) }
