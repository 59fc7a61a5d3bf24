package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/conversation"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/statefile/statetest"
	"chatvault/internal/llmtest/historytest"
	"chatvault/tools"
)

// chaos is a model that answers, calls tools, fails or hangs by chance, and answers at once
// when the newest message says "calm".
type chaos struct {
	t *testing.T

	mu     sync.Mutex
	random *rand.Rand
}

func (c *chaos) Name() string { return "chaos" }

func (c *chaos) n(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.random.IntN(n)
}

func (c *chaos) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	for _, f := range historytest.Faults(req.Messages) {
		c.t.Errorf("history: %s", f)
	}
	r := c.reply(req)
	return func(yield func(llm.Chunk, error) bool) { r(ctx, req, yield) }
}

func (c *chaos) reply(req llm.Request) reply {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		if m := req.Messages[i]; m.Role == llm.RoleUser {
			if strings.HasPrefix(m.Content, "calm") {
				return say("fine")
			}
			break
		}
	}
	switch c.n(9) {
	case 0:
		return failWith(llm.Error{Kind: llm.KindNetwork})
	case 1:
		return failWith(llm.Error{Kind: llm.KindAuth})
	case 2:
		return func(ctx context.Context, req llm.Request, yield func(llm.Chunk, error) bool) {
			if !yield(llm.Chunk{Text: "begun "}, nil) {
				return
			}
			if !routine.Sleep(ctx, time.Duration(c.n(3000))*time.Microsecond) {
				yield(llm.Chunk{}, &llm.Error{Kind: llm.KindAborted, Err: ctx.Err()})
				return
			}
			say("late")(ctx, req, yield)
		}
	case 3, 4:
		return use("read_file", `{}`, "read_file", `{}`, "write_file", `{}`)
	case 5:
		return use("write_file", `{}`, sendMessage, `{"message":"which?","is_question":true}`)
	case 6:
		return use("delegate", `{"task":"calmly"}`, "read_file", `{}`, "delegate", `{"task":"look"}`, "delegate", `{"task":"look"}`, "delegate", `{"task":"look"}`)
	default:
		return say("an answer of several words")
	}
}

// tally is what became of each message, from the events.
type tally struct {
	turns map[string][]string // messages of each turn
	ends  map[string]string   // how the message's turn ended: "finished", "stopped", "failed"
	twice []string
}

func (y *tally) take(e event.Event) {
	end := ""
	switch e := e.(type) {
	case event.TurnStarted:
		y.turns[e.TurnID] = e.MessageIDs
	case event.Folded:
		y.turns[e.TurnID] = slices.Concat(y.turns[e.TurnID], e.MessageIDs)
	case event.TurnFinished:
		end = "finished"
	case event.TurnStopped:
		end = "stopped"
	case event.TurnFailed:
		end = "failed"
	}
	if end == "" {
		return
	}
	for _, id := range y.turns[e.Header().TurnID] {
		if y.ends[id] != "" {
			y.twice = append(y.twice, id)
		}
		y.ends[id] = end
	}
}

// TestRandomCommandsAtAnyMoment submits, stops, takes back and closes at random moments. Every
// accepted message ends once, or is in the inbox; what is on disk is what the events said; and
// the processor, or the next one, works on.
func TestRandomCommandsAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: make test runs it")
	}
	began := time.Now()
	for seed := range 300 {
		anything(t, uint64(seed))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%v", time.Since(began))
}

