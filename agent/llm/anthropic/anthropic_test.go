package anthropic

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/llmtest"
)

// TestToolLoop: reasoning, text and parallel calls in any order are sent back unchanged, an interjected message
// follows the results, and the server accepts every request.
func TestToolLoop(t *testing.T) {
	srv := llmtest.NewWith(t, llmtest.Options{APIKey: testKey},
		llmtest.Say(
			llmtest.Reasoning("First <look>\n\"quoted\" & \u2028 ünï."), llmtest.Reasoning("REDACTED it"), llmtest.Text("Looking. "),
			llmtest.Call("read_note", map[string]any{"path": "a.md"}), llmtest.Call("today", map[string]any{}), llmtest.Reasoning("One more."),
			llmtest.Call("read_note", `{"path": "b<c>.md"}`)),
		llmtest.Say(llmtest.Reasoning("Now I know."), llmtest.Call("read_note", map[string]any{"path": "c.md"}), llmtest.Expect(`user contains "And c.md"`)),
		llmtest.Reply("Done."),
	)
	p := newProvider(t, srv, func(o *endpoint.Options) { o.Effort = "low" })
	req := question()
	first, failed := collect(t.Context(), t, p, req)
	if failed != nil || len(first.ToolCalls) != 3 || first.Finish != llm.FinishToolCalls || first.ToolCalls[1].Arguments != "{}" || first.ToolCalls[2].Arguments != `{"path": "b<c>.md"}` {
		t.Fatalf("%+v, %v", first, failed)
	}
	if first.Text != "Looking. " || !strings.Contains(first.Reasoning, "\"quoted\" & \u2028 ünï.") {
		t.Errorf("%q, %q", first.Text, first.Reasoning)
	}
	req.Messages = append(append(req.Messages, asMessages(first)...), llm.Message{Role: llm.RoleUser, Content: "And c.md, too."})
	second, failed := collect(t.Context(), t, p, req)
	if failed != nil || len(second.ToolCalls) != 1 {
		t.Fatalf("%+v, %v", second, failed)
	}
	req.Messages = append(req.Messages, asMessages(second)...)
	if third, failed := collect(t.Context(), t, p, req); failed != nil || third.Text != "Done." || third.Finish != llm.FinishStop {
		t.Fatalf("%+v, %v", third, failed)
	}
	var sent struct {
		Messages []struct {
			Content []struct {
				Type, Thinking, Signature string
			}
		}
	}
	if err := json.Unmarshal(srv.Requests()[2].Body, &sent); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, b := range sent.Messages[1].Content {
		kinds = append(kinds, b.Type)
	}
	if want := strings.Fields("thinking redacted_thinking text tool_use tool_use thinking tool_use"); !slices.Equal(kinds, want) {
		t.Errorf("blocks were sent back as %v", kinds)
	}
	for _, r := range srv.AllRequests() {
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != testKey {
			t.Errorf("headers: %v", r.Header)
		}
	}
}

// TestThinkingOfOtherModel: reasoning of another model is not sent, and no thinking budget is requested until that
// model's calls are over.
func TestThinkingOfOtherModel(t *testing.T) {
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Reasoning("Hm."), llmtest.Call("read_note", map[string]any{"path": "a.md"})),
		llmtest.Reply("Done.", llmtest.Expect(`body not contains "signature"`), llmtest.Expect(`body not contains "budget_tokens"`)),
		llmtest.Reply("Again.", llmtest.Expect(`body contains "budget_tokens"`)),
	)
	req := question()
	first, failed := collect(t.Context(), t, newProvider(t, srv, func(o *endpoint.Options) { o.Model = "claude-opus-4-8" }), req)
	if failed != nil {
		t.Fatal(failed)
	}
	other := newProvider(t, srv, func(o *endpoint.Options) { o.Effort = "high" })
	req.Messages = append(req.Messages, asMessages(first)...)
	second, failed := collect(t.Context(), t, other, req)
	if failed != nil {
		t.Fatal(failed)
	}
	req.Messages = append(append(req.Messages, asMessages(second)...), llm.Message{Role: llm.RoleUser, Content: "more"})
	if _, failed := collect(t.Context(), t, other, req); failed != nil {
		t.Fatal(failed)
	}
}

