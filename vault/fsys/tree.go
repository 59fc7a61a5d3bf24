// Package fsys accesses the files of a vault on disk: folder trees for walks, a cache of open folders, and the lock
// of the vault. The operating system confines every access to the root. Visibility is decided elsewhere.
package fsys

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
	"time"
)

// Kind is the type of a folder entry.
type Kind uint8

// The kinds of entries.
const (
	KindOther Kind = iota // links, sockets, devices: not supported
	KindFile
	KindFolder
)

// Tree provides access to the folders below a vault's root. The operating system keeps every access inside the vault,
// see the implementations.
type Tree interface {
	// Open opens the folder with this true name ("" for the root) without following links.
	Open(name string) (Folder, error)
	Close() error
}

// Folder is an open folder. It must be used by one goroutine only.
type Folder interface {
	// Entries calls yield for each entry except "." and ".." until it returns false. A placeholder of iCloud has the
	// name of its file.
	Entries(yield func(name string, kind Kind) bool) error
	// OpenFile opens a regular file for reading. It follows no link and does not block. For a file that is not
	// downloaded, the error is ErrNotDownloaded.
	OpenFile(name string) (File, error)
	// Stat describes an entry; a link is not followed. "." is the folder itself.
	Stat(name string) (Stat, error)
	Close()
}

// File is an open regular file.
type File interface {
	io.ReadCloser
	Stat() (Stat, error)
}

// Stat is the part of fs.FileInfo that walks and the index need. Equal values mean the same unchanged file, except
// for changes within the resolution of its clock.
type Stat struct {
	Size     int64
	Modified int64 // nanoseconds since 1970
	Kind     Kind
	ReadOnly bool // no write permission for anyone
	Offline  bool // the content is not on this computer; see ErrNotDownloaded

	Changed int64 // last change of name, owner or content, in nanoseconds since 1970; 0 if unknown
	Inode   uint64
	Device  uint64
	Access  uint32 // hash of mode and owner
	Links   uint16 // number of hard links, at most 65535; 0 if unknown
}

// Time returns the modification time.
func (s Stat) Time() time.Time { return time.Unix(0, s.Modified) }

// accessOf returns a hash of mode and owner.
func accessOf(mode, user, group uint32) uint32 {
	return (mode*16777619^user)*16777619 ^ group
}

// Vanished reports whether err means that an entry no longer exists or has become another one since its folder was read.
// Callers skip such an entry.
func Vanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP) || errors.Is(err, ErrSwapped)
}

// ErrTooLong is returned for a file longer than the limit.
var ErrTooLong = errors.New("it is too long")

// ReadAll appends the rest of a file to buf. If it is longer than limit, the error is ErrTooLong.
func ReadAll(f io.Reader, buf []byte, limit int64) ([]byte, error) {
	buf, err := ReadHead(f, buf, int(limit)+1)
	if err == nil && int64(len(buf)) > limit {
		err = ErrTooLong
	}
	return buf, err
}

// ReadHead appends to buf until it holds max bytes or the file ends.
func ReadHead(f io.Reader, buf []byte, max int) ([]byte, error) {
	for len(buf) < max {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := f.Read(buf[len(buf):min(cap(buf), max)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}
