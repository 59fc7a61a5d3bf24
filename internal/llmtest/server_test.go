package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// request returns the body of a model call: a system message, a user message and history.
func request(stream bool, history ...map[string]any) string {
	body := map[string]any{"model": "m", "stream": stream, "messages": append([]map[string]any{
		{"role": "system", "content": "You keep notes."}, {"role": "user", "content": "hello"},
	}, history...)}
	if stream {
		body["stream_options"] = map[string]any{"include_usage": true}
	}
	return document(body)
}

// post sends body as a model call on a new connection.
func post(ctx context.Context, t *testing.T, url, body string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	return http.DefaultClient.Do(req)
}

// call posts body and reads the whole answer. It returns an error if the connection or the read fails.
func call(t *testing.T, url, body string) (status int, text string, err error) {
	t.Helper()
	resp, err := post(t.Context(), t, url, body)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// streamed returns the joined content, tool call arguments and finish reasons of a stream.
func streamed(t *testing.T, body string) (text, args, finish string) {
	t.Helper()
	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var doc struct {
			Choices []struct {
				Delta struct {
					Content   string     `json:"content"`
					ToolCalls []CallSent `json:"tool_calls"`
				} `json:"delta"`
				Finish string `json:"finish_reason"`
			} `json:"choices"`
		}
		if err := json.Unmarshal([]byte(data), &doc); err != nil {
			t.Fatalf("%v in %q", err, data)
		}
		for _, c := range doc.Choices {
			text += c.Delta.Content
			for _, tc := range c.Delta.ToolCalls {
				args += tc.Function.Arguments
			}
			finish += c.Finish
		}
	}
	return text, args, finish
}

func TestAnswersInOrder(t *testing.T) {
	cost := 0.25
	srv := New(t,
		Reply("Two words and more", UsageOf(Tokens{Prompt: 7, Completion: 4, Cached: 5, Reasoning: 2, Cost: &cost})),
		ToolCall("read_file", map[string]any{"path": "Käse.md"}, Split(1)),
		Reply("plain", Plain()),
		Fail(429, `{"error":{"message":"slow down"}}`, "Retry-After", "3"),
	)
	_, body, err := call(t, srv.URL(), request(true))
	if text, _, finish := streamed(t, body); err != nil || text != "Two words and more" || finish != "stop" {
		t.Fatalf("text %q, finish %q, err %v", text, finish, err)
	}
	if !strings.Contains(body, `"usage":{"completion_tokens":4,"completion_tokens_details":{"reasoning_tokens":2},"cost":0.25,"prompt_tokens":7,"prompt_tokens_details":{"cached_tokens":5},"total_tokens":11}`) || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Fatalf("usage or end missing: %s", body)
	}
	_, body, err = call(t, srv.URL(), request(true))
	if _, args, finish := streamed(t, body); err != nil || args != `{"path":"Käse.md"}` || finish != "tool_calls" {
		t.Fatalf("args %q, finish %q, err %v", args, finish, err)
	}
	_, body, err = call(t, srv.URL(), request(true))
	if err != nil || !strings.Contains(body, `"content":"plain"`) || strings.Contains(body, "data:") {
		t.Fatalf("not one document: %q, %v", body, err)
	}
	if status, body, err := call(t, srv.URL(), request(false)); status != 429 || body != `{"error":{"message":"slow down"}}` || err != nil {
		t.Fatalf("status %d, body %q, err %v", status, body, err)
	}
	if n := len(srv.Requests()); n != 4 || srv.Unserved() != 0 {
		t.Fatalf("%d requests recorded, %d unserved", n, srv.Unserved())
	}
}

func TestConnectionFaults(t *testing.T) {
	srv := New(t, Reply("half", Cut()), Reply("half", Reset()), Say(Reset()), Reply("half", NoFinish()))
	if _, body, err := call(t, srv.URL(), request(true)); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(body, "half") {
		t.Fatalf("cut: %q, %v", body, err)
	}
	if _, _, err := call(t, srv.URL(), request(true)); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("reset: %v", err)
	}
	if _, _, err := call(t, srv.URL(), request(true)); err == nil {
		t.Fatal("reset before the headers: no error")
	}
	_, body, err := call(t, srv.URL(), request(true))
	if text, _, finish := streamed(t, body); err != nil || text != "half" || finish != "" || strings.Contains(body, "[DONE]") {
		t.Fatalf("no finish: %q, %v", body, err)
	}
}

func TestSeesTheClientLeave(t *testing.T) {
	srv := New(t, Reply("begun ", Hang()))
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := post(ctx, t, srv.URL(), request(true))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if srv.AwaitGone(0, 20*time.Millisecond) {
		t.Fatal("gone before it left")
	}
	left := time.Now()
	cancel()
	if !srv.AwaitGone(0, 5*time.Second) {
		t.Fatal("the server did not see the client leave")
	}
	if r := srv.Requests()[0]; r.Gone.Before(left) || r.Step != 0 {
		t.Fatalf("recorded %+v", r)
	}
}