// TestCache: the next call of a turn, and the first of the next turn, read everything sent before from the cache,
// however many calls a response had.
func TestCache(t *testing.T) {
	many := []llmtest.Option{llmtest.Reasoning("Many.")}
	for range 16 {
		many = append(many, llmtest.Call("read_note", map[string]any{"path": "a.md"}))
	}
	srv := llmtest.New(t, llmtest.Say(many...), llmtest.Reply("So."), llmtest.Reply("Yes."), llmtest.Reply("Well."))
	p := newProvider(t, srv)
	req := question()
	req.Messages[0].Content = strings.Repeat("You keep notes with care. ", 400)
	var before llm.Usage
	for call := range 4 {
		resp, failed := collect(t.Context(), t, p, req)
		if failed != nil {
			t.Fatal(failed)
		}
		u := resp.Usage
		if call == 0 && (u.CachedTokens != 0 || u.CacheWriteTokens < 2000) || call > 0 && u.CachedTokens < before.PromptTokens-8 || u.CachedTokens+u.CacheWriteTokens < u.PromptTokens-8 {
			t.Errorf("call %d: %+v after %+v", call, u, before)
		}
		before = u
		req.Messages = append(req.Messages, asMessages(resp)...)
		if len(resp.ToolCalls) == 0 {
			req.Messages = append(req.Messages, llm.Message{Role: llm.RoleUser, Content: "and?"})
		}
	}
}

// TestEffort: the request has the effort parameter that each kind of model accepts.
func TestEffort(t *testing.T) {
	for _, c := range []struct{ model, effort, want, not string }{
		{"claude-sonnet-4-5", "", "", "thinking"},
		{"claude-sonnet-4-5", "none", `"thinking":{"type":"disabled"}`, "effort"},
		{"claude-sonnet-4-5-20250929", "max", `"budget_tokens":28000`, "effort"},
		{"claude-opus-4-8", "", "", "thinking"},
		{"claude-opus-4-8", "none", `"disabled"`, "effort"},
		{"claude-opus-4-8", "xhigh", `"output_config":{"effort":"xhigh"}`, "budget"},
		{"claude-fable-5-1", "low", `"adaptive"`, "budget"},
		{"kimi-k2.5", "medium", `"budget_tokens":10000`, "effort"},
	} {
		for _, limit := range []int{0, 300} {
			srv := llmtest.New(t, llmtest.Reply("ok"))
			req := question()
			req.MaxTokens = limit
			if _, failed := collect(t.Context(), t, newProvider(t, srv, func(o *endpoint.Options) { o.Model, o.Effort = c.model, c.effort }), req); failed != nil {
				t.Errorf("%+v: %v", c, failed)
			}
			if body := string(srv.Requests()[0].Body); !strings.Contains(body, c.want) || strings.Contains(body, c.not) {
				t.Errorf("%+v: %s", c, body)
			}
		}
	}
}

