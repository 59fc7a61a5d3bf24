package tty

import (
	"io"
	"os"
	"sync"
	"time"

	"chatvault/internal/routine"
)

// Bounds of a terminal that takes no output.
const (
	stallWait  = 50 * time.Millisecond // then it is stalled, and keys count without it
	maxWaiting = 4 << 20               // bytes that wait for it
)

// output is standard output, which a terminal that takes nothing does not hold up: Bubble Tea handles no
// key while it writes.
type output struct {
	*os.File

	mu      sync.Mutex
	waiting []byte
	passed  chan struct{} // closed when all that waited was written; nil while nothing waits
	stalled bool
	err     error // of an earlier write
}

// Output is where the screen is drawn. A write takes as long as the terminal does, but at most stallWait.
func (t *Terminal) Output() io.Writer { return &t.output }

// Write implements io.Writer. An error is that of an earlier write, if the terminal was stalled.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	if o.err != nil || len(o.waiting)+len(p) > maxWaiting {
		defer o.mu.Unlock()
		if o.err != nil {
			return 0, o.err
		}
		return 0, os.ErrDeadlineExceeded
	}
	o.waiting = append(o.waiting, p...)
	if o.passed == nil {
		o.passed = make(chan struct{})
		routine.Go("screen output", o.pass)
	}
	passed, stalled := o.passed, o.stalled
	o.mu.Unlock()
	if stalled {
		return len(p), nil
	}
	wait := time.NewTimer(stallWait)
	defer wait.Stop()
	select {
	case <-passed:
		return len(p), o.failure()
	case <-wait.C:
	}
	o.mu.Lock()
	o.stalled = o.passed == passed
	o.mu.Unlock()
	return len(p), nil
}

// WriteString implements io.StringWriter, which the file would else.
func (o *output) WriteString(s string) (int, error) { return o.Write([]byte(s)) }

// pass writes what waits to the terminal.
func (o *output) pass() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) > 0 && o.err == nil {
		next := o.waiting
		o.waiting = nil
		o.mu.Unlock()
		_, err := o.File.Write(next)
		o.mu.Lock()
		o.err = err
	}
	close(o.passed)
	o.passed, o.stalled = nil, false
}

func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
