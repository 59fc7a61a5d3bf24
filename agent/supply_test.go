package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/agent/llm"
)

const typed = "typed-canary-5566778899"

// supplies is a Supplier that takes one value.
type supplies struct {
	takes string

	mu  sync.Mutex
	got []string
}

func (s *supplies) Lacks(p llm.Provider, err *llm.Error) (event.Request, bool) {
	if err.Kind != llm.KindAuth {
		return event.Request{}, false
	}
	return event.Request{Kind: event.RequestSecret, Name: "ACME_API_KEY", Text: p.Name() + ": " + err.Message}, true
}

func (s *supplies) Supply(_ context.Context, _ llm.Provider, q event.Request, value string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, q.Name)
	if value != s.takes {
		return "", errors.New("it is no key")
	}
	return "Stored under the mat.", nil
}

func keyRefused(reason string) step {
	return step{err: &llm.Error{Kind: llm.KindAuth, Message: reason}}
}

// secretIn names the events, the log and the results that hold what was typed.
func (d *dialogue) secretIn(secret string) []string {
	var where []string
	if strings.Contains(d.log.String(), secret) {
		where = append(where, "the log")
	}
	for _, e := range d.events {
		if strings.Contains(fmt.Sprintf("%+v", e), secret) {
			where = append(where, fmt.Sprintf("%T", e))
		}
	}
	return where
}

// TestKeyIsAskedFor: the turn waits for the key and goes on; the tool that ran does not run
// again, and what the failed call had begun to say is void.
func TestKeyIsAskedFor(t *testing.T) {
	s := &supplies{takes: typed}
	c, m := asked(t, []step{
		use("write_file", `{"path":"c.md","content":"once"}`), keyRefused("expired"), keyRefused("still expired"), say("done"),
	}, func(o *agent.Options) { o.Supplier, o.Approval = s, event.ApprovalOff })
	r := c.begin(t, "go")
	if q := r.Request; q.Kind != event.RequestSecret || q.Name != "ACME_API_KEY" || q.Text != "scripted: expired" {
		t.Errorf("asked %+v", q)
	}
	c.answer(t, r, event.Answer{Decision: event.Provide, Value: "wrong-canary-1"})
	r = next[event.Requested](t, c)
	if q := r.Request; q.Text != "Not accepted: it is no key.\nscripted: expired" {
		t.Errorf("asked again %+v", q)
	}
	c.answer(t, r, event.Answer{Decision: event.Provide, Value: " " + typed + "\n"})
	r = next[event.Requested](t, c) // taken, and refused by the provider
	if q := r.Request; q.Text != "scripted: still expired" {
		t.Errorf("asked a third time %+v", q)
	}
	c.answer(t, r, event.Answer{Decision: event.Provide, Value: typed})
	if f := next[event.TurnFinished](t, c); f.Response != "done" || !slices.Equal(f.ToolsUsed, []string{"write_file"}) {
		t.Errorf("%+v", f)
	}
	if got := m.results(); len(got) != 1 || !strings.HasPrefix(got[0], "Created") {
		t.Errorf("results %q", got)
	}
	retries, notices := 0, 0
	for _, e := range c.events {
		switch e := e.(type) {
		case event.Retry:
			retries++
		case event.Notice:
			if e.Text == "Stored under the mat." {
				notices++
			}
		}
	}
	if retries != 2 || notices != 1 { // of the key that was refused nothing is said
		t.Errorf("%d retries, %d notices: %s", retries, notices, kinds(c.events))
	}
	for _, secret := range []string{typed, "wrong-canary-1"} {
		if where := c.secretIn(secret); len(where) > 0 {
			t.Errorf("what was typed stands in %v", where)
		}
	}
}

// TestKeyIsNotGiven: a refusal, and three wrong keys, end the turn as a wrong key does; where
// nobody is to ask nobody is asked.
func TestKeyIsNotGiven(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*agent.Options)
		answer event.Answer
		asks   int
	}{
		{"denied", nil, event.Answer{Decision: event.Deny}, 1},
		{"never right", nil, event.Answer{Decision: event.Provide, Value: "wrong"}, 3},
		{"refused by the provider", nil, event.Answer{Decision: event.Provide, Value: typed}, 3},
		{"unattended", func(o *agent.Options) { o.Attended = false }, event.Answer{}, 0},
		{"no supplier", func(o *agent.Options) { o.Supplier = nil }, event.Answer{}, 0},
	} {
		options := []func(*agent.Options){func(o *agent.Options) { o.Supplier = &supplies{takes: typed} }}
		if c.change != nil {
			options = append(options, c.change)
		}
		d, m := asked(t, []step{keyRefused("expired")}, options...)
		if _, err := d.p.Submit(context.Background(), event.Inbound{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		asks := 0
		for {
			e := d.until(t, func(e event.Event) bool { _, ok := e.(event.Requested); return ok || isLast(e) })
			r, ok := e.(event.Requested)
			if !ok {
				if f, ok := e.(event.TurnFailed); !ok || f.Code != llm.KindAuth || !strings.Contains(f.Text, "expired") {
					t.Errorf("%s: %+v", c.name, e)
				}
				break
			}
			asks++
			d.answer(t, r, c.answer)
		}
		if asks != c.asks || len(m.calls) > 4 {
			t.Errorf("%s: asked %d times, %d calls", c.name, asks, len(m.calls))
		}
	}
}

// TestFallbackComesFirst: another provider takes over before anybody is asked; the last one's
// key is asked for.
func TestFallbackComesFirst(t *testing.T) {
	second := &scripted{name: "second", steps: []step{keyRefused("no second key"), say("by the second")}}
	c, _ := asked(t, []step{keyRefused("no first key")}, func(o *agent.Options) {
		o.Supplier, o.Fallback = &supplies{takes: typed}, []llm.Provider{second}
	})
	r := c.begin(t, "go")
	if r.Request.Text != "second: no second key" {
		t.Errorf("asked %+v", r.Request)
	}
	c.answer(t, r, event.Answer{Decision: event.Provide, Value: typed})
	if f := next[event.TurnFinished](t, c); f.Response != "by the second" {
		t.Errorf("%+v", f)
	}
}

// TestStopWhileAKeyIsAskedFor: the turn is stopped, not failed.
func TestStopWhileAKeyIsAskedFor(t *testing.T) {
	s := &supplies{takes: typed}
	c, _ := asked(t, []step{keyRefused("expired")}, func(o *agent.Options) { o.Supplier = s })
	c.begin(t, "go")
	c.p.Stop()
	if e := c.until(t, isLast); len(s.got) > 0 {
		t.Errorf("%+v, supplied %v", e, s.got)
	} else if _, ok := e.(event.TurnStopped); !ok {
		t.Errorf("%+v", e)
	}
}
