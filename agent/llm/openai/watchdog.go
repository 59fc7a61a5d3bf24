package openai

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/routine"
)

// watchdog cancels a call that has gone silent. It counts only while something waits for the
// endpoint: a reader that is slow to ask for more is not the endpoint's fault.
type watchdog struct {
	cancel context.CancelCauseFunc
	idle   time.Duration

	mu      sync.Mutex
	timer   *time.Timer
	round   int  // of arm and disarm: a timer of an earlier one does nothing
	waiting bool // for the first byte: armed until it comes
	ending  bool // only the end is waited for
}

// newWatchdog waits for the first byte from now on.
func newWatchdog(cancel context.CancelCauseFunc, firstByte, idle time.Duration) *watchdog {
	w := &watchdog{cancel: cancel, idle: idle, waiting: true}
	w.arm(firstByte, fmt.Sprintf("no answer within %s", seconds(firstByte)))
	return w
}

// arm sets the timer. It fires in two steps, the second a moment after the first: a process
// that was stopped or a machine that slept finds its time over although the bytes are there,
// and gets that moment to read them.
func (w *watchdog) arm(d time.Duration, message string) {
	const longest = 2 * time.Second
	grace := min(d/8, longest)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.round++
	round := w.round
	cause := &llm.Error{Kind: llm.KindNetwork, Message: message}
	w.timer = time.AfterFunc(d-grace, routine.Guard("idle watch", func() {
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

// read reads from the endpoint under watch.
func (w *watchdog) read(r io.Reader, p []byte) (int, error) {
	if !w.waiting {
		w.arm(w.idle, fmt.Sprintf("the answer stopped: nothing came for %s", seconds(w.idle)))
	}
	n, err := r.Read(p)
	if n > 0 || err != nil {
		w.waiting = false
		w.disarm()
	}
	return n, err
}

// hurry shortens the wait for bytes that are not needed: those after the finish reason.
func (w *watchdog) hurry() {
	const tail = 3 * time.Second
	w.idle, w.ending = min(w.idle, tail), true
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

func (r watched) Read(p []byte) (int, error) { return r.watch.read(r.r, p) }

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