func anything(t *testing.T, seed uint64) {
	dir := statetest.Memory(t)
	defer func() { _ = os.RemoveAll(dir) }()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	random := rand.New(rand.NewPCG(seed, 1))
	model := &chaos{t: t, random: rand.New(rand.NewPCG(seed, 2))}
	pause := func(ctx context.Context, _ json.RawMessage) tools.Result {
		routine.Sleep(ctx, time.Duration(model.n(500))*time.Microsecond)
		return tools.Result{Text: "done"}
	}
	open := func() *Processor {
		p, err := New(Options{
			Root: root, Vault: root, Agreed: agreeAll, Tools: delegating(fakeTool{"read_file", true, pause}, fakeTool{"write_file", false, pause}),
			Conversations: conversation.NewManager(root, conversation.Options{}),
			Agent:         Agent{Provider: model, MaxRounds: 2, Retry: llm.RetryPolicy{time.Millisecond, time.Millisecond}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := open()
	sub := p.Subscribe()
	y := tally{map[string][]string{}, map[string]string{}, nil}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for {
			events, err := sub.Next(context.Background())
			if err != nil {
				return
			}
			for _, e := range events {
				y.take(e)
			}
		}
	}()

	var mu sync.Mutex
	var accepted []string
	takenBack := map[string]bool{}
	wait := func(r *rand.Rand, most int) { time.Sleep(time.Duration(r.IntN(most)) * time.Microsecond) }
	var wg sync.WaitGroup
	actor := func(n int, do func(*rand.Rand, int)) {
		r := rand.New(rand.NewPCG(seed, random.Uint64()))
		wg.Go(func() {
			for i := range n {
				wait(r, 1500)
				do(r, i)
			}
		})
	}
	for range 2 {
		actor(1+random.IntN(3), func(r *rand.Rand, i int) {
			m, err := p.Submit(context.Background(), event.Inbound{Text: fmt.Sprint("message ", i), Source: []event.Source{event.SourceDirect, event.SourceWebSocket}[r.IntN(2)], Hold: r.IntN(2) == 0})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				accepted = append(accepted, m.ID)
			} else if !strings.Contains(err.Error(), "ending") {
				t.Error(err)
			}
		})
	}
	actor(random.IntN(6), func(*rand.Rand, int) { p.Stop() })
	actor(random.IntN(3), func(r *rand.Rand, _ int) {
		mu.Lock()
		defer mu.Unlock()
		if len(accepted) > 0 {
			id := accepted[r.IntN(len(accepted))]
			if _, ok := p.TakeBack(id); ok {
				takenBack[id] = true
			}
		}
	})
	closed := random.IntN(3) == 0
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if closed {
		actor(1, func(*rand.Rand, int) { _ = p.Close(ctx) })
	}
	wg.Wait()
	if !closed { // what is under way ends by itself; then it must still work
		m, err := p.Submit(ctx, event.Inbound{Text: "calm", Hold: true}) // after all that waits
		if err != nil {
			t.Fatal(err)
		}
		accepted = append(accepted, m.ID)
		for deadline := time.Now().Add(30 * time.Second); p.Busy() || p.knows(m.ID); time.Sleep(100 * time.Microsecond) {
			if time.Now().After(deadline) {
				t.Fatal("the processor hangs")
			}
		}
	}
	if err := p.Close(ctx); err != nil {
		t.Fatal(err)
	}
	<-read

	if len(y.twice) > 0 {
		t.Errorf("handled twice: %v", y.twice)
	}
	kept := map[string]inbox.Entry{}
	entries, warnings, err := inbox.Open(root).List()
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	for _, e := range entries {
		kept[e.ID] = e
	}
	recorded := recordedIDs(t, root)
	for _, id := range accepted {
		_, in := kept[id]
		end := y.ends[id]
		switch {
		case takenBack[id]:
			if in || end != "" || recorded[id] > 0 {
				t.Errorf("%s was taken back: inbox %v, %s", id, in, end)
			}
		case end == "finished":
			if in || recorded[id] != 1 {
				t.Errorf("%s finished: inbox %v, recorded %d times", id, in, recorded[id])
			}
		case end == "failed":
			if !in || recorded[id] != 0 || kept[id].LastError == "" || kept[id].Deaths != 0 {
				t.Errorf("%s failed: inbox %v, recorded %d times, %+v", id, in, recorded[id], kept[id])
			}
		case end == "stopped": // by the user, or cut by Close
			if recorded[id] != 0 || in && !closed {
				t.Errorf("%s was stopped: inbox %v, recorded %d times", id, in, recorded[id])
			}
		case !closed:
			t.Errorf("%s is lost: inbox %v", id, in)
		case !in:
			t.Errorf("%s is lost in the closing", id)
		}
	}
	next := open()
	defer func() { _ = next.Close(ctx) }()
	pending, warnings, err := next.Recover()
	if err != nil || len(warnings) > 0 || len(pending) != len(kept) {
		t.Errorf("recovered %d of %d, %v, %v", len(pending), len(kept), warnings, err)
	}
}

// recordedIDs counts how often each message is on record as answered.
func recordedIDs(t *testing.T, root *os.Root) map[string]int {
	t.Helper()
	n := map[string]int{}
	c, err := conversation.NewManager(root, conversation.Options{}).Active()
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		return n
	}
	for _, turn := range c.Turns {
		for _, m := range turn.Messages {
			if m.Role == conversation.RoleUser && !turn.Failed {
				n[m.ID]++
			}
		}
	}
	return n
}
