// Package fsys reaches the files of a vault on the disk: trees of folders that a walk goes through,
// folders kept open, the lock on the vault. The operating system confines every access to the
// root; which of what is there may be seen is decided elsewhere.
package fsys

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
	"time"
)

// Kind is what a folder says of an entry.
type Kind uint8

// The kinds of entries.
const (
	KindOther Kind = iota // links, sockets, devices: not for us
	KindFile
	KindFolder
)

// A Tree gives access to the folders below a vault's root. The operating system keeps
// every access inside the vault: see the implementations.
type Tree interface {
	// Open opens the folder with this true name ("" for the root), following no links.
	Open(name string) (Folder, error)
	Close() error
}

// Folder is an open folder. It is used by one goroutine.
type Folder interface {
	// Entries calls yield for each entry, "." and ".." left out, until it returns false.
	Entries(yield func(name string, kind Kind) bool) error
	// OpenFile opens a regular file for reading, following no link and never blocking.
	OpenFile(name string) (File, error)
	// Stat describes an entry itself, should it be a link; "." is the folder.
	Stat(name string) (Stat, error)
	Close()
}

// File is an open regular file.
type File interface {
	io.ReadCloser
	Stat() (Stat, error)
}

// Stat is what walks and the index need of fs.FileInfo. Two that are equal are of one file, which nobody
// changed in between unless within its clock's last tick.
type Stat struct {
	Size     int64
	Modified int64 // nanoseconds since 1970
	Kind     Kind
	ReadOnly bool // its mode forbids everybody to write

	Changed int64 // of its name, owner or content, in nanoseconds since 1970; 0 where the system does not say
	Inode   uint64
	Device  uint64
	Access  uint32 // equal as long as its mode and owner are
	Links   uint16 // names it has, at most 65535; 0 where the system does not say
}

// Time is when the file was modified.
func (s Stat) Time() time.Time { return time.Unix(0, s.Modified) }

// accessOf is equal as long as mode and owner are.
func accessOf(mode, user, group uint32) uint32 {
	return (mode*16777619^user)*16777619 ^ group
}

// Vanished reports errors that mean that a name is no longer what it was when its folder
// was read: it is gone, or is a link now. Such an entry is not there.
func Vanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// ErrTooLong says that a file is longer than is read.
var ErrTooLong = errors.New("it is too long")

// ReadAll adds the rest of a file to buf, which grows where it must; longer than limit it is
// ErrTooLong.
func ReadAll(f File, buf []byte, limit int64) ([]byte, error) {
	buf, err := ReadHead(f, buf, int(limit)+1)
	if err == nil && int64(len(buf)) > limit {
		err = ErrTooLong
	}
	return buf, err
}

// ReadHead adds the first bytes of a file to buf, which then holds at most max.
func ReadHead(f File, buf []byte, max int) ([]byte, error) {
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
