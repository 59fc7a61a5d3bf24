package lock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"chatvault/internal/statefile"
)

// Locks are what the lock files of a vault tell of other processes.
type Locks struct {
	Live int // processes that work on the vault
	Dead int // traces of processes that ended without removing them; they hold nothing
	Turn *TurnLock
}

// Look says what the locks in a vault's state folder tell. It changes nothing. Its error
// names a lock that nobody can take.
func Look(root *os.Root) (Locks, error) {
	var l Locks
	files, err := statefile.List(root, RunFolder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l, fmt.Errorf("%s cannot be read: %w", filepath.Join(root.Name(), RunFolder), err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".lock") || !f.Type().IsRegular() {
			continue
		}
		if held(filepath.Join(root.Name(), RunFolder, f.Name())) {
			l.Live++
		} else {
			l.Dead++
		}
	}
	for _, name := range []string{TurnLockFile, StateLockFile} {
		if _, err := statefile.NewLock(root, name); err != nil {
			return l, err
		}
	}
	if held(filepath.Join(root.Name(), TurnLockFile)) {
		h := turnHolder(root)
		l.Turn = &h
	}
	return l, nil
}

// held says whether somebody holds the lock on a file that is there.
func held(path string) bool {
	l := flock.New(path, flock.SetFlag(os.O_RDWR))
	ok, err := l.TryLock()
	if err != nil {
		return false // it is gone, or not ours to open
	}
	_ = l.Unlock()
	return !ok
}
