package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/llm/openai"
	"chatvault/internal/llmtest"
)

// TestRandomFaults plays sequences of turns against a server that fails in ways drawn at
// random: in its streams, by refusing, by finding a history too long. Messages arrive while
// turns run, and go into them or wait; changes are consented to or not; conversations are
// compacted; some turns are stopped, and in the middle of others the processor ends and is
// started anew. Each sequence ends with no panic, no message lost or answered twice, at most
// four requests per model call, no tool run twice, only valid histories (the server refuses
// others), and a working next turn; after all, the goroutines are back to the base line.
//
// CHATVAULT_STRESS=1 plays 5,000 with a seed of the moment; CHATVAULT_SEED sets it, and
// CHATVAULT_SEQUENCE plays one of its sequences.
func TestRandomFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: make test runs it")
	}
	seed, from, to := uint64(1), 0, 40
	if os.Getenv("CHATVAULT_STRESS") != "" {
		seed, to = uint64(time.Now().UnixNano()), 5000
	}
	if s := os.Getenv("CHATVAULT_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("CHATVAULT_SEED: %v", err)
		}
		seed = n
	}
	if s := os.Getenv("CHATVAULT_SEQUENCE"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("CHATVAULT_SEQUENCE: %v", err)
		}
		from, to = n, n+1
	}
	pool, err := faultPool()
	if err != nil {
		t.Fatal(err)
	}
	before := goleak.IgnoreCurrent()
	numbers, played, seen := make(chan int), 0, &tally{}
	var workers sync.WaitGroup
	for range 8 { // they wait more than they work
		workers.Go(func() {
			for n := range numbers {
				dir, err := os.MkdirTemp(base(t), "")
				if err == nil {
					patience := time.Duration(1)
					if n >= to {
						patience = 10
					}
					err = playSequence(dir, rand.New(rand.NewPCG(seed, uint64(n))), pool, patience, seen)
				}
				if err != nil {
					t.Errorf("CHATVAULT_SEED=%d CHATVAULT_SEQUENCE=%d: %v", seed, n, err)
				}
				if err := os.RemoveAll(dir); err != nil {
					t.Error(err)
				}
			}
		})
	}
	kinds := []string{"TurnFinished", "TurnFailed", "TurnStopped", "Retry", "Requested", "Compacted"}
	if to-from >= 80 {
		kinds = append(kinds, "fallback", "Folded", "CompactFailed", "Nested") // the rare ones
	}
	missing := func() []string {
		return slices.DeleteFunc(slices.Clone(kinds), func(what string) bool { return seen.of(what) > 0 })
	}
	more := to + 2*(to-from) // on a busy machine most turns fail, until they have more time
	for n := from; !t.Failed() && (n < to || n < more && played >= 40 && len(missing()) > 0); n++ {
		numbers <- n
		played++
	}
	close(numbers)
	workers.Wait()
	t.Logf("CHATVAULT_SEED=%d: %d sequences were played, %v", seed, played, seen)
	if none := missing(); played >= 40 && len(none) > 0 {
		t.Errorf("no %v in all of them", none)
	}
	if err := goleak.Find(before); err != nil {
		t.Errorf("CHATVAULT_SEED=%d: goroutines are left: %v", seed, err)
	}
}

// base is a folder where fsync costs nothing, if there is one.
func base(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "faults-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// faultPool are the rows of the corpus, in their chunkings, that fail within a moment.
func faultPool() ([]llmtest.Step, error) {
	faults, err := llmtest.Faults()
	if err != nil {
		return nil, err
	}
	var pool []llmtest.Step
	for _, f := range faults {
		if f.ID == "line-400MB" { // its size alone, in TestStreams
			continue
		}
		for _, c := range llmtest.Chunkings {
			const scale = 0.0005 // 90 s are 45 ms
			if step, ok := f.Step(c, scale); ok {
				pool = append(pool, step)
			}
		}
	}
	if len(pool) < 100 {
		return nil, fmt.Errorf("only %d faults are known", len(pool))
	}
	return pool, nil
}

// sequence is one under way.
type sequence struct {
	*rand.Rand
	pool     []llmtest.Step
	srvs     []*llmtest.Server
	calm     *llmtest.Server // answers the last turn
	seen     *tally
	dir      string
	opts     agent.Options // the same at every start
	patience time.Duration // multiplies how long a server may take
	c        *chain
	past     []*chain // closed
	names    int      // notes named so far
	sent     map[string]bool
	outcome  map[string]string // of a message: answered, failed, stopped, cut
}

// playSequence returns what went wrong.
func playSequence(dir string, random *rand.Rand, pool []llmtest.Step, patience time.Duration, seen *tally) (err error) {
	s := &sequence{Rand: random, seen: seen, pool: pool, patience: patience, dir: dir, sent: map[string]bool{}, outcome: map[string]string{}}
	if err := newVault(dir); err != nil {
		return err
	}
	s.opts.Approval = []event.Approval{event.ApprovalOff, event.ApprovalOff, event.ApprovalDestructive, event.ApprovalWrites}[s.IntN(4)]
	s.opts.Window = []int{0, 0, 8_000, 12_000}[s.IntN(4)]
	serve := func(steps ...llmtest.Step) (*llmtest.Server, error) { return llmtest.Start(steps, llmtest.Options{}) }
	for range 1 + s.IntN(4)/3 { // every fourth has a fallback
		var steps []llmtest.Step
		for range 2 + s.IntN(16) {
			steps = append(steps, s.step())
		}
		srv, err := serve(append(steps, llmtest.Reply("Done.", llmtest.Forever()))...)
		if err != nil {
			return err
		}
		defer srv.Close()
		s.srvs = append(s.srvs, srv)
	}
	s.calm, err = serve(llmtest.Reply("Here I am.", llmtest.When(`user contains "Are you there?"`), llmtest.Forever()),
		llmtest.Reply("In short.", llmtest.When("no tools"), llmtest.Forever()))
	if err != nil {
		return err
	}
	defer s.calm.Close()
	if err := s.open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(), s.check()) }()
	for range 1 + s.IntN(4) {
		if err := s.turn(); err != nil {
			return err
		}
	}
	return s.lastTurn()
}

