// Package lock coordinates the processes that work on one vault: a lock for short changes of its state (State), and one
// held by each process while it runs (Owner).
package lock

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"chatvault/internal/base/statefile"
)

// StateLockFile is a file of the state folder.
const StateLockFile = "state.lock"

const stateLockWait = 2 * time.Second

// inProcess excludes the goroutines of this process from each other, so that they need not poll for the lock.
var inProcess sync.Mutex

// State runs do while no other process or goroutine runs one of its own. do must be short.
func State(root *os.Root, do func() error) error {
	inProcess.Lock()
	defer inProcess.Unlock()
	return statefile.WithLock(root, StateLockFile, stateLockWait, do)
}

// RunFolder holds a lock file for each process.
const RunFolder = "run"

// Owner is this process as the owner of inbox entries and of the goal. It holds a lock on run/<name>.lock, which the
// operating system releases however the process ends: unlike a process ID, a lock is never mistaken for another
// process's. Close it when the process ends.
type Owner struct {
	Name string
	lock *flock.Flock
}

// NewOwner returns an owner with a new name. root is the vault's state folder.
func NewOwner(root *os.Root) (*Owner, error) {
	if err := statefile.MakeFolder(root, RunFolder); err != nil {
		return nil, err
	}
	for range 10 {
		name := fmt.Sprintf("%d-%08x", os.Getpid(), rand.Uint32())
		l := flock.New(filepath.Join(root.Name(), RunFolder, name+".lock"), flock.SetPermissions(0o600))
		ok, err := l.TryLock()
		if err != nil {
			return nil, fmt.Errorf("cannot lock %s: %w", l.Path(), err)
		}
		if ok && InPlace(l) {
			return &Owner{name, l}, nil
		}
		_ = l.Unlock() // another start took the new file for a dead process's, and removed it
	}
	return nil, fmt.Errorf("no lock can be held in %s", filepath.Join(root.Name(), RunFolder))
}

// InPlace reports whether the locked file is still the one with its name.
func InPlace(l *flock.Flock) bool {
	held, err := l.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(l.Path())
	return err == nil && os.SameFile(held, named)
}

// Close removes the traces of the process.
func (o *Owner) Close() error {
	err := os.Remove(o.lock.Path())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, o.lock.Unlock())
}

// Alive reports whether the process that owns an entry runs. It removes the lock file of one that does not.
func Alive(root *os.Root, name string) bool {
	if name == "" || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return false
	}
	return Held(root, RunFolder+"/"+name+".lock")
}

// Held reports whether a process holds the lock on a file. It removes the file of a process that was killed.
func Held(root *os.Root, file string) bool {
	if _, err := statefile.Stat(root, file); err != nil {
		return false
	}
	return held(filepath.Join(root.Name(), filepath.FromSlash(file)), true)
}

// held reports whether a process holds the lock on an existing file. clean removes the file of a killed process.
func held(path string, clean bool) bool {
	l := flock.New(path, flock.SetFlag(os.O_RDWR))
	ok, err := l.TryLock()
	if err != nil || !ok {
		return err == nil
	}
	if clean && InPlace(l) {
		_ = os.Remove(path)
	}
	_ = l.Unlock()
	return false
}

// Sweep removes the traces of processes that were killed.
func Sweep(root *os.Root) {
	files, err := statefile.List(root, RunFolder)
	if err != nil {
		return // nothing to sweep
	}
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".lock"); ok {
			Alive(root, name)
		}
	}
}

// Look returns the IDs of the processes that work on a vault, from its state folder. It changes nothing. The error names a
// lock that cannot be taken.
func Look(root *os.Root) (live []string, err error) {
	files, err := statefile.List(root, RunFolder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s cannot be read: %w", filepath.Join(root.Name(), RunFolder), err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".lock") || !f.Type().IsRegular() {
			continue
		}
		if held(filepath.Join(root.Name(), RunFolder, f.Name()), false) {
			pid, _, _ := strings.Cut(f.Name(), "-")
			live = append(live, pid)
		}
	}
	_, err = statefile.NewLock(root, StateLockFile)
	return live, err
}
