package artifact

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/failpoint"
	"chatvault/internal/base/statefile"
	"chatvault/vault/pathname"
)

// Folder holds the artifacts, below the state folder: OWNER/HASH/NAME, with the first digits of the hash.
const Folder = "artifacts"

// State is the state of an artifact.
type State string

// The states.
const (
	Created State = "created" // its content is being stored
	Ready   State = "ready"   // its content is on disk
	Failed  State = "failed"  // its content could not be stored
)

// Store holds the artifacts of a vault. It is safe for concurrent use by several processes.
type Store struct{ root *os.Root }

// NewStore returns the store below a vault's state folder. It does not access it yet.
func NewStore(root *os.Root) *Store { return &Store{root} }

// Put durably stores data for an owner. name is its original name, which may be anything.
func (s *Store) Put(owner, name string, data []byte) (Artifact, error) {
	a, err := Describe(name, data)
	if err == nil && !validOwner(owner) {
		err = fmt.Errorf("%q cannot have artifacts", owner)
	}
	if err != nil {
		return a, err
	}
	place := placeOf(owner, a)
	if had, err := statefile.Read(s.root, place, MaxSize); err != nil || !a.Is(had) {
		if s.size(owner)+a.Size > MaxOwned {
			return a, fmt.Errorf("%w: this conversation would have more than %d MB of artifacts", ErrTooLarge, MaxOwned>>20)
		}
		failpoint.Pass("artifact created")
		for _, folder := range []string{Folder, Folder + "/" + owner, path.Dir(place)} {
			if err := statefile.MakeFolder(s.root, folder); err != nil {
				return a, err
			}
		}
		if err := atomicfile.WriteFile(s.root, place, data, 0o600); err != nil {
			return a, err
		}
		failpoint.Pass("artifact stored")
	}
	a.File = s.File(owner, a)
	return a, nil
}

// size returns the size of an owner's artifacts in bytes.
func (s *Store) size(owner string) (size int64) {
	_ = fs.WalkDir(s.root.FS(), Folder+"/"+owner, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err // nothing is there yet
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}

// Read returns the content with a hash, of any owner. It returns fs.ErrNotExist if there is none.
func (s *Store) Read(hash string) ([]byte, error) {
	if validHash(hash) {
		if data, ok := s.first(Folder+"/*/"+hash[:hashInPath]+"/*", func(_ string, data []byte) bool { return Artifact{Hash: hash}.Is(data) }); ok {
			return data, nil
		}
	}
	return nil, fmt.Errorf("no artifact %q is kept: %w", hash, fs.ErrNotExist)
}

// Named returns the artifact of an owner with a name.
func (s *Store) Named(owner, name string) ([]byte, bool) {
	return s.first(Folder+"/"+owner+"/*/*", func(had string, _ []byte) bool { return had == name })
}

// first returns the first file that matches a pattern and for which right returns true.
func (s *Store) first(pattern string, right func(name string, data []byte) bool) ([]byte, bool) {
	found, _ := fs.Glob(s.root.FS(), pattern) // it only fails for a malformed pattern
	for _, file := range found {
		if data, err := statefile.Read(s.root, file, MaxSize); err == nil && right(path.Base(file), data) {
			return data, true
		}
	}
	return nil, false
}

// File returns the path of an owner's artifact, or empty for an invalid one.
func (s *Store) File(owner string, a Artifact) string {
	if !validOwner(owner) || !a.sound() {
		return ""
	}
	return filepath.Join(s.root.Name(), filepath.FromSlash(placeOf(owner, a)))
}

// hashInPath is the length of the hash in a path. Reading compares the whole hash.
const hashInPath = 12

func placeOf(owner string, a Artifact) string {
	return path.Join(Folder, owner, a.Hash[:hashInPath], a.Name)
}

// Forget removes the artifacts of owners.
func (s *Store) Forget(owner ...string) (err error) {
	gone := false
	for _, o := range owner {
		if _, statErr := s.root.Lstat(Folder + "/" + o); validOwner(o) && statErr == nil {
			gone, err = true, errors.Join(err, s.root.RemoveAll(Folder+"/"+o))
		}
	}
	if gone {
		err = errors.Join(err, atomicfile.SyncDir(s.root, Folder))
	}
	return err
}

// orphaned is how long artifacts without an owner are kept: a conversation is stored after its first turn, and a
// message may wait longer.
const orphaned = 24 * time.Hour

// Sweep removes artifacts without an owner. there reports whether an owner exists.
func (s *Store) Sweep(there func(owner string) bool) error {
	list, err := statefile.List(s.root, Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, f := range list {
		owner := f.Name()
		if info, infoErr := f.Info(); infoErr == nil && !there(owner) && time.Since(info.ModTime()) > orphaned {
			err = errors.Join(err, s.Forget(owner))
		}
	}
	return err
}

// sound reports whether a description is valid: it may come from a conversation that a folder synchroniser brought.
func (a Artifact) sound() bool {
	clean, err := pathname.Clean(a.Name)
	return validHash(a.Hash) && err == nil && clean == a.Name && !strings.Contains(a.Name, "/") && pathname.NewNameFault(a.Name) == ""
}

// validOwner reports whether an ID can only name an owner's folder.
func validOwner(id string) bool {
	return id != "" && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && !validHash(id)
}

func validHash(h string) bool { return len(h) == 64 && strings.Trim(h, "0123456789abcdef") == "" }