// open starts a processor, with the second server as fallback.
func (s *sequence) open() error {
	firstByte, idle := 80*time.Millisecond*s.patience, 60*time.Millisecond*s.patience
	var chain []llm.Provider
	for _, srv := range s.srvs[1:] {
		p, err := model(srv.URL(), firstByte, idle)(nil)
		if err != nil {
			return err
		}
		chain = append(chain, p)
	}
	c, err := open(s.dir, model(s.srvs[0].URL(), firstByte, idle), func(o *agent.Options) {
		o.Fallback, o.Approval, o.Window, o.Attended = chain, s.opts.Approval, s.opts.Window, true
	})
	if err != nil {
		return err
	}
	for _, p := range chain {
		c.closers = append(c.closers, p.(*openai.Provider).Close)
	}
	s.c = c
	return nil
}

// close ends the processor; turns it cut have left their messages in the inbox.
func (s *sequence) close() error {
	before := len(s.c.events)
	if err := s.c.close(); err != nil {
		return err
	}
	s.past = append(s.past, s.c)
	return s.settle(s.c.events[before:], "cut")
}

// turn sends one message or a few, some while the turn runs, and lets them be answered, stops
// them, or restarts.
func (s *sequence) turn() error {
	for range 1 + s.IntN(6)/3 {
		m, err := s.c.p.Submit(context.Background(), event.Inbound{Text: fmt.Sprintf("Request %d.", len(s.sent)), Hold: s.IntN(3) == 0})
		if err != nil {
			return err
		}
		s.sent[m.ID] = true
		if s.IntN(2) == 0 {
			s.pause(8)
		}
	}
	switch s.IntN(8) {
	case 0, 1:
		s.pause(25)
		s.c.p.Stop()
	case 2:
		s.pause(25)
		return s.restart()
	case 3:
		if err := s.c.p.Compact(); err != nil {
			return err
		}
	}
	return s.awaitAll()
}

// pause waits for less than so many milliseconds.
func (s *sequence) pause(n int) { time.Sleep(time.Duration(s.IntN(n)) * time.Millisecond) }

// decide answers what a turn asks of the user, in some way or other, or stops the turn.
func (s *sequence) decide(e event.Requested) error {
	var a event.Answer
	switch s.IntN(8) {
	case 0, 1:
		a = event.Answer{Decision: event.Deny, Note: "Not that one."}
	case 2:
		a.Decision = event.AllowConversation
	case 3:
		s.c.p.Stop()
		return nil
	default:
		a.Decision = event.AllowOnce
	}
	if err := s.c.p.Answer(e.Request.ID, a); err != nil && s.c.p.Answer(e.Request.ID, a) == nil {
		return fmt.Errorf("an answer was refused and then taken: %w", err)
	}
	return nil // refused where the turn was stopped meanwhile
}

// restart ends the processor and takes up, in another, what was not finished.
func (s *sequence) restart() error {
	if err := s.close(); err != nil {
		return err
	}
	if err := s.open(); err != nil {
		return err
	}
	pending, warnings, err := s.c.p.Recover()
	if err != nil || len(warnings) > 0 {
		return fmt.Errorf("recover: %v, %w", warnings, err)
	}
	offered := map[string]bool{}
	for _, e := range pending {
		offered[e.ID] = true
	}
	for id := range s.sent {
		if open := s.outcome[id] != "answered" && s.outcome[id] != "stopped"; open != offered[id] {
			return fmt.Errorf("message %s (%q) is offered at the next start: %v", id, s.outcome[id], offered[id])
		}
	}
	for id := range offered {
		delete(s.outcome, id)
		if err := s.c.p.Retry(id); err != nil {
			return err
		}
	}
	return s.awaitAll()
}

