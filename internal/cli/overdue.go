package cli

import (
	"context"
	"os"
	"time"

	"chatvault/internal/routine"
)

// endWait is how long a process that was told to end may take for it. A terminal that takes no more
// output, as after Ctrl+S or behind a connection that is gone, would let it wait for ever: what was
// accepted is on disk by then, as it is after a kill.
const endWait = 4 * time.Second

// endWithin ends the process endWait after ctx has ended, unless done is called before. rescue
// restores the terminal without waiting for anybody.
func endWithin(ctx context.Context, rescue func() bool) (done func()) {
	ended := make(chan struct{})
	routine.Go("overdue", func() {
		select {
		case <-ended:
			return
		case <-ctx.Done():
		}
		t := time.NewTimer(endWait)
		defer t.Stop()
		select {
		case <-ended:
		case <-t.C:
			_ = rescue()
			os.Exit(exitFailed)
		}
	})
	return func() { close(ended) }
}