// TestErrors: Anthropic's errors get the right reason.
func TestErrors(t *testing.T) {
	anthropic := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`
	}
	for name, c := range map[string]struct {
		step   llmtest.Step
		kind   llm.Kind
		reason llm.Reason
		wait   time.Duration
	}{
		"key":        {llmtest.Fail(401, anthropic("authentication_error", "invalid x-api-key")), llm.KindAuth, "", 0},
		"rate":       {llmtest.Fail(429, anthropic("rate_limit_error", "slow down"), "Retry-After", "7", "anthropic-ratelimit-requests-remaining", "0"), llm.KindRateLimit, "", 7 * time.Second},
		"overloaded": {llmtest.Fail(529, anthropic("overloaded_error", "Overloaded")), llm.KindNetwork, llm.ReasonOverloaded, 0},
		"credit":     {llmtest.Fail(400, anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API.")), llm.KindRateLimit, llm.ReasonQuota, 0},
		"long":       {llmtest.Fail(400, anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")), llm.KindInvalidRequest, llm.ReasonContextLength, 0},
		"model":      {llmtest.Fail(404, anthropic("not_found_error", "model: claude-9")), llm.KindInvalidRequest, llm.ReasonModelNotFound, 0},
		"midstream":  {llmtest.Reply("half", llmtest.StreamError(`{"type":"overloaded_error","message":"Overloaded"}`)), llm.KindNetwork, llm.ReasonOverloaded, 0},
		"cut":        {llmtest.Reply("half", llmtest.Cut()), llm.KindNetwork, llm.ReasonBroken, 0},
		"no end":     {llmtest.Reply("half", llmtest.NoFinish()), llm.KindNetwork, llm.ReasonBroken, 0},
		"form":       {llmtest.Wire("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{}}\n\n"), llm.KindNetwork, llm.ReasonBroken, 0},
	} {
		srv := llmtest.New(t, c.step)
		_, failed := collect(t.Context(), t, newProvider(t, srv), question())
		if failed == nil || failed.Kind != c.kind || failed.Reason != c.reason || failed.RetryAfter != c.wait {
			t.Errorf("%s: %+v", name, failed)
		}
	}
}

// TestFinishReasons of responses.
func TestFinishReasons(t *testing.T) {
	for reason, want := range map[string]llm.FinishReason{
		"end_turn": llm.FinishStop, "stop_sequence": llm.FinishStop, "max_tokens": llm.FinishLength,
		"model_context_window_exceeded": llm.FinishLength, "refusal": llm.FinishRefusal,
	} {
		srv := llmtest.New(t, llmtest.Reply("text", llmtest.Finish(reason)))
		if resp, failed := collect(t.Context(), t, newProvider(t, srv), question()); failed != nil || resp.Finish != want || resp.Text != "text" || resp.Usage.CompletionTokens == 0 {
			t.Errorf("%s: %+v, %v", reason, resp, failed)
		}
	}
	srv := llmtest.New(t, llmtest.Say(llmtest.Reasoning("hm"), llmtest.Text("a"), llmtest.Text("b"), llmtest.Call("read_note", `{"path":"x"}`)))
	if resp, failed := collect(t.Context(), t, newProvider(t, srv), question()); failed != nil || resp.Text != "a\n\nb" || resp.ToolCalls[0].Arguments != `{"path":"x"}` || resp.Finish != llm.FinishToolCalls {
		t.Errorf("%+v, %v", resp, failed)
	}
}

// TestStop: a canceled call ends at once, at any point.
func TestStop(t *testing.T) {
	srv := llmtest.New(t, llmtest.Say(llmtest.Reasoning("long"), llmtest.Call("read_note", `{"path":`), llmtest.Flush(), llmtest.Hang()))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := newProvider(t, srv)
	var failed error
	for c, err := range p.Stream(ctx, question()) {
		if c.ToolCall != nil {
			cancel()
		}
		failed = err
	}
	if e := llm.AsError(failed); e == nil || e.Kind != llm.KindAborted {
		t.Errorf("%+v", failed)
	}
	if !srv.AwaitGone(0, time.Minute) {
		t.Error("the connection stayed open")
	}
}

// TestConnectionReused: the connection is reused although the answer ends without [DONE].
func TestConnectionReused(t *testing.T) {
	srv := llmtest.New(t, llmtest.Reply("one"), llmtest.Reply("two"), llmtest.Reply("three"))
	base, dials := endpoint.NewTransport(), 0
	dial := base.DialContext
	base.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials++
		return dial(ctx, network, addr)
	}
	p := newProvider(t, srv, func(o *endpoint.Options) { o.Transport = http.RoundTripper(base) })
	for range 3 {
		if _, failed := collect(t.Context(), t, p, question()); failed != nil {
			t.Fatal(failed)
		}
	}
	if dials != 1 {
		t.Errorf("%d connections", dials)
	}
}
