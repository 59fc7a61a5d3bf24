package responses

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/llmtest"
)

// TestToolLoop: encrypted reasoning, text and parallel calls in any order are sent back unchanged, an interjected
// message follows the results, and the server accepts every request.
func TestToolLoop(t *testing.T) {
	srv := llmtest.NewWith(t, llmtest.Options{APIKey: testKey},
		llmtest.Say(
			llmtest.Reasoning("First <look>\n\"quoted\" & \u2028 ünï."), llmtest.Text("Looking. "),
			llmtest.Call("read_note", map[string]any{"path": "a.md"}), llmtest.Call("today", map[string]any{}), llmtest.Reasoning("One more."),
			llmtest.Call("read_note", `{"path": "b<c>.md"}`)),
		llmtest.Say(llmtest.Reasoning("Now I know."), llmtest.Call("read_note", map[string]any{"path": "c.md"}), llmtest.Expect(`user contains "And c.md"`)),
		llmtest.Reply("Done."),
	)
	p := newProvider(t, srv, func(o *endpoint.Options) { o.Effort = "low" })
	req := question()
	req.CacheKey = "c1"
	first, failed := collect(t.Context(), t, p, req)
	if failed != nil || len(first.ToolCalls) != 3 || first.Finish != llm.FinishToolCalls || first.ToolCalls[1].Arguments != "{}" || first.ToolCalls[2].Arguments != `{"path": "b<c>.md"}` {
		t.Fatalf("%+v, %v", first, failed)
	}
	if first.Text != "Looking. " || !strings.Contains(first.Reasoning, "\"quoted\" & \u2028 ünï.\n\nOne more.") {
		t.Errorf("%q, %q", first.Text, first.Reasoning)
	}
	req.Messages = append(append(req.Messages, asMessages(first)...), llm.Message{Role: llm.RoleUser, Content: "And c.md, too."})
	second, failed := collect(t.Context(), t, p, req)
	if failed != nil || len(second.ToolCalls) != 1 || second.Usage.CachedTokens < first.Usage.PromptTokens-8 {
		t.Fatalf("%+v, %v", second, failed)
	}
	req.Messages = append(req.Messages, asMessages(second)...)
	if third, failed := collect(t.Context(), t, p, req); failed != nil || third.Text != "Done." || third.Finish != llm.FinishStop {
		t.Fatalf("%+v, %v", third, failed)
	}
	var sent struct {
		Input []struct{ Type, Role string }
	}
	if err := json.Unmarshal(srv.Requests()[1].Body, &sent); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, it := range sent.Input {
		kinds = append(kinds, it.Type)
	}
	want := strings.Fields("message reasoning message function_call function_call reasoning function_call function_call_output function_call_output function_call_output message")
	if !slices.Equal(kinds, want) {
		t.Errorf("items were sent back as %v", kinds)
	}
}

// TestReasoningOfOtherModel: reasoning of another model is not sent, and no reasoning is requested from a model
// without it.
func TestReasoningOfOtherModel(t *testing.T) {
	srv := llmtest.NewWith(t, llmtest.Options{Endpoint: llmtest.EndpointOf("openai")},
		llmtest.Say(llmtest.Reasoning("Hm."), llmtest.Call("read_note", map[string]any{"path": "a.md"})),
		llmtest.Reply("Done.", llmtest.Expect(`body not contains "encrypted_content"`)),
		llmtest.Reply("Done.", llmtest.Expect(`body contains "\"include\":[\"reasoning.encrypted_content\"]"`)),
	)
	req := question()
	first, failed := collect(t.Context(), t, newProvider(t, srv), req)
	if failed != nil {
		t.Fatal(failed)
	}
	req.Messages = append(req.Messages, asMessages(first)...)
	for _, model := range []string{"gpt-5-chat-latest", "gpt-5.4"} {
		if _, failed := collect(t.Context(), t, newProvider(t, srv, func(o *endpoint.Options) { o.Model = model }), req); failed != nil {
			t.Fatal(model, failed)
		}
	}
}

// TestCache: the next call of a turn, and the first of the next turn, read everything sent before from the cache.
func TestCache(t *testing.T) {
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Reasoning("Both."), llmtest.Call("read_note", map[string]any{"path": "a.md"}), llmtest.Call("read_note", map[string]any{"path": "b.md"})),
		llmtest.Reply("So."), llmtest.Say(llmtest.Reasoning("Well."), llmtest.Text("Yes.")), llmtest.Reply("Well."))
	p := newProvider(t, srv)
	req := question()
	req.CacheKey = "c1"
	req.Messages[0].Content = strings.Repeat("You keep notes with care. ", 400)
	before := 0
	for call := range 4 {
		resp, failed := collect(t.Context(), t, p, req)
		if failed != nil {
			t.Fatal(failed)
		}
		u := resp.Usage
		if call == 0 && (u.CachedTokens != 0 || u.PromptTokens < 2000) || call > 0 && (u.CachedTokens < before-8 || u.PromptTokens <= before) {
			t.Errorf("call %d: %+v after %d", call, u, before)
		}
		before = u.PromptTokens
		req.Messages = append(req.Messages, asMessages(resp)...)
		if len(resp.ToolCalls) == 0 {
			req.Messages = append(req.Messages, llm.Message{Role: llm.RoleUser, Content: "and?"})
		}
	}
}

