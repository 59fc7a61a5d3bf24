// Package atomicfile writes files that survive a crash: a replaced file is wholly
// the old one or wholly the new one, an appended line is on disk when the call
// returns, and a failure leaves the old bytes and no temporary file behind.
//
// The order is always: write a temporary file in the same folder, fsync it, rename
// it over the target, fsync the folder. A failed fsync is never tried again on the
// same descriptor, because the kernel may have dropped the dirty pages and would
// then report a success that never happened.
//
// Everything works on an os.Root and a name relative to it ('/' separated), or, in
// the functions that end in Path, on a plain path.
package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"

	"chatvault/internal/failpoint"
)

// TempPrefix begins the name of every temporary file this package makes. What a
// crash leaves behind is found by it (SweepTemps).
const TempPrefix = ".chatvault-tmp-"

// Step is one step of a durable write, in the order in which they happen.
type Step string

// The steps.
const (
	StepCreate  Step = "create"      // the temporary file is made
	StepWrite   Step = "write"       // its bytes are written
	StepSync    Step = "sync"        // and flushed to the disk
	StepRename  Step = "rename"      // it takes the target's name
	StepSyncDir Step = "sync folder" // the folder is flushed
	StepRemove  Step = "remove"      // a file is removed
)

// Writer writes files durably. The zero value is ready for use; the package's
// functions use it. It holds no state, so one Writer may serve many goroutines.
type Writer struct {
	// Fault, when set, is asked before each step; an error it returns counts as the
	// failure of that step. It is how tests make a disk fail.
	Fault func(step Step, name string) error
}

// Options of Writer.Replace.
type Options struct {
	// Perm is the mode of a new file, before the umask. An existing file keeps its own.
	Perm fs.FileMode
	// Exclusive refuses, with fs.ErrExist, to replace a file that exists.
	Exclusive bool
	// BeforeRename is called when the new bytes are safe in the temporary file and
	// only the rename is left. An error stops the write and is returned as it is.
	BeforeRename func() error
	// Modified is the modification time that the file gets; zero: now.
	Modified time.Time
	// Lazy leaves the folder unflushed: after a power cut it is the old file that is there, or the new one.
	Lazy bool
}

// WriteFile replaces name in root by data, atomically and durably. perm is the mode
// of a new file, before the umask; an existing file keeps its mode. The folder must
// exist.
func WriteFile(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	return Writer{}.Replace(root, name, data, Options{Perm: perm})
}

// WritePath is WriteFile for a plain path. A symbolic link to a file is followed, so
// that the link stays a link.
func WritePath(name string, data []byte, perm fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	return inFolder(name, func(root *os.Root, base string) error {
		return WriteFile(root, base, data, perm)
	})
}

// CreatePath is WritePath for a file that is to be new; fs.ErrExist where anything has its name.
func CreatePath(name string, data []byte, perm fs.FileMode) error {
	return inFolder(name, func(root *os.Root, base string) error {
		if _, err := root.Lstat(base); err == nil { // also what is no file
			return fs.ErrExist
		}
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
func (w Writer) Replace(root *os.Root, name string, data []byte, o Options) (err error) {
	name = path.Clean(filepath.ToSlash(name))
	if o.Perm == 0 {
		o.Perm = 0o600
	}
	old, err := target(root, name)
	if err != nil {
		return err
	}
	if old != nil && o.Exclusive {
		return &fs.PathError{Op: "write", Path: name, Err: fs.ErrExist}
	}

	temp, f, err := w.createTemp(root, path.Dir(name), o.Perm, true)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if failpoint.Naive {
		return naive(root, temp, f, name, data, o.Perm)
	}
	placed := false
	defer func() {
		_ = f.Close()
		if !placed {
			_ = root.Remove(temp)
		}
	}()
	if err := w.fill(f, old, name, data); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if !o.Modified.IsZero() {
		_ = root.Chtimes(temp, time.Time{}, o.Modified) // a file system that cannot keep it has the bytes
	}
	if err := w.step(StepSync, name, f.Sync); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if o.BeforeRename != nil {
		if err := o.BeforeRename(); err != nil {
			return err
		}
	}
	err = w.step(StepRename, name, func() error {
		if o.Exclusive {
			return RenameNoReplace(root, temp, root, name)
		}
		return root.Rename(temp, name)
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	placed = true
	if o.Lazy {
		return nil
	}
	return w.SyncDir(root, path.Dir(name))
}

// target describes the file that name would replace, nil when there is none. What
// is not a regular file is never replaced.
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

// createTemp makes a temporary file in dir, and marks it as in use where sweeps may come.
func (w Writer) createTemp(root *os.Root, dir string, perm fs.FileMode, sweeps bool) (string, *os.File, error) {
	if err := w.fault(StepCreate, dir); err != nil {
		return "", nil, err
	}
	for range 100 {
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails
		name := path.Join(dir, TempPrefix+hex.EncodeToString(random[:]))
		f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm.Perm())
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		// The lock tells a sweeping process that this file is alive. A sweep may have
		// come between creation and lock: then the file is gone and another is made.
		if !sweeps || lockTemp(f) {
			return name, f, nil
		}
		_ = f.Close()
		_ = root.Remove(name)
	}
	return "", nil, errors.New("no free name for a temporary file")
}

// SyncDir flushes a folder. File systems that cannot do it say so with EINVAL or
// ENOTSUP; there is nothing more to be had from them.
func (w Writer) SyncDir(root *os.Root, dir string) error {
	if err := w.fault(StepSyncDir, dir); err != nil {
		return fmt.Errorf("flush folder %s: %w", dir, err)
	}
	d, err := root.Open(dir)
	if err != nil {
		return fmt.Errorf("flush folder %s: %w", dir, err)
	}
	defer func() { _ = d.Close() }()
	err = d.Sync()
	if err == nil || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return fmt.Errorf("flush folder %s: %w", dir, err)
}

// SyncDir flushes a folder of root, so that names made or removed in it last.
func SyncDir(root *os.Root, dir string) error { return Writer{}.SyncDir(root, dir) }

// fill gives a file its content, and where it takes the place of an old one what that has beside.
func (w Writer) fill(f *os.File, old fs.FileInfo, name string, data []byte) error {
	if old != nil {
		if err := likeOld(f, old); err != nil {
			return err
		}
	}
	return w.write(f, name, data)
}

func (w Writer) write(f *os.File, name string, data []byte) error {
	return w.step(StepWrite, name, func() error { _, err := f.Write(data); return err })
}

// step does a step, unless a fault keeps it from happening.
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

// naive writes as one does who knows nothing of crashes: in place, in two parts, without fsync.
// Only a program that is built with failpoints, and asked to, writes so: it shows that the tests
// that kill the program notice when writing is not durable.
func naive(root *os.Root, temp string, f *os.File, name string, data []byte, perm os.FileMode) error {
	_ = f.Close()
	_ = root.Remove(temp)
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	if _, err := out.Write(data[:len(data)/2]); err != nil {
		return err
	}
	failpoint.Pass("file naive write")
	time.Sleep(time.Millisecond) // as a slow disk takes it
	_, err = out.Write(data[len(data)/2:])
	return err
}
