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
	k := newKiller(t, binary(t), rounds(40, 2000))
	faults := k.run()
	for _, f := range faults {
		t.Error(f)
	}
	if k.died < k.kills/2 || k.known < k.kills/4 {
		t.Errorf("%d of %d processes were killed, %d of them with a message that was accepted", k.died, k.kills, k.known)
	}
	slices.Sort(k.starts)
	usual, worst := k.starts[len(k.starts)/2], k.starts[len(k.starts)-1]
	// Where the machine is busy, what a start takes that nobody killed says how busy.
	if limit := max(time.Second, 10*k.undisturbed); worst > limit && !busy() {
		t.Errorf("a start after a kill took %v, the usual one %v, an undisturbed one %v", worst, usual, k.undisturbed)
	}
	t.Logf("%d kills, %d of them ended the process, %d with a message on disk; a start took %v (median), %v at most; undisturbed %v",
		k.kills, k.died, k.known, usual, worst, k.undisturbed)
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
	kills  int
	enough int // faults at which it ends; 0: never

	old, done   map[string]map[string]string // by effect
	undisturbed time.Duration                // a whole run that nobody kills

	mu     sync.Mutex
	died   int
	known  int
	starts []time.Duration
	faults []string
}

func newKiller(t *testing.T, bin string, kills int) *killer {
	return &killer{t: t, bin: bin, srv: model(t), dir: scratch(t), kills: kills, old: map[string]map[string]string{}, done: map[string]map[string]string{}}
}

// perHome is how many kills a home sees.
const perHome = 25

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
	parallel((k.kills+perHome-1)/perHome, func(i int) {
		random := rand.New(rand.NewPCG(uint64(i), uint64(time.Now().UnixNano())))
		var h *home
		for n := range min(perHome, k.kills-i*perHome) {
			e := effects[random.IntN(len(effects))]
			if h == nil {
				h = k.home(fmt.Sprint(i), e)
			}
			if !k.one(h, e, fmt.Sprintf("%s: please do it, for the %d. time", e.name, n+1), random) {
				return
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

// one kills one process; false: it is enough.
func (k *killer) one(h *home, e effect, message string, random *rand.Rand) bool {
	for name := range files(h.vault) { // the vault as the effect finds it; the state stays
		must(k.t, os.RemoveAll(filepath.Join(h.vault, name)))
	}
	for name, text := range e.notes {
		path := filepath.Join(h.vault, filepath.FromSlash(name))
		must(k.t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(k.t, os.WriteFile(path, []byte(text), 0o644))
	}
	r := h.run(time.Duration(1+random.Int64N(int64(k.undisturbed))), nil, "ask", "--json", message)
	inbox, answered, _ := h.kept(message)
	start, faults := h.settled(r, message, k.old[e.name], k.done[e.name])
	k.mu.Lock()
	defer k.mu.Unlock()
	if r.killed {
		k.died++
		if inbox+answered > 0 {
			k.known++
			k.starts = append(k.starts, start)
		}
	}
	for _, f := range faults {
		k.faults = append(k.faults, fmt.Sprintf("%q, killed after %v: %s", message, r.took, f))
	}
	return k.enough == 0 || len(k.faults) < k.enough
}
