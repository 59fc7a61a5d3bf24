package endpoint

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/routine"
)

// watchdog cancels a call whose answer does not go on. It counts only while something waits for the
// endpoint: a reader that is slow to ask for more is not the endpoint's fault.
//
// Only what the model says ends a wait (progress): bytes that hold nothing of it, as comments, empty
// deltas and blanks do, shorten what is left of it like silence. So an endpoint that queues a call,
// or lets the model think unseen, and sends ": PROCESSING" meanwhile, has as long for the beginning
// of its answer as one that sends nothing, and may pause as long within it.
type watchdog struct {
	cancel context.CancelCauseFunc
	first  time.Duration
	idle   time.Duration

	limit   time.Duration // of the wait under way
	left    time.Duration // of it
	message string        // of the error where it is over
	late    bool          // bytes came when it was over already
	waiting bool          // for the first byte: armed until it comes
	ending  bool          // only the end is waited for

	mu    sync.Mutex
	timer *time.Timer
	round int // of arm and disarm: a timer of an earlier one does nothing
	armed time.Time
}

// newWatchdog waits for the answer to begin from now on.
func newWatchdog(cancel context.CancelCauseFunc, firstByte, idle time.Duration) *watchdog {
	w := &watchdog{cancel: cancel, first: firstByte, idle: idle, waiting: true}
	w.begin()
	w.arm()
	return w
}

// begin waits for the answer to begin: at first, and again while the endpoint reads the prompt.
func (w *watchdog) begin() {
	w.await(w.first, fmt.Sprintf("no answer within %s", seconds(w.first)))
}

// await begins a wait.
func (w *watchdog) await(d time.Duration, message string) {
	w.limit, w.left, w.message, w.late = d, d, message, false
}

// progress says that the model said something: it may take its time again for more.
func (w *watchdog) progress() {
	w.await(w.idle, fmt.Sprintf("the answer stopped: nothing came for %s", seconds(w.idle)))
}

// grace is the last part of a wait, in which bytes that are there already can be read.
func (w *watchdog) grace() time.Duration {
	const longest = 2 * time.Second
	return min(w.limit/8, longest)
}

// arm sets the timer. It fires in two steps, the second a moment after the first: a process
// that was stopped or a machine that slept finds its time over although the bytes are there,
// and gets that moment to read them.
func (w *watchdog) arm() {
	grace := min(w.grace(), w.left)
	cause := &llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonSilent, Message: w.message}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.round++
	round := w.round
	w.armed = time.Now()
	w.timer = time.AfterFunc(w.left-grace, routine.Guard("idle watch", func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.round != round {
			return
		}
		w.timer = time.AfterFunc(grace, routine.Guard("idle watch", func() {
			w.mu.Lock()
			over := w.round == round
			w.mu.Unlock()
			if over {
				w.cancel(cause)
			}
		}))
	}))
}

func (w *watchdog) disarm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.round++
	w.timer.Stop()
}

// read reads from the endpoint under watch, after a pause.
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

// hurry shortens the wait for what is not needed: all after the finish reason.
func (w *watchdog) hurry() {
	const tail = 3 * time.Second
	if !w.ending {
		w.idle, w.ending = min(w.idle, tail), true
		w.progress()
	}
}

// drain reads what is left of a body that should have ended, for a moment and some bytes.
func (w *watchdog) drain(r io.Reader) {
	const moment, most = 100 * time.Millisecond, 4 << 10
	timer := time.AfterFunc(moment, routine.Guard("end of body", func() { w.cancel(context.Canceled) }))
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, r, most)
}

// watched is a reader under watch.
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
