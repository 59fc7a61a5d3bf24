//go:build unix

package stress

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"chatvault/internal/llmtest"
)

// TestKilledAtAnyInstant kills the real binary with SIGKILL at random instants while it works on
// messages that append, create, edit, move and delete. After each kill no message that was shown
// as received is lost, nothing is torn, and the next start, which takes the message up again, is
// quick and leaves its effect there exactly once.
func TestKilledAtAnyInstant(t *testing.T) {
	t.Parallel()
	k := newKiller(t, binary(t), rounds(30, 2000))
	faults := k.run()
	for _, f := range faults {
		t.Error(f)
	}
	if k.died < k.kills || k.known < k.kills/4 {
		t.Errorf("%d processes were killed, of which %d were to be, %d of them with a message that was accepted", k.died, k.kills, k.known)
	}
	k.checkStarts()
}

// TestNextStart kills the program in the middle of messages, one process at a time, and looks at how
// long the next start takes, which finds what is left and works on it.
func TestNextStart(t *testing.T) {
	k := newKiller(t, binary(t), rounds(3, 100))
	k.perHome = k.kills // one after the other
	for _, f := range k.run() {
		t.Error(f)
	}
	k.checkStarts()
}

// checkStarts checks that each start after a kill took less than a second: on a core in any case,
// and from begin to end where the machine has time.
func (k *killer) checkStarts() {
	k.t.Helper()
	if len(k.starts) == 0 {
		k.t.Logf("%d kills, none of them with a message on disk", k.kills)
		return
	}
	var took, worked []time.Duration
	var most time.Duration // that any of them was allowed
	for _, s := range k.starts {
		most = max(most, s.limit)
		if s.worked > time.Second || s.took > s.limit {
			k.t.Errorf("a start after a kill took %v, which may take %v, and %v on a core; an undisturbed one takes %v", s.took, s.limit, s.worked, k.undisturbed)
		}
		took, worked = append(took, s.took), append(worked, s.worked)
	}
	slices.Sort(took)
	slices.Sort(worked)
	n := len(took)
	k.t.Logf("%d processes were killed of %d, %d with a message on disk; the next start took %v (median), %v (at most), on a core %v, %v; undisturbed %v; load %.1f%s",
		k.died, k.tried, k.known, took[n/2].Round(time.Millisecond), took[n-1].Round(time.Millisecond),
		worked[n/2].Round(time.Millisecond), worked[n-1].Round(time.Millisecond), k.undisturbed.Round(time.Millisecond), load(), relaxed(most, time.Second))
}

// TestNaiveWriterFailsAtAnyInstant is the control: the same harness finds faults in a program that
// writes its files in place.
func TestNaiveWriterFailsAtAnyInstant(t *testing.T) {
	t.Parallel()
	k := newKiller(t, failing(t), 100)
	k.env = []string{"CHATVAULT_FAILPOINT_NAIVE=1"}
	k.enough = 1
	faults := k.run()
	if len(faults) == 0 {
		t.Fatalf("the control was not noticed: %d kills of a naive writer left nothing wrong", k.died)
	}
	t.Logf("the control fails as it must, after %d kills: %s", k.died, faults[0])
}

// killer kills processes at random instants, in several homes one after the other, so that the
// state of each grows for a while.
type killer struct {
	t      *testing.T
	bin    string
	srv    *llmtest.Server
	dir    string
	env    []string
	kills  int // of processes that end of them
	enough int // faults at which it ends; 0: never

	perHome int // how many kills a home sees

	old, done   map[string]map[string]string // by effect
	undisturbed time.Duration                // a whole run that nobody kills

	mu     sync.Mutex
	within time.Duration // in which they are killed
	tried  int
	died   int
	known  int
	starts []start
	faults []string
}

func newKiller(t *testing.T, bin string, kills int) *killer {
	return &killer{t: t, bin: bin, srv: model(t), dir: scratch(t), kills: kills, perHome: 25, old: map[string]map[string]string{}, done: map[string]map[string]string{}}
}

// start is a start after a kill, and what it may take as busy as the machine is then.
type start struct {
	ran
	limit time.Duration
}

func (k *killer) run() (faults []string) {
	for _, e := range effects {
		h := k.home("undisturbed-"+e.name, e)
		k.old[e.name] = files(h.vault)
		r := h.run(0, nil, "ask", "--json", e.name+": please do it")
		if r.status != 0 {
			k.t.Fatalf("undisturbed: %d\n%s\n%s", r.status, r.out, r.err)
		}
		k.done[e.name] = files(h.vault)
		k.undisturbed = max(k.undisturbed, r.took)
	}
	k.within = k.undisturbed
	parallel((k.kills+k.perHome-1)/k.perHome, func(i int) {
		random := rand.New(rand.NewPCG(uint64(i), uint64(time.Now().UnixNano())))
		var h *home
		deaths, wanted := 0, min(k.perHome, k.kills-i*k.perHome)
		for n := 0; deaths < wanted && n < 10*wanted; n++ {
			e := effects[random.IntN(len(effects))]
			if h == nil {
				h = k.home(fmt.Sprint(i), e)
			}
			died, enough := k.one(h, e, fmt.Sprintf("%s: please do it, for the %d. time", e.name, n+1), random)
			if enough {
				return
			}
			if died {
				deaths++
			}
		}
		_ = os.RemoveAll(h.dir)
	})
	return k.faults
}

func (k *killer) home(name string, e effect) *home {
	h := newHome(k.t, filepath.Join(k.dir, name), k.bin, k.srv, e.notes)
	h.env = k.env
	return h
}

// one kills one process, unless it ends before, and says whether these are enough faults.
func (k *killer) one(h *home, e effect, message string, random *rand.Rand) (died, enough bool) {
	for name := range files(h.vault) { // the vault as the effect finds it; the state stays
		must(k.t, os.RemoveAll(filepath.Join(h.vault, name)))
	}
	for name, text := range e.notes {
		path := filepath.Join(h.vault, filepath.FromSlash(name))
		must(k.t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(k.t, os.WriteFile(path, []byte(text), 0o644))
	}
	r := h.run(k.delay(random), nil, "ask", "--json", message)
	inbox, answered, _ := h.kept(message)
	again, faults := h.settled(r, message, k.old[e.name], k.done[e.name])
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tried++
	// How long a process takes changes with what else the machine does: two of three are to be killed.
	if !r.killed {
		k.within = max(k.within*9/10, time.Millisecond)
	} else {
		k.within = min(k.within*21/20, time.Minute/2)
		k.died++
		if inbox+answered > 0 {
			k.known++
			k.starts = append(k.starts, start{again, within(time.Second)})
		}
	}
	for _, f := range faults {
		k.faults = append(k.faults, fmt.Sprintf("%q, killed after %v: %s", message, r.took, f))
	}
	return r.killed, k.enough > 0 && len(k.faults) >= k.enough
}

// delay is after how long the next process is killed.
func (k *killer) delay(random *rand.Rand) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return time.Duration(1 + random.Int64N(int64(k.within)))
}
