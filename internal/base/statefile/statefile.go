// Package statefile safely opens the program's own files and folders, in whose place something else may exist. It
// opens only regular files and real folders, follows no links, does not block on pipes, devices or sockets, and
// limits how much of a file it reads.
//
// All functions take an os.Root and a name relative to it, with "/".
package statefile

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"chatvault/internal/base/atomicfile"
)

// Errors for something else in place of a file or folder. The error that wraps them contains the complete path and
// the remedy.
var (
	ErrNotFile   = errors.New("is not a regular file")
	ErrNotFolder = errors.New("is not a folder")
	ErrTooLarge  = errors.New("is too large to be ours")
)

// Foreign reports whether err means that the name belongs to something other than a file or folder of the program.
func Foreign(err error) bool {
	return errors.Is(err, ErrNotFile) || errors.Is(err, ErrNotFolder) || errors.Is(err, ErrTooLarge)
}

// errForeign returns an error with the path and the remedy.
func errForeign(root *os.Root, name string, why error) error {
	return fmt.Errorf("%s %w; move it away", filepath.Join(root.Name(), filepath.FromSlash(name)), why)
}

// Read reads a file of at most most bytes. The error is fs.ErrNotExist if there is none.
func Read(root *os.Root, name string, most int64) ([]byte, error) {
	f, info, err := Open(root, name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info.Size() > most {
		return nil, errForeign(root, name, ErrTooLarge)
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	_, err = b.ReadFrom(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(b.Len()) > most: // it has grown
		return nil, errForeign(root, name, ErrTooLarge)
	}
	return b.Bytes(), nil
}

// ErrLater is returned for a file written by a newer version of the program.
var ErrLater = errors.New("it was written by a later version of chatvault")

// Senseless is the error for a readable file that is not one of the program, or is damaged.
type Senseless struct{ error }

// Unwrap returns the cause.
func (s Senseless) Unwrap() error { return s.error }

// ReadJSON reads a JSON file into v. The error is fs.ErrNotExist if there is none, ErrLater if its schema is newer
// than known, and a Senseless if it is invalid or has no schema.
func ReadJSON(root *os.Root, name string, most int64, known int, v any) error {
	data, err := Read(root, name, most)
	switch {
	case err != nil && !Foreign(err):
		return err
	case err != nil:
		return Senseless{err}
	}
	return DecodeJSON(data, known, v)
}

// ReadOrSetAside is ReadJSON, except that no file is no error and an invalid file is set aside: the error, for the user, is
// then one for which SetAside returns true, and v may be filled in part.
func ReadOrSetAside(root *os.Root, name string, most int64, known int, v any) error {
	err := ReadJSON(root, name, most, known, v)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, senseless := errors.AsType[Senseless](err); !senseless {
		return err
	}
	moved, asideErr := atomicfile.SetAside(root, name)
	if asideErr != nil {
		return fmt.Errorf("%s is invalid (%w) and could not be set aside: %w", name, err, asideErr)
	}
	return aside{fmt.Errorf("%s was invalid and was set aside as %s: %w", name, filepath.Join(root.Name(), moved), err)}
}

// SetAside reports whether an error of ReadOrSetAside is that the file was set aside.
func SetAside(err error) bool {
	_, ok := errors.AsType[aside](err)
	return ok
}

type aside struct{ error }

// DecodeJSON is ReadJSON for the content of a file.
func DecodeJSON(data []byte, known int, v any) error {
	schema := schemaOf(data)
	if schema > known {
		return ErrLater
	}
	err := json.Unmarshal(data, v)
	if err == nil && schema != known {
		err = errors.New("it does not say its schema")
	}
	if err != nil {
		return Senseless{err}
	}
	return nil
}

// Later reports whether the schema of a JSON file is newer than known. Its other fields may be anything.
func Later(data []byte, known int) bool { return schemaOf(data) > known }

func schemaOf(data []byte) int {
	var version struct {
		Schema int `json:"schema"`
	}
	if json.Unmarshal(data, &version) != nil {
		return 0
	}
	return version.Schema
}

// IDTime is the time format at the start of an ID.
const IDTime = "20060102-150405"

// NewID returns a unique ID. IDs sort by time.
func NewID(now time.Time) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return now.UTC().Format(IDTime) + "-" + hex.EncodeToString(b[:])
}

// WriteJSON durably writes a value as a JSON file.
func WriteJSON(root *os.Root, name string, v any) error {
	return writeJSON(root, name, v, atomicfile.Options{Perm: 0o600})
}

// WriteJSONLazily is WriteJSON without syncing: after a power failure the file may have its old content or be damaged.
func WriteJSONLazily(root *os.Root, name string, v any) error {
	return writeJSON(root, name, v, atomicfile.Options{Perm: 0o600, Lazy: true})
}

func writeJSON(root *os.Root, name string, v any, o atomicfile.Options) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Writer{}.Replace(root, name, append(data, '\n'), o)
}

