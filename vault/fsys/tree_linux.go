package fsys

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Open returns the Tree for walks.
func Open(root *os.Root) (Tree, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	t := &fdTree{dir: dir, fd: int(dir.Fd())}
	probe, err := openBeneath(t.fd, ".")
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) { // the kernel or a sandbox does not support openat2
		_ = dir.Close()
		return RootTree{root}, nil
	}
	if err == nil {
		_ = unix.Close(probe)
	}
	return t, nil
}

// fdTree accesses folders by file descriptors, at about half the cost of os.Root. The kernel confines it equally: a
// folder is opened by its complete path relative to the root's descriptor with openat2, RESOLVE_BENEATH (the path
// must stay below the root) and RESOLVE_NO_SYMLINKS (no component may be a link); a file by its name, which contains
// no "/", relative to its folder's descriptor with O_NOFOLLOW. Neither can leave the root, even if anything is
// renamed or replaced at the same time.
type fdTree struct {
	dir *os.File
	fd  int
}

func (t *fdTree) Close() error { return t.dir.Close() }

const (
	openFolderFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	// O_NONBLOCK: opening does not block even if the file has become a FIFO.
	openFileFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

	// pathBytes is the maximum length of a path for one system call; PATH_MAX is 4096.
	pathBytes = 4000
)

func (t *fdTree) Open(name string) (Folder, error) {
	if name == "" {
		fd, err := openat(t.fd, ".", openFolderFlags)
		return newFDFolder(fd), err
	}
	from := t.fd
	for len(name) > pathBytes { // open it in steps
		cut := strings.LastIndexByte(name[:pathBytes], '/')
		if cut <= 0 {
			break // too long a name for any file system; let the kernel fail
		}
		fd, err := openBeneath(from, name[:cut])
		if from != t.fd {
			_ = unix.Close(from)
		}
		if err != nil {
			return nil, err
		}
		from, name = fd, name[cut+1:]
	}
	fd, err := openBeneath(from, name)
	if from != t.fd {
		_ = unix.Close(from)
	}
	if err != nil {
		return nil, err
	}
	return newFDFolder(fd), nil
}

// openBeneath opens the folder at path below dir without following links.
func openBeneath(dir int, path string) (int, error) {
	how := unix.OpenHow{
		Flags:   openFolderFlags,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		fd, err := unix.Openat2(dir, path, &how)
		if err != unix.EINTR && err != unix.EAGAIN {
			return fd, err
		}
	}
}

func openat(dir int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

type fdFolder struct{ fd int }

func newFDFolder(fd int) *fdFolder { return &fdFolder{fd} }

// Descriptor returns the folder's file descriptor.
func (f *fdFolder) Descriptor() int { return f.fd }

func (f *fdFolder) Close() { _ = unix.Close(f.fd) } // it was only read

// direntBuffers holds buffers for Entries.
var direntBuffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// Offsets in struct linux_dirent64.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

func (f *fdFolder) Entries(yield func(string, Kind) bool) error {
	buf := direntBuffers.Get().(*[32 << 10]byte)
	defer direntBuffers.Put(buf)
	for {
		n, err := unix.Getdents(f.fd, buf[:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			return err
		}
		for rest := buf[:n]; len(rest) > direntName; {
			length := int(binary.NativeEndian.Uint16(rest[direntLength:]))
			if length <= direntName || length > len(rest) {
				return unix.EIO
			}
			name := rest[direntName:length]
			kind := rest[direntType]
			rest = rest[length:]
			for i, c := range name {
				if c == 0 {
					name = name[:i]
					break
				}
			}
			if len(name) == 0 || name[0] == '.' && (len(name) == 1 || len(name) == 2 && name[1] == '.') {
				continue
			}
			text := entryName(f, string(name))
			if !yield(text, f.kindOf(text, kind)) {
				return nil
			}
		}
	}
}

func (f *fdFolder) kindOf(name string, kind byte) Kind {
	switch kind {
	case unix.DT_REG:
		return KindFile
	case unix.DT_DIR:
		return KindFolder
	case unix.DT_UNKNOWN: // the file system does not report it
		if st, err := f.Stat(name); err == nil {
			return st.Kind
		}
	}
	return KindOther
}

func (f *fdFolder) Stat(name string) (Stat, error) { return statEntry(name, f.stat) }

func (f *fdFolder) stat(name string) (Stat, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(f.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Stat{}, err
	}
	return fdStat(&st), nil
}

func fdStat(st *unix.Stat_t) Stat {
	out := Stat{
		Size: st.Size, Modified: st.Mtim.Nano(), Changed: st.Ctim.Nano(), Inode: st.Ino, Device: uint64(st.Dev), //nolint:unconvert // its type is the platform's
		Access: accessOf(st.Mode, st.Uid, st.Gid), Links: uint16(min(uint64(st.Nlink), math.MaxUint16)), //nolint:unconvert // as above
		ReadOnly: st.Mode&0o222 == 0,
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		out.Kind = KindFile
	case unix.S_IFDIR:
		out.Kind = KindFolder
	}
	return out
}

func (f *fdFolder) OpenFile(name string) (File, error) {
	fd, err := openat(f.fd, name, openFileFlags)
	switch {
	case err != nil && isOffline(f, name):
		return nil, ErrNotDownloaded
	case err != nil:
		return nil, err
	}
	return fdFile(fd), nil
}

// fdFile is a file descriptor. The entry was a regular file when its folder was read; if it no longer is one, reads
// do not block, since O_NONBLOCK applies to FIFOs and devices.
type fdFile int

func (f fdFile) Close() error { return unix.Close(int(f)) }

func (f fdFile) Stat() (Stat, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f), &st); err != nil {
		return Stat{}, err
	}
	return fdStat(&st), nil
}

func (f fdFile) Read(buf []byte) (int, error) {
	for {
		n, err := unix.Read(int(f), buf)
		switch {
		case err == unix.EINTR:
			continue
		case err == nil && n == 0 && len(buf) > 0:
			err = io.EOF
		}
		return max(n, 0), err
	}
}
