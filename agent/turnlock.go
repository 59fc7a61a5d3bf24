package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// One turn at a time works on a vault, whichever process it runs in: a turn holds the lock
// turn.lock, and turn.json says, for the one that waits, who holds it.
const (
	turnLockFile   = "turn.lock"
	turnHolderFile = "turn.json"
	lockPoll       = 50 * time.Millisecond
)

type holder struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
	What  string    `json:"what"`
}

// acquireTurn takes the vault's turn lock, calling waiting once, with who holds it, if it has
// to wait. It ends with ctx's error when ctx does.
func acquireTurn(ctx context.Context, root *os.Root, what string, waiting func(who string)) (release func(), err error) {
	l := flock.New(filepath.Join(root.Name(), turnLockFile), flock.SetPermissions(0o600))
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
		// Not durable on purpose: it only tells a waiting process whom it waits for.
		_ = root.WriteFile(turnHolderFile, data, 0o600)
	}
	return func() { _ = l.Unlock() }, nil
}

func turnHolder(root *os.Root) string {
	var h holder
	data, err := root.ReadFile(turnHolderFile)
	if err != nil || json.Unmarshal(data, &h) != nil || h.PID == 0 {
		return "another chatvault"
	}
	return fmt.Sprintf("another chatvault (process %d, %s, since %s)", h.PID, h.What, h.Since.Format("15:04:05"))
}