// TestErrors: OpenAI's errors get the right reason.
func TestErrors(t *testing.T) {
	wrong := func(code, message string) string {
		return `{"error":{"message":"` + message + `","type":"x","param":null,"code":"` + code + `"}}`
	}
	for name, c := range map[string]struct {
		step   llmtest.Step
		kind   llm.Kind
		reason llm.Reason
		wait   time.Duration
	}{
		"key":       {llmtest.Fail(401, wrong("invalid_api_key", "Incorrect API key provided")), llm.KindAuth, "", 0},
		"rate":      {llmtest.Fail(429, wrong("rate_limit_exceeded", "Rate limit reached"), "Retry-After-Ms", "1500"), llm.KindRateLimit, "", 1500 * time.Millisecond},
		"quota":     {llmtest.Fail(429, wrong("insufficient_quota", "You exceeded your current quota")), llm.KindRateLimit, llm.ReasonQuota, 0},
		"long":      {llmtest.Fail(400, wrong("context_length_exceeded", "Your input exceeds the context window of this model.")), llm.KindInvalidRequest, llm.ReasonContextLength, 0},
		"model":     {llmtest.Fail(404, wrong("model_not_found", "The model gpt-9 does not exist")), llm.KindInvalidRequest, llm.ReasonModelNotFound, 0},
		"failed":    {llmtest.Reply("half", llmtest.StreamError(`{"code":"server_error","message":"boom"}`)), llm.KindNetwork, llm.ReasonServer, 0},
		"limited":   {llmtest.Reply("half", llmtest.StreamError(`{"code":"rate_limit_exceeded","message":"slow down"}`)), llm.KindRateLimit, "", 0},
		"event":     {llmtest.Wire("event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"The server had an error\",\"param\":null,\"sequence_number\":1}\n\n"), llm.KindNetwork, llm.ReasonServer, 0},
		"too long":  {llmtest.Wire("data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"too long\"}}}\n\n"), llm.KindInvalidRequest, llm.ReasonContextLength, 0},
		"cut":       {llmtest.Reply("half", llmtest.Cut()), llm.KindNetwork, llm.ReasonBroken, 0},
		"no end":    {llmtest.Reply("half", llmtest.NoFinish()), llm.KindNetwork, llm.ReasonBroken, 0},
		"no answer": {llmtest.Wire("data: {\"type\":\"response.completed\"}\n\n"), llm.KindNetwork, llm.ReasonBroken, 0},
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
	for reason, want := range map[string]llm.FinishReason{"stop": llm.FinishStop, "length": llm.FinishLength, "content_filter": llm.FinishContentFilter} {
		srv := llmtest.New(t, llmtest.Reply("text", llmtest.Finish(reason)))
		if resp, failed := collect(t.Context(), t, newProvider(t, srv), question()); failed != nil || resp.Finish != want || resp.Text != "text" || resp.Usage.CompletionTokens == 0 {
			t.Errorf("%s: %+v, %v", reason, resp, failed)
		}
	}
	srv := llmtest.New(t, llmtest.Say(llmtest.Reasoning("hm"), llmtest.Text("a"), llmtest.Text("b"), llmtest.Call("read_note", `{"path":"x"}`)))
	if resp, failed := collect(t.Context(), t, newProvider(t, srv), question()); failed != nil || resp.Reasoning != "hm" || resp.Text != "a\n\nb" || resp.ToolCalls[0].Arguments != `{"path":"x"}` || resp.Finish != llm.FinishToolCalls {
		t.Errorf("%+v, %v", resp, failed)
	}
}

// TestStop: a canceled call ends at once, at any point.
func TestStop(t *testing.T) {
	srv := llmtest.New(t, llmtest.Say(llmtest.Reasoning("long"), llmtest.Call("read_note", `{"path":`), llmtest.Flush(), llmtest.Hang()))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var failed error
	for c, err := range newProvider(t, srv).Stream(ctx, question()) {
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

// TestSmallLimit: the token limit is at least the API's minimum.
func TestSmallLimit(t *testing.T) {
	srv := llmtest.New(t, llmtest.Reply("ok"))
	req := question()
	req.MaxTokens = 5
	if _, failed := collect(t.Context(), t, newProvider(t, srv), req); failed != nil {
		t.Error(failed)
	}
}
