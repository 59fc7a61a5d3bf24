// Package statefile opens the program's own files and folders with care, because what lies in their
// place may not be ours: only regular files and real folders are opened, no link is followed, no
// pipe, device or socket is waited for, and no more of a file is read than it may hold.
//
// Everything works on an os.Root and a name relative to it ('/' separated).
package statefile

import (
	"bytes"
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
	"time"

	"github.com/gofrs/flock"

	"chatvault/internal/atomicfile"
)

// What can be wrong with what has a file's or a folder's name; the error that wraps it names the
// whole path and says what to do.
var (
	ErrNotFile   = errors.New("is not a regular file")
	ErrNotFolder = errors.New("is not a folder")
	ErrTooLarge  = errors.New("is too large to be ours")
)

// Foreign says whether an error is that something else than a file or folder of ours has its name.
func Foreign(err error) bool {
	return errors.Is(err, ErrNotFile) || errors.Is(err, ErrNotFolder) || errors.Is(err, ErrTooLarge)
}

// refuse names the path, and what to do.
func refuse(root *os.Root, name string, why error) error {
	return fmt.Errorf("%s %w; move it away", filepath.Join(root.Name(), filepath.FromSlash(name)), why)
}

// Read reads a file of at most most bytes whole; fs.ErrNotExist where there is none.
func Read(root *os.Root, name string, most int64) ([]byte, error) {
	f, info, err := Open(root, name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info.Size() > most {
		return nil, refuse(root, name, ErrTooLarge)
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	_, err = b.ReadFrom(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(b.Len()) > most: // it grew meanwhile
		return nil, refuse(root, name, ErrTooLarge)
	}
	return b.Bytes(), nil
}

// ErrLater says that a later version of the program wrote a file.
var ErrLater = errors.New("it was written by a later version of chatvault")

// Senseless is the error of a file that can be read and is none of ours, or is none any more.
type Senseless struct{ error }

// Unwrap is what is wrong with it.
func (s Senseless) Unwrap() error { return s.error }

// ReadJSON reads a JSON file of ours into v: fs.ErrNotExist where there is none, ErrLater where its form came after
// the one that is known here, a Senseless where it makes no sense or says no form.
func ReadJSON(root *os.Root, name string, most int64, known int, v any) error {
	data, err := Read(root, name, most)
	switch {
	case err != nil && !Foreign(err):
		return err
	case err != nil:
		return Senseless{err}
	}
	schema := schemaOf(data)
	if schema > known {
		return ErrLater
	}
	if err = json.Unmarshal(data, v); err == nil && schema != known {
		err = errors.New("it does not say its schema")
	}
	if err != nil {
		return Senseless{err}
	}
	return nil
}

// Later says whether a JSON file of ours has a form that came after the one that is known here. Its other fields
// may be anything.
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

// IDTime is the form of the time that an id begins with.
const IDTime = "20060102-150405"

// NewID makes an id that no other has and that sorts by time.
func NewID(now time.Time) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return now.UTC().Format(IDTime) + "-" + hex.EncodeToString(b[:])
}

// WriteJSON writes a value as a JSON file of ours, durably.
func WriteJSON(root *os.Root, name string, v any) error {
	return writeJSON(root, name, v, atomicfile.Options{Perm: 0o600})
}

// WriteJSONLazily is WriteJSON for what may be the old value after a power cut.
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

// Open opens a regular file, and with os.O_CREATE in flag makes it with perm where there is none. The
// caller closes it. A file that another process replaces meanwhile is opened again.
func Open(root *os.Root, name string, flag int, perm fs.FileMode) (*os.File, fs.FileInfo, error) {
	for range 100 {
		f, info, err := openOnce(root, name, flag, perm)
		if !errors.Is(err, errReplaced) {
			return f, info, err
		}
	}
	return nil, nil, fmt.Errorf("%s: %w", filepath.Join(root.Name(), filepath.FromSlash(name)), errReplaced)
}

// errReplaced: what was opened is not what was looked at, which proves nothing about what it is.
var errReplaced = errors.New("is being replaced over and over")

func openOnce(root *os.Root, name string, flag int, perm fs.FileMode) (*os.File, fs.FileInfo, error) {
	info, err := Stat(root, name)
	if err != nil && (flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, nil, err
	}
	// openFlags: should a pipe have taken the name meanwhile, opening must not hang.
	f, err := root.OpenFile(name, flag|openFlags, perm)
	if err != nil {
		return nil, nil, err
	}
	opened, err := f.Stat()
	switch {
	case err != nil:
	case !opened.Mode().IsRegular():
		err = refuse(root, name, ErrNotFile)
	case info != nil && !os.SameFile(info, opened):
		err = errReplaced
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, opened, nil
}

// Stat describes a regular file; fs.ErrNotExist where there is none.
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
		return nil, refuse(root, name, ErrNotFile)
	}
	return info, nil
}

// checkFolders says whether a folder and those it lies in are folders and no links.
func checkFolders(root *os.Root, name string) error {
	at := ""
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		info, err := root.Lstat(at)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return refuse(root, at, ErrNotFolder)
		}
	}
	return nil
}

// Folder opens a folder; fs.ErrNotExist where there is none. The caller closes it.
func Folder(root *os.Root, name string) (*os.Root, error) {
	if err := checkFolders(root, name); err != nil {
		return nil, err
	}
	return root.OpenRoot(name)
}

// MakeFolder makes a folder (0700) that is missing, durably: files in a folder that a power cut takes
// are lost. Something else in its place is an error.
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

// List lists a folder, at most MostListed of what is in it, in no order; fs.ErrNotExist where there is none.
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

// MostListed bounds how much of a folder List gives.
const MostListed = 100_000

// NewLock is a lock by a file, which is made with the first lock; what is not a regular file is refused.
func NewLock(root *os.Root, name string) (*flock.Flock, error) {
	if _, err := Stat(root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return flock.New(filepath.Join(root.Name(), filepath.FromSlash(name)), flock.SetPermissions(0o600)), nil
}
