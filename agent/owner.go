package agent

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// A process that accepts messages owns their inbox entries. It shows that it lives by holding
// a lock on run/<owner>.lock, which the operating system releases however the process ends:
// unlike a process id, a lock is never mistaken for another process's.
const runFolder = "run"

type owner struct {
	name string
	lock *flock.Flock
}

func newOwner(root *os.Root) (*owner, error) {
	if err := root.Mkdir(runFolder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	name := fmt.Sprintf("%d-%s", os.Getpid(), hex.EncodeToString(b[:]))
	l := flock.New(filepath.Join(root.Name(), runFolder, name+".lock"), flock.SetPermissions(0o600))
	if ok, err := l.TryLock(); err != nil || !ok {
		return nil, fmt.Errorf("cannot lock %s: %w", l.Path(), errors.Join(err, fs.ErrExist))
	}
	return &owner{name, l}, nil
}

func (o *owner) close() error {
	return errors.Join(os.Remove(o.lock.Path()), o.lock.Unlock())
}

// ownerAlive says whether the process that owns an entry still runs; the traces of one that
// does not are removed.
func ownerAlive(root *os.Root, name string) bool {
	if name == "" || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
		return false
	}
	if _, err := root.Lstat(runFolder + "/" + name + ".lock"); err != nil {
		return false
	}
	l := flock.New(filepath.Join(root.Name(), runFolder, name+".lock"), flock.SetFlag(os.O_RDWR))
	ok, err := l.TryLock()
	if err != nil || !ok {
		return err == nil
	}
	_ = os.Remove(l.Path())
	_ = l.Unlock()
	return false
}
