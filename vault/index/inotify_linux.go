package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/fsys"
)

// Platform returns this system's watcher.
func Platform(dir string) (Watcher, error) { return newInotify(dir) }

// inotify is a Watcher based on inotify(7). The kernel queues an event before the system call that caused it returns,
// so the queue contains all earlier changes (except those through a memory map or through another name of the file
// outside the root: see File.Known).
type inotify struct {
	dir  string // the root's absolute path
	file *os.File
	conn syscall.RawConn

	mu    sync.Mutex
	paths map[int32]string // by watch descriptor
	buf   []byte
}

// inotifyMask selects the events. IN_CLOSE_WRITE reveals writes through a memory map.
const inotifyMask = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
	unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_ONLYDIR | unix.IN_EXCL_UNLINK

func newInotify(dir string) (*inotify, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("inotify: %w", err)
	}
	file := os.NewFile(uintptr(fd), "inotify")
	conn, err := file.SyscallConn()
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("inotify: %w", err)
	}
	return &inotify{dir: dir, file: file, conn: conn, paths: map[int32]string{}, buf: make([]byte, 64<<10)}, nil
}

func (w *inotify) Close() error { return w.file.Close() }

// Add watches the open folder itself, even if another one has its name by now.
func (w *inotify) Add(path string, dir fsys.Folder) (id int, from string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	wd := -1
	err = atomicfile.OnFd(w.file, func(ifd int) error {
		at := filepath.Join(w.dir, path)
		if open, ok := dir.(interface{ Descriptor() int }); ok {
			at = "/proc/self/fd/" + strconv.Itoa(open.Descriptor()) + "/."
		}
		var err error
		wd, err = unix.InotifyAddWatch(ifd, at, inotifyMask|unix.IN_DONT_FOLLOW)
		return err
	})
	switch {
	case errors.Is(err, unix.ENOSPC):
		return 0, "", fmt.Errorf("%w (fs.inotify.max_user_watches)", ErrLimit)
	case err != nil:
		return 0, "", fmt.Errorf("inotify: %w", err)
	}
	if known := w.paths[int32(wd)]; known != path {
		from = known
	}
	w.paths[int32(wd)] = path
	return wd, from, nil
}

func (w *inotify) Remove(id int, path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if known, ok := w.paths[int32(id)]; !ok || known != path {
		return
	}
	delete(w.paths, int32(id))
	_ = atomicfile.OnFd(w.file, func(ifd int) error { // it may already be gone
		_, err := unix.InotifyRmWatch(ifd, uint32(id))
		return err
	})
}

// waiting returns the size of the queued events in bytes.
func waiting(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}

// Wait waits on the runtime's poller.
func (w *inotify) Wait() error {
	return w.conn.Read(func(fd uintptr) bool { return waiting(int(fd)) > 0 })
}

// Drain reads the events that are queued now, not later ones, so that it always ends.
func (w *inotify) Drain(each func(Event)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return atomicfile.OnFd(w.file, func(fd int) error {
		for left := waiting(fd); left > 0; {
			n, err := unix.Read(fd, w.buf)
			switch {
			case errors.Is(err, unix.EINTR):
				continue
			case errors.Is(err, unix.EAGAIN):
				return nil
			case err != nil:
				return err
			case n <= 0:
				return nil
			}
			left -= n
			w.parse(w.buf[:n], each)
		}
		return nil
	})
}

// parse parses consecutive structs inotify_event.
func (w *inotify) parse(buf []byte, each func(Event)) {
	const header = int(unsafe.Sizeof(unix.InotifyEvent{}))
	for len(buf) >= header {
		wd := int32(binary.NativeEndian.Uint32(buf))
		mask := binary.NativeEndian.Uint32(buf[4:])
		length := int(binary.NativeEndian.Uint32(buf[12:]))
		if header+length > len(buf) {
			each(Event{Op: Lost})
			return
		}
		name := buf[header : header+length]
		if i := bytes.IndexByte(name, 0); i >= 0 {
			name = name[:i]
		}
		buf = buf[header+length:]
		if mask&unix.IN_Q_OVERFLOW != 0 {
			each(Event{Op: Lost})
			continue
		}
		path, ok := w.paths[wd]
		if !ok {
			continue // a watch that was removed
		}
		switch {
		case mask&unix.IN_IGNORED != 0: // the folder and its watch are gone
			delete(w.paths, wd)
			w.gone(path, each)
		case mask&unix.IN_UNMOUNT != 0:
			each(Event{Op: Lost})
		case len(name) == 0:
			each(Event{Folder: path, Op: Self})
		case mask&(unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVED_FROM|unix.IN_MOVED_TO) != 0:
			each(Event{Folder: path, Name: string(name), Op: Replaced | Self})
		default:
			each(Event{Folder: path, Name: string(name), Op: Modified})
		}
	}
}

// gone reports that a folder is no longer watched. Its parent reports that too; the root has none.
func (w *inotify) gone(path string, each func(Event)) {
	if path == "" {
		each(Event{Op: Lost})
		return
	}
	folder, name := split(path)
	each(Event{Folder: folder, Name: name, Op: Replaced | Self})
}