// Open opens a regular file; with os.O_CREATE in flag it is created with perm if it does not exist. The caller closes
// it.
func Open(root *os.Root, name string, flag int, perm fs.FileMode) (*os.File, fs.FileInfo, error) {
	if _, err := Stat(root, name); err != nil && (flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, nil, err
	}
	// O_NONBLOCK: do not block if a pipe has replaced the file. Windows ignores it.
	f, err := root.OpenFile(name, flag|syscall.O_NONBLOCK, perm)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errForeign(root, name, ErrNotFile)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Stat describes a regular file. The error is fs.ErrNotExist if there is none.
func Stat(root *os.Root, name string) (fs.FileInfo, error) {
	if folder := path.Dir(name); folder != "." {
		if err := checkFolders(root, folder); err != nil {
			return nil, err
		}
	}
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errForeign(root, name, ErrNotFile)
	}
	return info, nil
}

// checkFolders returns an error unless a path and its parents are folders and not links.
func checkFolders(root *os.Root, name string) error {
	at := ""
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		info, err := root.Lstat(at)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return errForeign(root, at, ErrNotFolder)
		}
	}
	return nil
}

// Folder opens a folder. The error is fs.ErrNotExist if there is none. The caller closes it.
func Folder(root *os.Root, name string) (*os.Root, error) {
	if err := checkFolders(root, name); err != nil {
		return nil, err
	}
	return root.OpenRoot(name)
}

// MakeFolder durably creates a folder with mode 0700 unless it exists. Durability matters: files in a folder lost in
// a power failure are lost too. Anything else with the name is an error.
func MakeFolder(root *os.Root, name string) error {
	err := root.Mkdir(name, 0o700)
	switch {
	case err == nil:
		return atomicfile.SyncDir(root, path.Dir(name))
	case errors.Is(err, fs.ErrExist):
		return checkFolders(root, name)
	}
	return err
}

// List returns up to MostListed entries of a folder, in no particular order. The error is fs.ErrNotExist if there is
// none.
func List(root *os.Root, name string) ([]fs.DirEntry, error) { return list(root, name, MostListed) }

func list(root *os.Root, name string, most int) ([]fs.DirEntry, error) {
	if name != "." {
		if err := checkFolders(root, name); err != nil {
			return nil, err
		}
	}
	dir, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	list, err := dir.ReadDir(most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return list, err
}

// MostListed is the maximum number of entries that List returns.
const MostListed = 100_000

// NewLock returns a file lock. The file is created with the first lock; it is an error if it is not a regular file.
func NewLock(root *os.Root, name string) (*flock.Flock, error) {
	if _, err := Stat(root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return flock.New(filepath.Join(root.Name(), filepath.FromSlash(name)), flock.SetPermissions(0o600)), nil
}

// Lock takes a file lock, for which it waits. The error is context.DeadlineExceeded if that takes too long.
func Lock(root *os.Root, name string, wait time.Duration) (release func(), err error) {
	l, err := NewLock(root, name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	if _, err := l.TryLockContext(ctx, lockPoll); err != nil {
		return nil, fmt.Errorf("cannot take the lock %s: %w", l.Path(), err)
	}
	return func() { _ = l.Unlock() }, nil
}

// WithLock runs do while it holds a file lock, for which it waits.
func WithLock(root *os.Root, name string, wait time.Duration, do func() error) error {
	release, err := Lock(root, name, wait)
	if err != nil {
		return err
	}
	defer release()
	return do()
}

const lockPoll = 2 * time.Millisecond