// awaitAll takes events until every message has ended.
func (s *sequence) awaitAll() error {
	if len(s.outcome) == len(s.sent) {
		return nil
	}
	var failed error
	_, err := s.c.await(func(e event.Event) bool {
		failed = errors.Join(failed, s.settle([]event.Event{e}, "stopped"))
		return failed != nil || len(s.outcome) == len(s.sent)
	})
	return errors.Join(failed, err)
}

// settle notes the outcomes of the messages whose turns these events end; stopped is what a turn
// that was stopped makes of them.
func (s *sequence) settle(events []event.Event, stopped string) error {
	for _, e := range events {
		var ids []string
		var outcome string
		switch e := e.(type) {
		case event.TurnStarted:
			s.c.turns[e.TurnID] = e.MessageIDs
			continue
		case event.Folded:
			s.c.turns[e.TurnID] = slices.Concat(s.c.turns[e.TurnID], e.MessageIDs)
			continue
		case event.Requested:
			if err := s.decide(e); err != nil {
				return err
			}
			continue
		case event.TurnFinished:
			if ids, outcome = s.c.turns[e.TurnID], "answered"; !e.Success {
				return fmt.Errorf("finished without success: %+v", e)
			}
		case event.TurnFailed:
			if ids, outcome = e.MessageIDs, "failed"; e.Code == agent.KindInternal {
				return fmt.Errorf("a turn failed by a fault of ours: %s", e.Text)
			}
		case event.TurnStopped:
			ids, outcome = e.MessageIDs, stopped
		default:
			continue
		}
		for _, id := range ids {
			if was := s.outcome[id]; was != "" {
				return fmt.Errorf("message %s is %s, and was %s", id, outcome, was)
			}
			s.outcome[id] = outcome
		}
	}
	return nil
}

// lastTurn is the working next turn, at a time when the server answers.
func (s *sequence) lastTurn() error {
	p, err := model(s.calm.URL(), patience, patience)(nil)
	if err != nil {
		return err
	}
	s.c.closers = append(s.c.closers, p.(*openai.Provider).Close)
	s.c.p.SetProvider(p)
	m, err := s.c.p.Submit(context.Background(), event.Inbound{Text: "Are you there?"})
	if err != nil {
		return err
	}
	s.sent[m.ID] = true
	last, err := s.c.await(func(e event.Event) bool { return isLast(e) && e.Header().TurnID == m.ID })
	if err != nil {
		return fmt.Errorf("the next turn: %w", err)
	}
	if !finished(last, "Here I am.") {
		return fmt.Errorf("the next turn: %+v", last)
	}
	s.outcome[m.ID] = "answered"
	return s.checkOutcomes()
}

// checkOutcomes compares the outcomes with what is on disk.
func (s *sequence) checkOutcomes() error {
	pending, err := s.c.inbox()
	if err != nil {
		return err
	}
	turns, err := s.c.record()
	if err != nil {
		return err
	}
	answers := map[string]int{}
	for _, t := range turns {
		for _, m := range t.Messages {
			if s.sent[m.ID] && !t.Failed {
				answers[m.ID]++
			}
			if m.Role == "assistant" && strings.TrimSpace(m.Content) == "" && len(m.ToolCalls) == 0 {
				err = errors.Join(err, fmt.Errorf("an empty answer is recorded in turn %s", t.ID))
			}
		}
	}
	for id := range s.sent {
		outcome, want := s.outcome[id], 0
		if outcome == "answered" {
			want = 1
		}
		if _, kept := pending[id]; kept != (outcome == "failed") || answers[id] != want {
			err = errors.Join(err, fmt.Errorf("message %s is %q; in the inbox: %v, answers on record: %d", id, outcome, kept, answers[id]))
		}
	}
	return err
}

// check looks at all that happened, when everything is closed.
func (s *sequence) check() (err error) {
	say := func(format string, args ...any) { err = errors.Join(err, fmt.Errorf(format, args...)) }
	requests := 0
	for _, srv := range append(slices.Clone(s.srvs), s.calm) {
		requests += len(srv.AllRequests())
		for _, v := range srv.Violations() {
			say("violation: %s", v)
		}
	}
	allowed := 0
	for _, c := range s.past {
		watch := newWatch(len(s.srvs), say)
		for _, e := range c.events {
			watch.event(e)
			s.seen.add(e)
		}
		allowed += watch.requests
		for _, bad := range []string{"illegal state change", "panic"} {
			if i := strings.Index(c.log.String(), bad); i >= 0 {
				say("log: %.2000s", c.log.String()[i:])
			}
		}
		if where := c.leaks(); where != nil {
			say("a key is in %v", where)
		}
	}
	if requests > allowed {
		say("%d requests for %d attempts", requests, allowed)
	}
	left, globErr := filepath.Glob(filepath.Join(s.dir, "*tmp*"))
	if globErr != nil || len(left) > 0 {
		say("left in the vault: %v, %v", left, globErr)
	}
	return err
}

// step is a fault, or an answer as a model gives.
func (s *sequence) step() llmtest.Step {
	if s.IntN(2) == 0 {
		return s.pool[s.IntN(len(s.pool))]
	}
	return s.answer()
}
