package vault

import (
	"errors"
	"io/fs"
	"syscall"
	"time"
)

// entryKind is what a folder says of an entry.
type entryKind uint8

const (
	kindOther entryKind = iota // links, sockets, devices: not for us
	kindFile
	kindFolder
)

// A tree gives access to the folders below a vault's root. The operating system keeps
// every access inside the vault: see the implementations.
type tree interface {
	// open opens the folder with this true name ("" for the root), following no links.
	open(name string) (folderHandle, error)
	close() error
}

// folderHandle is an open folder. It is used by one goroutine.
type folderHandle interface {
	// entries calls yield for each entry, "." and ".." left out, until it returns false.
	entries(yield func(name string, kind entryKind) bool) error
	// openFile opens a regular file for reading, following no link and never blocking.
	openFile(name string) (fileHandle, error)
	// stat describes an entry itself, should it be a link.
	stat(name string) (fileStat, error)
	close()
}

// fileHandle is an open regular file. Read is io.Reader's but for its end, which is 0, nil.
type fileHandle interface {
	read(buf []byte) (int, error)
	stat() (fileStat, error)
	close()
}

// fileStat is what walks need of fs.FileInfo.
type fileStat struct {
	size     int64
	modified int64 // nanoseconds since 1970
	kind     entryKind

	// What tells whether it is the same as before, as far as the system says: see index.Stat.
	changed       int64
	inode, device uint64
	access        uint32
	links         uint16
}

func (s fileStat) time() time.Time { return time.Unix(0, s.modified) }

// accessOf is equal as long as mode and owner are.
func accessOf(mode, user, group uint32) uint32 {
	return (mode*16777619^user)*16777619 ^ group
}

// vanished reports errors that mean that a name is no longer what it was when its folder
// was read: it is gone, or is a link now. Such an entry is not there.
func vanished(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// errTooLong says that a file is longer than is read.
var errTooLong = errors.New("it is too long")
