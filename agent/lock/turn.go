// Package lock keeps the processes that work on one vault apart. One turn at a time works on a vault,
// whichever process it runs in (Turn); what is read, changed and written in a moment outside a turn is
// kept apart by another lock (State); and each process shows that it lives (Owner).
package lock

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// Files of the state folder: turn.json says, for the one that waits, who holds turn.lock.
const (
	TurnLockFile   = "turn.lock"
	turnHolderFile = "turn.json"
	lockPoll       = 50 * time.Millisecond
	maxHolder      = 64 << 10 // bytes

	StateLockFile = "state.lock"
	stateLockWait = 2 * time.Second
	stateLockPoll = 5 * time.Millisecond
)

// TurnLock is who holds the lock on the vault's turns.
type TurnLock struct {
	PID   int       `json:"pid"` // 0: not known
	Since time.Time `json:"since"`
	What  string    `json:"what"`
}

// Turn keeps turns of every process away from the vault until release is called. It waits for one that
// runs, calling waiting once with who it is, and ends with the cause of ctx's end when ctx does. what
// says, for one that waits, who holds the lock: "undo". root is the vault's state folder.
func Turn(ctx context.Context, root *os.Root, what string, waiting func(who string)) (release func(), err error) {
	l, err := statefile.NewLock(root, TurnLockFile)
	if err != nil {
		return nil, err
	}
	ok, err := l.TryLock()
	if err == nil && !ok {
		waiting(turnHolder(root).String())
		ok, err = l.TryLockContext(ctx, lockPoll)
	}
	if ctx.Err() != nil {
		if ok {
			_ = l.Unlock()
		}
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot take the vault's lock %s: %w", l.Path(), err)
	}
	data, err := json.Marshal(TurnLock{os.Getpid(), time.Now(), what})
	if err == nil {
		// Not durable on purpose, but whole: it only tells a waiting process whom it waits for.
		const temp = atomicfile.TempPrefix + "turn" // of whoever holds the lock
		if root.WriteFile(temp, data, 0o600) != nil || root.Rename(temp, turnHolderFile) != nil {
			_ = root.Remove(temp)
			_ = root.Remove(turnHolderFile) // it tells of somebody else
		}
	}
	return func() { _ = l.Unlock() }, nil
}

// turnHolder is who holds it, as far as they say.
func turnHolder(root *os.Root) (h TurnLock) {
	if data, err := statefile.Read(root, turnHolderFile, maxHolder); err != nil || json.Unmarshal(data, &h) != nil {
		return TurnLock{} // who it is is for a person to know, and no more
	}
	return h
}

func (h TurnLock) String() string {
	if h.PID == 0 {
		return "another chatvault"
	}
	return fmt.Sprintf("another chatvault (process %d, %s, since %s)", h.PID, h.What, h.Since.Format("15:04:05"))
}

// inProcess keeps the goroutines of this process apart: they need not poll for the lock then.
var inProcess sync.Mutex

// State does something short that no other process may do at the same time.
func State(root *os.Root, do func() error) error {
	inProcess.Lock()
	defer inProcess.Unlock()
	l, err := statefile.NewLock(root, StateLockFile)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), stateLockWait)
	defer cancel()
	if ok, err := l.TryLockContext(ctx, stateLockPoll); err != nil || !ok {
		return fmt.Errorf("cannot take the lock %s: %w", l.Path(), err)
	}
	defer func() { _ = l.Unlock() }()
	return do()
}
