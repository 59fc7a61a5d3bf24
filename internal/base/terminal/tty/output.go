package tty

import (
	"io"
	"os"
	"sync"
	"time"

	"chatvault/internal/base/routine"
)

// Limits for a terminal that accepts no output.
const (
	stallWait  = 50 * time.Millisecond // the terminal then counts as stalled, and keys no longer wait for it
	maxWaiting = 4 << 20               // buffered bytes
)

// output is standard output that does not block when the terminal stalls, because Bubble Tea handles no keys while it
// writes.
type output struct {
	*os.File

	mu      sync.Mutex
	waiting []byte
	passed  chan struct{} // closed when the buffer was written; nil while the buffer is empty
	stalled bool
	err     error // from an earlier write
}

// Output returns the screen's output stream. A write blocks for at most stallWait.
func (t *Terminal) Output() io.Writer { return &t.output }

// Write implements io.Writer. If the terminal was stalled, the error may be that of an earlier write.
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

// WriteString implements io.StringWriter in place of the embedded file's method.
func (o *output) WriteString(s string) (int, error) { return o.Write([]byte(s)) }

// pass writes the buffer to the terminal.
func (o *output) pass() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) > 0 && o.err == nil {
		next := o.waiting
		o.waiting = nil
		o.mu.Unlock()
		_, err := o.File.Write(next)
		o.mu.Lock()
		if err != nil {
			o.err = err
		}
	}
	close(o.passed)
	o.passed, o.stalled = nil, false
}

// end drops all further output. It waits for what is being written, at most stallWait.
func (o *output) end() {
	o.mu.Lock()
	o.err, o.waiting = os.ErrClosed, nil
	passed := o.passed
	o.mu.Unlock()
	if passed == nil {
		return
	}
	select {
	case <-passed:
	case <-time.After(stallWait):
	}
}

func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