func TestRefusesMalformedHistories(t *testing.T) {
	callA := map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": "a", "type": "function", "function": map[string]any{"name": "read_file", "arguments": "{}"}}}}
	withCall := func(id, name, args string) map[string]any {
		return map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": args}}}}
	}
	answer := map[string]any{"role": "tool", "tool_call_id": "a", "content": "text"}
	user := map[string]any{"role": "user", "content": "go on"}
	for name, c := range map[string]struct {
		history []map[string]any
		want    string // substring of the errors; empty means none are expected
	}{
		"valid":             {[]map[string]any{callA, answer, {"role": "assistant", "content": "x"}, user}, ""},
		"unanswered":        {[]map[string]any{callA}, "must be followed by tool messages"},
		"answered too late": {[]map[string]any{callA, user, answer}, "must be followed by tool messages"},
		"answered twice":    {[]map[string]any{callA, answer, answer}, "must be a response to a preceding message"},
		"orphan":            {[]map[string]any{answer}, "must be a response to a preceding message"},
		"id twice":          {[]map[string]any{callA, answer, callA, answer}, "Duplicate value"},
		"no id":             {[]map[string]any{withCall("", "f", "{}")}, "Duplicate value for 'tool_call_id' of \"\""},
		"empty turn":        {[]map[string]any{{"role": "assistant", "content": " "}, user}, "must be non-empty"},
		"empty result":      {[]map[string]any{callA, {"role": "tool", "tool_call_id": "a", "content": ""}}, "must be non-empty"},
		"bad arguments":     {[]map[string]any{withCall("a", "f", `{"x"`), answer}, "invalid tool call arguments"},
		"null arguments":    {[]map[string]any{withCall("a", "f", `null`), answer}, "invalid tool call arguments"},
		"bad name":          {[]map[string]any{withCall("a", "read\x1b", "{}"), answer}, "Invalid function name"},
		"assistant last":    {[]map[string]any{{"role": "assistant", "content": "x"}}, "Expected last role User or Tool"},
		"role":              {[]map[string]any{{"role": "robot", "content": "x"}}, "Invalid value for 'role': robot"},
	} {
		problems := strings.Join(CheckRequest([]byte(request(true, c.history...))), "; ")
		if c.want == "" && problems != "" || !strings.Contains(problems, c.want) {
			t.Errorf("%s: %q, want %q", name, problems, c.want)
		}
	}
	for body, want := range map[string]string{
		`[]`:                          "not a chat completion",
		`{"model":"","messages":[]}`:  "must provide a model",
		`{"model":"m","messages":[]}`: "at least one user message",
		`{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}`:                                                                                     "include_usage",
		`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"string"}}}]}`:              "must be of type object",
		`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":7}}]}`:                              "cannot unmarshal",
		`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f g","parameters":{"type":"object"}}}]}`:            "Invalid function name",
		`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","$ref":"#/x"}}}]}`: "no schema field",
	} {
		if problems := strings.Join(CheckRequest([]byte(body)), "; "); !strings.Contains(problems, want) {
			t.Errorf("%s: %q, want %q", body, problems, want)
		}
	}

	srv := NewWith(t, Options{AllowInvalid: true}, Reply("x"))
	if _, _, err := call(t, srv.URL(), request(true, callA)); err != nil || len(srv.Violations()) == 0 {
		t.Fatalf("violations %q, err %v", srv.Violations(), err)
	}
	strict, err := Start([]Step{Reply("x")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer strict.Close()
	if status, body, err := call(t, strict.URL(), request(true, callA)); status != 400 || err != nil || !strings.Contains(body, "calls are answered") {
		t.Fatalf("status %d, %q, %v", status, body, err)
	}
	if strict.Unserved() != 1 || len(strict.Violations()) == 0 {
		t.Fatalf("unserved %d, violations %q", strict.Unserved(), strict.Violations())
	}
}

func TestWhenAndExpect(t *testing.T) {
	srv, err := Start([]Step{
		Reply("a title", When(`system contains "title"`), Forever()),
		Reply("first", Expect(`user is "hello"`)),
		Reply("second", Expect(`user contains "bye"`)),
	}, Options{APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	do := func() (int, string) {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL()+"/chat/completions", strings.NewReader(request(false)))
		req.Header.Set("Authorization", "Bearer k")
		req.Close = true
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	if status, _, err := call(t, srv.URL(), request(false)); status != 401 || err != nil {
		t.Fatalf("without key: %d, %v", status, err)
	}
	if status, body := do(); status != 200 || !strings.Contains(body, "first") {
		t.Fatalf("first: %d %s", status, body)
	}
	if status, body := do(); status != 400 || !strings.Contains(body, "expected user contains") {
		t.Fatalf("second: %d %s", status, body)
	}
	if status, body := do(); status != 400 || !strings.Contains(body, "no step left") {
		t.Fatalf("third: %d %s", status, body)
	}
	if v := srv.Violations(); len(v) != 2 || srv.Unserved() != 1 {
		t.Fatalf("violations %q, unserved %d", v, srv.Unserved())
	}
}

func TestPipeUnderFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipe := NewPipe()
		srv := NewWith(t, Options{Listener: pipe}, Say(Delay(time.Hour), Text("late")))
		client := &http.Client{Transport: &http.Transport{DialContext: pipe.DialContext, DisableKeepAlives: true}}
		before := time.Now()
		resp, err := client.Post(srv.URL()+"/chat/completions", "application/json", strings.NewReader(request(true)))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		b, err := io.ReadAll(resp.Body)
		if text, _, _ := streamed(t, string(b)); err != nil || text != "late" || time.Since(before) != time.Hour {
			t.Fatalf("text %q after %v, %v", text, time.Since(before), err)
		}
	})
	pipe := NewPipe()
	_ = pipe.Close()
	if _, err := pipe.DialContext(t.Context(), "", ""); !errors.Is(err, net.ErrClosed) {
		t.Fatalf("closed pipe: %v", err)
	}
}

func TestModels(t *testing.T) {
	srv := NewWith(t, Options{Models: []string{"a", "b"}})
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL()+"/models", nil)
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if b, _ := io.ReadAll(resp.Body); !strings.Contains(string(b), `"id":"b"`) {
		t.Fatalf("%s", b)
	}
	if len(srv.Requests()) != 0 || len(srv.AllRequests()) != 1 {
		t.Fatal("a list of models is no model call")
	}
}
