package agent_test

import (
	"log/slog"
	"strings"
	"testing"

	"chatvault/agent"
	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/agent/llm/anthropic"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/openai"
	"chatvault/agent/llm/responses"
	"chatvault/internal/llmtest"
)

// speaks are the APIs, with a model each.
var speaks = map[string]func(endpoint.Options) (llm.Provider, error){
	"chat":      func(o endpoint.Options) (llm.Provider, error) { o.Model = "test-model"; return openai.New(o) },
	"messages":  func(o endpoint.Options) (llm.Provider, error) { o.Model = "claude-sonnet-4-5"; return anthropic.New(o) },
	"responses": func(o endpoint.Options) (llm.Provider, error) { o.Model = "gpt-6-sol"; return responses.New(o) },
}

// TestEveryAPIAfterEvery: a conversation that was begun over one API goes on over each other one, and back,
// with tools, reasoning, a message that was folded in, a stop, a new start, a compaction, and over to the
// other in the middle of a turn. The server refuses what the real ones refuse.
func TestEveryAPIAfterEvery(t *testing.T) {
	for from := range speaks {
		for to := range speaks {
			t.Run(from+" "+to, func(t *testing.T) {
				t.Parallel()
				apiPair(t, from, to)
			})
		}
	}
}

func apiPair(t *testing.T, from, to string) {
	read := func(path string) llmtest.Option { return llmtest.Call("read_file", map[string]any{"path": path}) }
	overloaded := llmtest.Fail(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "Retry-After-Ms", "1")
	overloaded.Times = 4
	folded := make(chan struct{})
	srv := llmtest.NewWith(t, llmtest.Options{APIKey: key},
		// The first turn, over the first API.
		llmtest.Say(llmtest.Reasoning("Three <at> once & \"so\"."), llmtest.Text("I look."), read("a.md"), read("b.md"), llmtest.Reasoning("And"), read("notes/a.md"), llmtest.Gate(folded)),
		llmtest.Reply("Read.", llmtest.Reasoning("Now."), llmtest.Expect(`any message contains "and be brief"`)),
		// The second, over the other.
		llmtest.Say(llmtest.Reasoning("More."), read("b.md"), llmtest.Expect(`all messages contains "Read."`)),
		llmtest.Say(llmtest.Reasoning("Once more."), read("a.md")),
		llmtest.Reply("Well."),
		// It is stopped, and goes on over the first, after a new start.
		llmtest.Say(llmtest.Reasoning("Long."), llmtest.Text("Half"), llmtest.Flush(), llmtest.Hang()),
		llmtest.Say(llmtest.Reasoning("Back."), read("a.md"), llmtest.Expect(`all messages contains "stopped"`)),
		// There the other takes over, after a tool ran, and then is compacted.
		overloaded,
		llmtest.Reply("From the other.", llmtest.Expect(`tool result contains "alpha"`)),
		llmtest.Reply("All was read.", llmtest.Expect(`no tools`)),
		llmtest.Reply("I know.", llmtest.Expect(`all messages contains "All was read."`)),
	)
	made := func(api string) func(*slog.Logger) (llm.Provider, error) {
		return func(log *slog.Logger) (llm.Provider, error) {
			return speaks[api](endpoint.Options{Name: api, BaseURL: srv.URL(), APIKey: key, FirstByte: patience, Idle: patience, Logger: log, Effort: map[string]string{"messages": "low"}[api]})
		}
	}
	dir := t.TempDir()
	if err := newVault(dir); err != nil {
		t.Fatal(err)
	}
	sit := func(api string, fallback ...string) *chain {
		c, err := open(dir, made(api), func(o *agent.Options) {
			for _, f := range fallback {
				p, err := made(f)(slog.New(slog.DiscardHandler))
				if err != nil {
					t.Fatal(err)
				}
				o.Fallback = append(o.Fallback, p)
				t.Cleanup(p.(interface{ Close() }).Close)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	said := func(e event.Event, err error, want string) {
		t.Helper()
		if f, ok := e.(event.TurnFinished); err != nil || !ok || !strings.Contains(f.Response, want) {
			t.Fatalf("%+v, %v; want %q; %q", e, err, want, srv.Violations())
		}
	}
	up := func(c *chain) {
		t.Helper()
		if err := c.close(); err != nil {
			t.Fatal(err)
		}
	}

	c := sit(from)
	ctx := t.Context()
	m, err := c.p.Submit(ctx, event.Inbound{Text: "read all three"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.await(func(e event.Event) bool { _, ok := e.(event.ToolCallDelta); return ok }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.p.Submit(ctx, event.Inbound{Text: "and be brief"}); err != nil {
		t.Fatal(err)
	}
	close(folded)
	e, err := c.await(func(e event.Event) bool { return isLast(e) && e.Header().TurnID == m.ID })
	said(e, err, "Read.")
	up(c)

	c = sit(to)
	e, err = c.turn("go on")
	said(e, err, "Well.")
	if _, err = c.p.Submit(ctx, event.Inbound{Text: "something long"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.await(func(e event.Event) bool { d, ok := e.(event.TextDelta); return ok && d.Text == "Half" }); err != nil {
		t.Fatal(err)
	}
	c.p.Stop()
	if _, err := c.await(func(e event.Event) bool { _, ok := e.(event.TurnStopped); return ok }); err != nil {
		t.Fatal(err)
	}
	up(c)

	c = sit(from, to)
	e, err = c.turn("back again")
	said(e, err, "From the other.")
	if err := c.p.Compact(); err != nil {
		t.Fatal(err)
	}
	if err := c.p.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	e, err = c.turn("what do you know?")
	said(e, err, "I know.")
	up(c)
	if leaks := c.leaks(); len(leaks) > 0 {
		t.Errorf("the key is in %v", leaks)
	}
	if n := srv.Unserved(); n != 0 {
		t.Errorf("%d answers were not asked for", n)
	}
}
