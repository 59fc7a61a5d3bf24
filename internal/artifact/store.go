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

	"chatvault/internal/atomicfile"
	"chatvault/internal/failpoint"
	"chatvault/internal/statefile"
	"chatvault/vault/pathname"
)

// Folder holds the artifacts, below the state folder: OWNER/HASH/NAME, with the first digits of the hash.
const Folder = "artifacts"

// State is how far an artifact has come.
type State string

// The states.
const (
	Created State = "created" // it is known, and its bytes are being stored
	Ready   State = "ready"   // they are on disk
	Failed  State = "failed"  // they are not, and will not be
)

// Store is the artifacts of a vault. It is safe for concurrent use, also by several processes.
type Store struct{ root *os.Root }

// NewStore is the store below root, a vault's state folder. It reads and makes nothing yet.
func NewStore(root *os.Root) *Store { return &Store{root} }

// Put keeps data for an owner; when it returns nil the bytes are on disk. name is what the data was called where it
// came from, and may be anything.
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

// size is how many bytes an owner has.
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

// Read returns an artifact's bytes, whoever has it; fs.ErrNotExist where nobody does.
func (s *Store) Read(hash string) ([]byte, error) {
	if validHash(hash) {
		if data, ok := s.first(Folder+"/*/"+hash[:hashInPath]+"/*", func(_ string, data []byte) bool { return Artifact{Hash: hash}.Is(data) }); ok {
			return data, nil
		}
	}
	return nil, fmt.Errorf("no artifact %q is kept: %w", hash, fs.ErrNotExist)
}

// Named returns what an owner has by a name.
func (s *Store) Named(owner, name string) ([]byte, bool) {
	return s.first(Folder+"/"+owner+"/*/*", func(had string, _ []byte) bool { return had == name })
}

// first returns the first of the files that match a pattern and are right.
func (s *Store) first(pattern string, right func(name string, data []byte) bool) ([]byte, bool) {
	found, _ := fs.Glob(s.root.FS(), pattern) // its only error is that of a malformed pattern
	for _, file := range found {
		if data, err := statefile.Read(s.root, file, MaxSize); err == nil && right(path.Base(file), data) {
			return data, true
		}
	}
	return nil, false
}

// File is where the bytes of an owner's artifact are; empty if that is not sound.
func (s *Store) File(owner string, a Artifact) string {
	if !validOwner(owner) || !a.sound() {
		return ""
	}
	return filepath.Join(s.root.Name(), filepath.FromSlash(placeOf(owner, a)))
}

// hashInPath is how much of a hash a path has; what is read is compared with all of it.
const hashInPath = 12

func placeOf(owner string, a Artifact) string {
	return path.Join(Folder, owner, a.Hash[:hashInPath], a.Name)
}

// Forget deletes what owners had.
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

// orphaned is how long the artifacts of an owner stay that is not there: a conversation is on disk only
// after its first turn, and a message in the inbox for longer.
const orphaned = 24 * time.Hour

// Sweep deletes what belongs to no owner; there says which owners there are.
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

// sound reports whether an artifact may be what it says: a folder synchroniser may have brought the conversation
// that names it.
func (a Artifact) sound() bool {
	clean, err := pathname.Clean(a.Name)
	return validHash(a.Hash) && err == nil && clean == a.Name && !strings.Contains(a.Name, "/") && pathname.NewNameFault(a.Name) == ""
}

// validOwner keeps an id from naming anything but an owner's folder.
func validOwner(id string) bool {
	return id != "" && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && !validHash(id)
}

func validHash(h string) bool { return len(h) == 64 && strings.Trim(h, "0123456789abcdef") == "" }
