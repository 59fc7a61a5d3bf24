package agent

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

// One turn at a time works on a vault, whichever process it runs in: a turn holds the lock
// turn.lock, and turn.json says, for the one that waits, who holds it. What is read, changed
// and written in a moment outside a turn is kept apart by state.lock.
const (
	turnLockFile   = "turn.lock"
	turnHolderFile = "turn.json"
	lockPoll       = 50 * time.Millisecond
	maxHolder      = 64 << 10 // bytes

	stateLockFile = "state.lock"
	stateLockWait = 2 * time.Second
	stateLockPoll = 5 * time.Millisecond
)

type holder struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
	What  string    `json:"what"`
}

// acquireTurn takes the vault's turn lock, calling waiting once, with who holds it, if it has
// to wait. It ends with the cause of ctx's end when ctx does.
func acquireTurn(ctx context.Context, root *os.Root, what string, waiting func(who string)) (release func(), err error) {
	l, err := statefile.NewLock(root, turnLockFile)
	if err != nil {
		return nil, err
	}
	ok, err := l.TryLock()
	if err == nil && !ok {
		waiting(turnHolder(root))
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
	data, err := json.Marshal(holder{os.Getpid(), time.Now(), what})
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

func turnHolder(root *os.Root) string {
	var h holder
	data, err := statefile.Read(root, turnHolderFile, maxHolder)
	if err != nil || json.Unmarshal(data, &h) != nil || h.PID == 0 {
		return "another chatvault"
	}
	return fmt.Sprintf("another chatvault (process %d, %s, since %s)", h.PID, h.What, h.Since.Format("15:04:05"))
}

// oneOfUs keeps the goroutines of this process apart: they need not poll for the lock then.
var oneOfUs sync.Mutex

// locked does something short that no other process may do at the same time.
func locked(root *os.Root, do func() error) error {
	oneOfUs.Lock()
	defer oneOfUs.Unlock()
	l, err := statefile.NewLock(root, stateLockFile)
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
