package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// AppendFile appends data, one or more lines, to name in root, and returns when they are on disk. It adds a missing
// final newline and writes everything in one call. If the file does not end in a newline because a crash tore its
// last line, data begins on a new line. A failed write is undone. perm is the mode of a new file, before the umask.
// The folder must exist.
func AppendFile(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	return Writer{}.Append(root, name, data, Options{Perm: perm})
}

// Append is AppendFile with options, of which Perm and Lazy count.
func (w Writer) Append(root *os.Root, name string, data []byte, o Options) error {
	name = path.Clean(filepath.ToSlash(name))
	if len(data) == 0 {
		return nil
	}
	old, err := target(root, name)
	if err != nil {
		return err
	}
	if err := w.fault(StepCreate, name); err != nil {
		return fmt.Errorf("append to %s: %w", name, err)
	}
	// O_NONBLOCK: do not block if a FIFO has replaced the file.
	f, err := root.OpenFile(name, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, o.Perm.Perm())
	if err != nil {
		return fmt.Errorf("append to %s: %w", name, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("append to %s: %w", name, err)
	}
	if !info.Mode().IsRegular() {
		return &fs.PathError{Op: "append", Path: name, Err: errNotRegular}
	}

	line, err := wholeLines(f, info.Size(), data)
	if err != nil {
		return fmt.Errorf("append to %s: %w", name, err)
	}
	if err := w.write(f, name, line); err != nil {
		undoAppend(f, info.Size(), int64(len(line)))
		return fmt.Errorf("append to %s: %w", name, err)
	}
	if o.Lazy {
		return nil
	}
	if err := w.step(StepSync, name, f.Sync); err != nil {
		return fmt.Errorf("append to %s: %w", name, err)
	}
	if old == nil {
		return w.SyncDir(root, path.Dir(name))
	}
	return nil
}

// wholeLines returns data with the newlines necessary to append complete lines to f.
func wholeLines(f *os.File, size int64, data []byte) ([]byte, error) {
	line := make([]byte, 0, len(data)+2)
	if size > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			return nil, err
		}
		if last[0] != '\n' {
			line = append(line, '\n')
		}
	}
	line = append(line, data...)
	if !bytes.HasSuffix(line, []byte("\n")) {
		line = append(line, '\n')
	}
	return line, nil
}

// undoAppend truncates the remains of a failed append, unless another process has appended since: readers skip a torn
// line, but a lost line is lost.
func undoAppend(f *os.File, size, wrote int64) {
	info, err := f.Stat()
	if err != nil || info.Size() <= size || info.Size() >= size+wrote {
		return
	}
	_ = f.Truncate(size)
}

// Remove removes name from root and syncs its folder, so that the file does not reappear after a crash. It is no
// error if the file does not exist.
func (w Writer) Remove(root *os.Root, name string) error {
	name = path.Clean(filepath.ToSlash(name))
	if err := w.fault(StepRemove, name); err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	if err := root.Remove(name); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return w.SyncDir(root, path.Dir(name))
}

// Remove is Writer.Remove.
func Remove(root *os.Root, name string) error { return Writer{}.Remove(root, name) }
