package endpoint

import (
	"context"
	"fmt"
	"io"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/base/routine"
)

// watchdog cancels a call whose answer stalls.
//
// Only output of the model ends a wait (progress). Bytes without output, such as comments, empty deltas and blanks,
// count as silence, so that endpoints with and without keep-alive messages have the same time.
type watchdog struct {
	cancel context.CancelCauseFunc
	first  time.Duration
	idle   time.Duration
	timer  *time.Timer
	ending bool // the finish reason came
}

// begin waits for the first output: at first, and again while the endpoint reads the prompt.
func (w *watchdog) begin() { w.await(w.first, "no answer within %s") }

// progress restarts the wait after output of the model.
func (w *watchdog) progress() { w.await(w.idle, "the answer stopped: nothing came for %s") }

func (w *watchdog) await(d time.Duration, message string) {
	w.stop()
	w.timer = time.AfterFunc(d, routine.Guard("idle watch", func() {
		w.cancel(&llm.Error{Kind: llm.KindNetwork, Reason: llm.ReasonSilent, Message: fmt.Sprintf(message, seconds(d))})
	}))
}

func (w *watchdog) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
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

func seconds(d time.Duration) string {
	if d < time.Second {
		return d.String()
	}
	return fmt.Sprintf("%d s", int(d.Round(time.Second).Seconds()))
}
