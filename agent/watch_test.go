package agent_test

import (
	"fmt"
	"strings"
	"sync"

	"chatvault/agent/event"
)

// watch follows the events of a processor and says what must not be.
type watch struct {
	providers int // of the chain
	say       func(string, ...any)
	runs      map[string]*watchedRun // "": the turn; else the sub-agent of this call
	fallbacks int                    // in the turn
	requests  int                    // that all attempts may have made
}

// watchedRun is a turn or a sub-agent.
type watchedRun struct {
	attempt, next int // of the model call under way
	started       map[string]string
}

// most is how often a model call is tried.
const most = 4

func newWatch(providers int, say func(string, ...any)) *watch {
	return &watch{providers: providers, say: say, runs: map[string]*watchedRun{}}
}

func (w *watch) event(e event.Event) {
	switch e := e.(type) {
	case event.TurnStarted:
		clear(w.runs)
		w.fallbacks = 0
	case event.Nested:
		w.step(e.CallID, e.Event)
	case event.CompactStarted:
		if e.TurnID == "" { // a call whose attempts are not told, which may be made once more with less
			w.requests += 2 * most * w.providers
		}
	case event.Notice:
		if strings.Contains(e.Text, "takes over") && e.TurnID != "" {
			if w.fallbacks++; w.fallbacks >= w.providers {
				w.say("%d fallbacks in turn %s", w.fallbacks, e.TurnID)
			}
		}
	default:
		w.step("", e)
	}
}

// step is an event of the turn or of a sub-agent.
func (w *watch) step(run string, e event.Event) {
	r := w.runs[run]
	if r == nil {
		r = &watchedRun{next: 1, started: map[string]string{}}
		w.runs[run] = r
	}
	switch e := e.(type) {
	case event.StateChanged:
		if e.State == event.StateThinking {
			w.requests++
			r.attempt, r.next = r.next, 1
		}
	case event.Retry: // 1: another provider, or a shorter request
		if e.Attempt != 1 && e.Attempt != r.attempt+1 || e.Attempt > most {
			w.say("attempt %d of a model call comes after %d", e.Attempt, r.attempt)
		}
		r.next = e.Attempt
	case event.ToolStarted:
		if _, twice := r.started[e.ID]; twice {
			w.say("call %s of turn %s starts twice", e.ID, e.TurnID)
		}
		r.started[e.ID] = e.Name
	case event.ToolFinished:
		if r.started[e.ID] != e.Name {
			w.say("call %s of %s ends, %q was started", e.ID, e.Name, r.started[e.ID])
		}
		if e.Name == "write_file" && !e.IsError && !strings.HasPrefix(e.Result, "Created") {
			w.say("a note was written twice: %s", e.Result)
		}
	}
}

// tally counts what happened, so that it is seen what was tried at all.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (t *tally) add(e event.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n == nil {
		t.n = map[string]int{}
	}
	t.n[strings.TrimPrefix(fmt.Sprintf("%T", e), "event.")]++
	if n, ok := e.(event.Notice); ok && strings.Contains(n.Text, "takes over") {
		t.n["fallback"]++
	}
	if f, ok := e.(event.TurnFailed); ok && strings.Contains(f.Text, "longer than the model takes") {
		t.n["too long for good"]++
	}
}

func (t *tally) of(what string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n[what]
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprint(t.n)
}
