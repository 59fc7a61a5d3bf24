// Package atomicfile writes files that survive a crash: a replaced file has either its old or its new content, an
// appended line is on disk when the call returns, and a failure leaves the old content and no temporary file.
//
// A write creates a temporary file in the same folder, syncs it, renames it to the target, and syncs the folder. A
// failed fsync is never repeated on the same descriptor: the kernel may have dropped the dirty pages and would report
// success.
//
// Functions take an os.Root and a name relative to it, with "/"; those whose names end in Path take a plain path.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"

	"chatvault/internal/base/failpoint"
)

// TempPrefix is the prefix of all temporary files of this package, by which SweepTemps finds the remains of a crash.
const TempPrefix = ".chatvault-tmp-"

// Step is a step of a durable write. The constants are in the order of execution.
type Step string

// The steps of writing a file, in order.
const (
	StepCreate  Step = "create"      // create the temporary file
	StepWrite   Step = "write"       // write its content
	StepSync    Step = "sync"        // fsync it
	StepRename  Step = "rename"      // rename it to the target
	StepSyncDir Step = "sync folder" // fsync the folder
	StepRemove  Step = "remove"      // remove a file
)

// Writer writes files durably. The package's functions use its zero value. It has no state and is safe for concurrent
// use.
type Writer struct {
	// Fault, if set, is called before each step; the step fails with the error it returns. Tests use it to simulate a
	// failing disk.
	Fault func(step Step, name string) error
}

// Options are the options of Writer.Replace.
type Options struct {
	// Perm is the mode of a new file, before the umask. An existing file keeps its mode.
	Perm fs.FileMode
	// Exclusive makes it an error, fs.ErrExist, if the file exists.
	Exclusive bool
	// Modified is the modification time of the file; zero means now.
	Modified time.Time
	// Lazy syncs nothing: after a power failure, the file may have its old content or be damaged.
	Lazy bool

	mustExist bool // it is an error if the file does not exist
}

// WriteFile atomically and durably replaces name in root with data. perm is the mode of a new file, before the umask;
// an existing file keeps its mode. The folder must exist.
func WriteFile(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	return Writer{}.Replace(root, name, data, Options{Perm: perm})
}

// WritePath is WriteFile for a plain path. It follows a symbolic link to a file, so that the link is kept.
func WritePath(name string, data []byte, perm fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	return inFolder(name, func(root *os.Root, base string) error {
		return WriteFile(root, base, data, perm)
	})
}

// CreatePath is WritePath for a new file. The error is fs.ErrExist if there is one.
func CreatePath(name string, data []byte, perm fs.FileMode) error {
	return inFolder(name, func(root *os.Root, base string) error {
		return Writer{}.Replace(root, base, data, Options{Perm: perm, Exclusive: true})
	})
}

// inFolder calls do with the folder of a plain path.
func inFolder(name string, do func(root *os.Root, base string) error) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return do(root, filepath.Base(name))
}

// Replace is WriteFile with options.
func (w Writer) Replace(root *os.Root, name string, data []byte, o Options) error {
	if failpoint.Naive {
		return naive(root, name, data, o.Perm)
	}
	s, err := w.stage(root, name, data, o, true)
	if err != nil {
		return err
	}
	defer s.Close(root)
	if !o.Lazy {
		if err := s.sync(); err != nil {
			return err
		}
	}
	if err := s.Place(root); err != nil || o.Lazy {
		return err
	}
	return w.SyncDir(root, path.Dir(s.name))
}

// target describes the file that name would replace, nil if there is none. It returns an error for anything but a
// regular file.
func target(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "write", Path: name, Err: errNotRegular}
	}
	return info, nil
}

var errNotRegular = errors.New("is not a regular file")

// createTemp creates a temporary file in dir. With lock, it is locked, which shows sweeps that it is in use.
func (w Writer) createTemp(root *os.Root, dir string, perm fs.FileMode, lock bool) (string, *os.File, error) {
	if err := w.fault(StepCreate, dir); err != nil {
		return "", nil, err
	}
	for range 100 {
		name := path.Join(dir, TempPrefix+rand.Text())
		f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm.Perm())
		if err != nil {
			return "", nil, err
		}
		// If a sweep removed it before it was locked, create another one.
		if !lock || lockTemp(f) {
			return name, f, nil
		}
		_ = f.Close()
		_ = root.Remove(name)
	}
	return "", nil, errors.New("its temporary files are removed again and again")
}

// SyncDir syncs a folder. File systems that do not support it return EINVAL or ENOTSUP, which is no error.
func (w Writer) SyncDir(root *os.Root, dir string) error {
	if err := w.fault(StepSyncDir, dir); err != nil {
		return fmt.Errorf("flush folder %s: %w", dir, err)
	}
	d, err := root.Open(dir)
	if err != nil {
		return fmt.Errorf("flush folder %s: %w", dir, err)
	}
	defer func() { _ = d.Close() }()
	err = syncDir(d)
	if err == nil || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return fmt.Errorf("flush folder %s: %w", dir, err)
}

// SyncDir syncs a folder of root, so that created and removed names are durable.
func SyncDir(root *os.Root, dir string) error { return Writer{}.SyncDir(root, dir) }

func (w Writer) write(f *os.File, name string, data []byte) error {
	return w.step(StepWrite, name, func() error { _, err := f.Write(data); return err })
}

// step runs a step unless w.Fault prevents it.
func (w Writer) step(step Step, name string, do func() error) error {
	if err := w.fault(step, name); err != nil {
		return err
	}
	return do()
}

func (w Writer) fault(step Step, name string) error {
	failpoint.Pass("file " + string(step))
	if w.Fault == nil {
		return nil
	}
	return w.Fault(step, name)
}

// naive writes without protection against crashes: in place, in two parts, without fsync. Only builds with failpoints
// use it, on request, to show that the tests that kill the program detect writes that are not durable.
func naive(root *os.Root, name string, data []byte, perm os.FileMode) error {
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	if _, err := out.Write(data[:len(data)/2]); err != nil {
		return err
	}
	failpoint.Pass("file naive write")
	time.Sleep(time.Millisecond) // like a slow disk
	_, err = out.Write(data[len(data)/2:])
	return err
}
