package artifact

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// orphaned is how long the artifacts of an owner stay that is not there: a conversation is on disk only
// after its first turn, and a message in the inbox for longer.
const orphaned = 24 * time.Hour

// Forget lets go of what owners had. Where another process is at work, bytes that nobody has any more
// stay until the next Recover.
func (s *Store) Forget(owner ...string) error {
	var err error
	any := false
	for _, o := range owner {
		if !validOwner(o) {
			continue
		}
		if _, statErr := statefile.Stat(s.root, logOf(o)); errors.Is(statErr, fs.ErrNotExist) {
			continue
		}
		any = true
		err = errors.Join(err, atomicfile.Remove(s.root, logOf(o)))
	}
	if !any {
		return err
	}
	l, busy := s.hold((*flock.Flock).TryLockContext)
	if busy != nil {
		return err
	}
	defer func() { _ = l.Unlock() }()
	return errors.Join(err, s.sweep(nil))
}

// Recover settles what processes left that ended while they stored something, and returns it: Ready
// where the bytes are there, else Failed. It removes what nobody has; there says which owners there are.
func (s *Store) Recover(there func(owner string) bool) (settled []Entry, err error) {
	if _, err := s.root.Lstat(owners); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	l, err := s.hold((*flock.Flock).TryLockContext)
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Unlock() }()
	err = s.sweep(func(e Entry, changed time.Time) bool {
		if !there(e.Owner) && time.Since(changed) > orphaned {
			return false
		}
		if e.State != Created {
			return true
		}
		e.State = Ready
		if _, err := s.Read(e.Hash); err != nil {
			e.State, e.Reason = Failed, "chatvault ended before it was stored"
		}
		if s.log(e) == nil {
			settled = append(settled, e)
		}
		return true
	})
	return settled, err
}

// sweep removes bytes that no owner has, and the logs of owners of which keep, where there is one,
// keeps nothing. The lock is held.
func (s *Store) sweep(keep func(e Entry, changed time.Time) bool) error {
	logs, err := statefile.List(s.root, owners)
	if err != nil {
		return err
	}
	had := map[string]bool{}
	for _, f := range logs {
		owner, ok := strings.CutSuffix(f.Name(), ".jsonl")
		info, infoErr := f.Info()
		if !ok || infoErr != nil {
			continue
		}
		list, readErr := s.Owned(owner)
		if readErr != nil {
			return readErr // what it has is not known: nothing goes
		}
		kept := false
		for _, e := range list {
			if keep == nil || keep(e, info.ModTime()) {
				kept, had[e.Hash] = true, true
			}
		}
		if !kept {
			err = errors.Join(err, atomicfile.Remove(s.root, logOf(owner)))
		}
	}
	files, listErr := statefile.List(s.root, Folder)
	if listErr != nil || len(logs) == statefile.MostListed {
		return errors.Join(err, listErr)
	}
	for _, f := range files {
		if validHash(f.Name()) && !had[f.Name()] {
			err = errors.Join(err, atomicfile.Remove(s.root, Folder+"/"+f.Name()))
		}
	}
	return err
}
