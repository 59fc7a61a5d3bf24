package endpoint

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/base/routine"
)

// watchdog cancels a call whose answer stalls. It counts only time spent waiting for the endpoint, not slow readers.
//
// Only output of the model ends a wait (progress). Bytes without output, such as comments, empty deltas and blanks,
// count as silence, so that endpoints with and without keep-alive messages have the same time.
type watchdog struct {
	cancel context.CancelCauseFunc
	first  time.Duration
	idle   time.Duration

	limit   time.Duration // of the current wait
	left    time.Duration // remaining time
	message string        // of the error
	late    bool          // bytes came after its end
	waiting bool          // for the first byte
	ending  bool          // the finish reason came

	mu    sync.Mutex
	timer *time.Timer
	round int // counts arm and disarm; timers of earlier rounds do nothing
	armed time.Time
}

// newWatchdog starts waiting for the answer.
func newWatchdog(cancel context.CancelCauseFunc, firstByte, idle time.Duration) *watchdog {
	w := &watchdog{cancel: cancel, first: firstByte, idle: idle, waiting: true}
	w.begin()
	w.arm()
	return w
}

// begin waits for the first output: at first, and again while the endpoint reads the prompt.
func (w *watchdog) begin() {
	w.await(w.first, fmt.Sprintf("no answer within %s", seconds(w.first)))
}

// await starts a wait.
func (w *watchdog) await(d time.Duration, message string) {
	w.limit, w.left, w.message, w.late = d, d, message, false
}

// progress restarts the wait after output of the model.
func (w *watchdog) progress() {
	w.await(w.idle, fmt.Sprintf("the answer stopped: nothing came for %s", seconds(w.idle)))
}

// grace returns the last part of a wait, in which bytes that have already arrived can be read.
func (w *watchdog) grace() time.Duration {
	const longest = 2 * time.Second
	return min(w.limit/8, longest)
}

// arm starts the timer. It fires in two steps: after a suspended process or a sleeping computer the time is over
// although bytes have arrived, and the second step leaves time to read them.
func (w *watchdog) arm() {
	grace := min(w.grace(), w.left)
	cause := &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonSilent, Message: w.message}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.round++
	round, over := w.round, false
	w.armed = time.Now()
	w.timer = time.AfterFunc(w.left-grace, routine.Guard("idle watch", func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch {
		case w.round != round:
		case over:
			w.cancel(cause)
		default:
			over = true
			w.timer.Reset(grace)
		}
	}))
}

func (w *watchdog) disarm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.round++
	w.timer.Stop()
}

// read reads from the endpoint after a pause.
func (w *watchdog) read(pause time.Duration, r io.Reader, p []byte) (int, error) {
	if !w.waiting {
		w.arm()
	}
	time.Sleep(pause)
	n, err := r.Read(p)
	if n > 0 || err != nil {
		w.waiting = false
		w.disarm()
		w.left -= time.Since(w.armed)
		if w.left <= 0 && !w.late {
			w.left, w.late = w.grace(), true
		}
	}
	return n, err
}

// hurry shortens the wait for the optional rest after the finish reason.
func (w *watchdog) hurry() {
	const tail = 3 * time.Second
	if !w.ending {
		w.idle, w.ending = min(w.idle, tail), true
		w.progress()
	}
}

// drain reads the rest of a body that should have ended, briefly and within bounds.
func (w *watchdog) drain(r io.Reader) {
	const moment, most = 100 * time.Millisecond, 4 << 10
	timer := time.AfterFunc(moment, routine.Guard("end of body", func() { w.cancel(context.Canceled) }))
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, r, most)
}

// watched is a reader under a watchdog.
type watched struct {
	watch *watchdog
	r     io.Reader
}

func (r watched) Read(p []byte) (int, error) { return r.watch.read(0, r.r, p) }

func seconds(d time.Duration) string {
	if d < time.Second {
		return d.String()
	}
	return fmt.Sprintf("%d s", int(d.Round(time.Second).Seconds()))
}

func size(bytes int) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
