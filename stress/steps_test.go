//go:build unix

package stress

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"chatvault/internal/llmtest"
)

// TestKilledAtEachStep kills the real binary with SIGKILL at each named step of a message's way
// and of every durable write in it. No message that was shown as received is lost, no note and no
// state file is torn, and taking the message up again has done what it asks exactly once.
func TestKilledAtEachStep(t *testing.T) {
	t.Parallel()
	bin, srv := failing(t), model(t)
	for _, e := range effects {
		t.Run(e.name, func(t *testing.T) {
			dir := scratch(t)
			s := newStepped(t, dir, bin, e)
			names := s.undisturbed(srv)
			for _, want := range []string{"step received", "step begun", "step changing", "step changed", "step recorded", "step removed", "file rename", "file sync folder"} {
				if !strings.Contains("\n"+strings.Join(names, "\n")+"\n", "\n"+want+"\n") {
					t.Errorf("the step %q was not passed", want)
				}
			}
			stride := rounds(len(names)/5, 1)
			var at []int
			for n := 1 + rand.IntN(stride); n <= len(names); n += stride {
				at = append(at, n)
			}
			var mu sync.Mutex
			deaths, before := 0, 0
			parallel(len(at), func(i int) {
				died, accepted, faults := s.killedAt(srv, fmt.Sprintf("kill * %d", at[i]))
				mu.Lock()
				defer mu.Unlock()
				if died {
					deaths++
				}
				if !accepted {
					before++
				}
				for _, f := range faults {
					t.Errorf("killed at step %d of %d: %s", at[i], len(names), f)
				}
			})
			if deaths < len(at)*3/4 {
				t.Errorf("%d of %d processes were killed", deaths, len(at))
			}
			t.Logf("%d steps, %d kills, %d of them before the message was accepted", len(names), deaths, before)
		})
	}
}

// TestNaiveWriterFails is the control: a program that writes its files in place is killed by the
// same harness, which must find torn files or lost messages.
func TestNaiveWriterFails(t *testing.T) {
	t.Parallel()
	bin, srv := failing(t), model(t)
	e := effects[1] // a new note
	s := newStepped(t, scratch(t), bin, e)
	s.env = []string{"CHATVAULT_FAILPOINT_NAIVE=1"}
	writes := 0
	for _, name := range s.undisturbed(srv) {
		if name == "file naive write" {
			writes++
		}
	}
	var mu sync.Mutex
	found := map[string]int{}
	parallel(writes, func(i int) {
		_, _, faults := s.killedAt(srv, fmt.Sprintf("kill file naive write %d", i+1))
		mu.Lock()
		defer mu.Unlock()
		for _, f := range faults {
			what, _, _ := strings.Cut(f, ":")
			found[what]++
		}
	})
	if found["torn"] == 0 {
		t.Fatalf("the control was not noticed: a naive writer was killed in the middle of each of %d writes, and the harness found %v", writes, found)
	}
	t.Logf("the control fails as it must: %d kills, found %v", writes, found)
}

// stepped kills processes that are sent one message, each in a home of its own.
type stepped struct {
	t    *testing.T
	dir  string
	bin  string
	e    effect
	env  []string
	done map[string]string // the vault after the message
	old  map[string]string // and before it

	mu sync.Mutex
	n  int
}

func newStepped(t *testing.T, dir, bin string, e effect) *stepped {
	return &stepped{t: t, dir: dir, bin: bin, e: e}
}

func (s *stepped) home(srv *llmtest.Server) *home {
	s.mu.Lock()
	s.n++
	dir := filepath.Join(s.dir, fmt.Sprint(s.n))
	s.mu.Unlock()
	h := newHome(s.t, dir, s.bin, srv, s.e.notes)
	h.env = s.env
	return h
}

func (s *stepped) message() string { return s.e.name + ": please do it" }

// undisturbed is one that nobody kills: the names of the steps it passes, in order.
func (s *stepped) undisturbed(srv *llmtest.Server) []string {
	s.t.Helper()
	h := s.home(srv)
	s.old = files(h.vault)
	log := filepath.Join(h.dir, "points")
	r := h.run(0, []string{"CHATVAULT_FAILPOINT_LOG=" + log}, "ask", "--json", s.message())
	if r.status != 0 || len(r.accepted()) != 1 {
		s.t.Fatalf("undisturbed it ended with %d\n%s\n%s", r.status, r.out, r.err)
	}
	s.done = files(h.vault)
	if equal(s.old, s.done) {
		s.t.Fatal("the message changes nothing")
	}
	return strings.Split(strings.TrimSpace(read(s.t, log)), "\n")
}

// killedAt kills one at a failpoint and takes its message up again.
func (s *stepped) killedAt(srv *llmtest.Server, point string) (died, accepted bool, faults []string) {
	h := s.home(srv)
	r := h.run(0, []string{"CHATVAULT_FAILPOINT=" + point}, "ask", "--json", s.message())
	_, faults = h.settled(r, s.message(), s.old, s.done)
	left := h.temporary()
	for try := 0; try < 3 && len(left) > 0; try++ { // sweeping is for the background: a short run may not come to it
		h.run(0, nil, "ask", "hello")
		left = h.temporary()
	}
	if len(left) > 0 {
		faults = append(faults, fmt.Sprintf("left: %v", left))
	}
	return r.killed, len(r.accepted()) > 0, faults
}
