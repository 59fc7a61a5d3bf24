package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/llmtest"
)

// TestRequest: requests have a history that every endpoint accepts; the scripted server refuses others.
func TestRequest(t *testing.T) {
	srv := llmtest.New(t, llmtest.Reply("ok",
		llmtest.Expect(`system is "You keep notes."`),
		llmtest.Expect("user contains \"and now?\\n\\n<context>\\nLocal time: Saturday, 2026-11-21 12:00\""),
		llmtest.Expect(`tool result is "(empty)"`),
		llmtest.Expect(`tools is "read_note now"`),
		llmtest.Expect(`model is "m"`),
		llmtest.Expect(`body contains "\"max_completion_tokens\":9"`),
		llmtest.Expect("header Authorization is \"Bearer "+testKey+"\""),
	), llmtest.Reply("ok", llmtest.Expect(`body contains "\"max_tokens\":5"`), llmtest.Expect("no tools")))
	req := question()
	req.Tools = append(req.Tools, llm.ToolSpec{Name: "now"})
	req.MaxTokens = 9
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "a", Name: "read\x1b[2J", Arguments: `{"path":`}, {ID: "b", Name: "", Arguments: ""}}},
		llm.Message{Role: llm.RoleTool, ToolCallID: "a", Content: "Error: no such tool", IsError: true},
		llm.Message{Role: llm.RoleTool, ToolCallID: "b"},
		llm.Message{Role: llm.RoleAssistant},
		llm.Message{Role: llm.RoleUser, Content: "and now?", Time: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)},
	)
	resp, failed := collect(t.Context(), t, newProvider(t, srv, func(o *endpoint.Options) { o.Name = "azure" }), req)
	if failed != nil || resp.Text != "ok" || !resp.HasUsage {
		t.Fatalf("%+v, %v", resp, failed)
	}
	calls := srv.Requests()[0].Chat.Messages[2].ToolCalls
	if calls[0].Function.Name != "read__2J" || calls[0].Function.Arguments != "{}" || calls[1].Function.Name != "unnamed" {
		t.Errorf("calls sent: %+v", calls)
	}
	plain := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "title?"}}, MaxTokens: 5}
	if _, failed := collect(t.Context(), t, newProvider(t, srv), plain); failed != nil {
		t.Fatal(failed)
	}
}

func TestStreamedAndPlainAnswer(t *testing.T) {
	srv := llmtest.New(t,
		llmtest.Say(llmtest.Reasoning("let me see"), llmtest.Text("Reading it."), llmtest.Call("read_note", map[string]any{"path": "Käse & Brot.md"}), llmtest.Split(2), llmtest.Usage(100, 20)),
		llmtest.Say(llmtest.Text("Reading it."), llmtest.Call("read_note", map[string]any{"path": "a.md"}), llmtest.Plain()))
	p := newProvider(t, srv)
	resp, failed := collect(t.Context(), t, p, question())
	if failed != nil || resp.Reasoning != "let me see" || resp.Text != "Reading it." || resp.Finish != llm.FinishToolCalls ||
		len(resp.ToolCalls) != 1 || resp.ToolCalls[0].Arguments != `{"path":"Käse \u0026 Brot.md"}` || resp.Usage.PromptTokens != 100 {
		t.Fatalf("%+v, %v", resp, failed)
	}
	resp, failed = collect(t.Context(), t, p, question())
	if failed != nil || resp.Text != "Reading it." || len(resp.ToolCalls) != 1 || resp.ToolCalls[0].Arguments != `{"path":"a.md"}` || !resp.HasUsage {
		t.Fatalf("not streamed: %+v, %v", resp, failed)
	}
}

func TestCancelEndsAtOnce(t *testing.T) {
	for name, step := range map[string]llmtest.Step{
		"before the headers":    llmtest.Say(llmtest.Hang()),
		"before the first byte": llmtest.Say(llmtest.Flush(), llmtest.Hang()),
		"in the stream":         llmtest.Reply("some words ", llmtest.Hang()),
		"in a tool call":        llmtest.Say(llmtest.Call("write_file", `{"path":"a.md`), llmtest.Hang()),
	} {
		t.Run(name, func(t *testing.T) {
			srv := llmtest.New(t, step)
			p := newProvider(t, srv)
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := errors.New("the user pressed Esc")
			var at time.Time
			go func() {
				srv.AwaitRequests(1, 5*time.Second)
				time.Sleep(30 * time.Millisecond)
				at = time.Now()
				cancel(stop)
			}()
			_, failed := collect(ctx, t, p, question())
			ended := time.Now()
			if failed == nil || failed.Kind != llm.KindAborted || !errors.Is(failed, stop) || failed.Retryable() {
				t.Fatalf("%v", failed)
			}
			if d := ended.Sub(at); d > 250*time.Millisecond {
				t.Errorf("the stream ended after %v", d)
			}
			if !srv.AwaitGone(0, time.Second) {
				t.Error("the server's connection was not closed")
			}
		})
	}
}

func TestCanceledContextSendsNothing(t *testing.T) {
	srv := llmtest.New(t, llmtest.Reply("x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, failed := collect(ctx, t, newProvider(t, srv), question()); failed == nil || failed.Kind != llm.KindAborted {
		t.Fatalf("%v", failed)
	}
	if len(srv.Requests()) != 0 {
		t.Error("the request was sent")
	}
}

func TestBreakClosesConnection(t *testing.T) {
	srv := llmtest.New(t, llmtest.Reply("one two three ", llmtest.Hang()))
	for c, err := range newProvider(t, srv).Stream(t.Context(), question()) {
		if err != nil || c.Text == "" {
			t.Fatalf("%+v, %v", c, err)
		}
		break
	}
	if !srv.AwaitGone(0, time.Second) {
		t.Error("the server's connection was not closed")
	}
}

// TestFaultsAfterFinishReason: the finish reason completes an answer; later faults do not invalidate it.
func TestFaultsAfterFinishReason(t *testing.T) {
	for name, option := range map[string]llmtest.Option{"reset": llmtest.Reset(), "cut": llmtest.Cut(), "silence": llmtest.Hang()} {
		srv := llmtest.New(t, llmtest.Reply("whole", llmtest.Finish("stop"), llmtest.Flush(), llmtest.Delay(50*time.Millisecond), option))
		resp, failed := collect(t.Context(), t, newProvider(t, srv, func(o *endpoint.Options) { o.Idle = 300 * time.Millisecond }), question())
		if failed != nil || resp.Text != "whole" || resp.Finish != llm.FinishStop {
			t.Errorf("%s: %+v, %v", name, resp, failed)
		}
	}
	srv := llmtest.New(t, llmtest.Reply("half", llmtest.Finish("stop"), llmtest.StreamError("boom")))
	if _, failed := collect(t.Context(), t, newProvider(t, srv), question()); failed == nil || failed.Message != "boom" {
		t.Errorf("an error the endpoint sends there still counts: %v", failed)
	}
}

// TestWaits: only content counts; comments, empty deltas and meaningless bytes do not extend a wait. The timeouts are
// exact to the second, under fake time.
func TestWaits(t *testing.T) {
	const second = time.Second
	delta := func(d string) string {
		return `data: {"choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}` + "\n\n"
	}
	end := `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	var steps []llmtest.Step
	var wants []struct {
		name, text, message string
		after               time.Duration
	}
	add := func(name, text, message string, after time.Duration, opts ...llmtest.Option) {
		steps = append(steps, llmtest.Say(opts...))
		wants = append(wants, struct {
			name, text, message string
			after               time.Duration
		}{name, text, message, after})
	}
	// every sends the bytes n times, with a pause after each.
	every := func(n int, pause time.Duration, bytes string) llmtest.Option {
		return func(s *llmtest.Step) {
			for range n {
				llmtest.Bytes(bytes)(s)
				llmtest.Delay(pause)(s)
			}
		}
	}
	begun, comment := llmtest.Bytes(delta(`{"content":"begun"}`)), ": OPENROUTER PROCESSING\n\n"
	const none, stopped = "no answer within 120 s", "the answer stopped: nothing came for 60 s"

	add("a slow first byte", "slow", "", 110*second, llmtest.Delay(110*second), llmtest.Text("slow"))
	add("no first byte", "", none, 120*second, llmtest.Hang())
	add("silence after the beginning", "begun", stopped, 60*second, begun, llmtest.Hang())
	add("queued, then an answer", "late", "", 110*second, every(11, 10*second, comment), llmtest.Bytes(delta(`{"content":"late"}`)+end))
	add("queued without end", "", none, 120*second, every(100, 50*second, comment), llmtest.Hang())
	add("comments twice a second, before", "", none, 120*second, every(1000, second/2, comment), llmtest.Hang())
	add("comments twice a second, within", "begun", stopped, 60*second, begun, every(1000, second/2, comment), llmtest.Hang())
	add("comments in a flood", "begun", stopped, 60*second, begun, every(10_000, second/50, comment), llmtest.Hang())
	add("comments between", "begun and on", "", 150*second, begun, every(100, second/2, comment), llmtest.Bytes(delta(`{"content":" and"}`)),
		every(100, second/2, comment), llmtest.Bytes(delta(`{"content":" on"}`)), every(100, second/2, comment), llmtest.Bytes(end))
	for name, empty := range map[string]string{
		"no content": delta(`{"content":""}`), "a role": delta(`{"role":"assistant"}`), "null": delta(`null`), "empty reasoning": delta(`{"reasoning_content":""}`),
		"no call": delta(`{"tool_calls":[]}`), "another choice": `data: {"choices":[{"index":1,"delta":{"content":"x"}}]}` + "\n\n",
		"no choice": "data: {\"choices\":[]}\n\n", "usage": `data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1}}` + "\n\n", "half a line": "data: {",
	} {
		add("deltas of "+name, "begun", stopped, 60*second, begun, every(200, second/2, empty), llmtest.Hang())
	}
	add("thinking", "done", "", 200*second, every(4, 50*second, delta(`{"reasoning_content":"hm"}`)), llmtest.Bytes(delta(`{"content":"done"}`)+end))
	add("a call that is written slowly", "", "", 150*second, every(1, 50*second, delta(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"read_note","arguments":""}}]}`)),
		every(2, 50*second, delta(`{"tool_calls":[{"index":0,"function":{"arguments":" "}}]}`)), llmtest.Bytes(delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`)+end))
	add("a call, its head repeated", "", stopped, 60*second, every(200, second/2, delta(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"read_note","arguments":""}}]}`)), llmtest.Hang())
	add("comments after the end", "begun", "", 3*second, begun, llmtest.Bytes(strings.TrimSuffix(end, "data: [DONE]\n\n")), every(200, second/2, comment), llmtest.Hang())
	add("the end again and again", "begun", "", 3*second, begun, every(200, second/2, strings.TrimSuffix(end, "data: [DONE]\n\n")), llmtest.Hang())

	json := llmtest.WithHeader("Content-Type", "application/json")
	add("blanks, then a document", "whole", "", 100*second, json, every(200, second/2, "\n"), llmtest.Bytes(`{"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}`))
	add("blanks for a document", "", none, 120*second, json, every(1000, second/2, "\n"), llmtest.Hang())
	add("a document in drops", "", stopped, 60*second, json, every(1, 0, `{"x":"`), every(1000, second/2, "x"), llmtest.Hang())
	add("a stream under the name of a document", "begun on", "", 100*second, json, begun, llmtest.Delay(50*second), llmtest.Bytes(delta(`{"content":" on"}`)), llmtest.Delay(50*second), llmtest.Bytes(end))
	add("comments under that name", "begun", stopped, 60*second, json, begun, every(1000, second/2, comment), llmtest.Hang())
	add("an error in drops", "", "xxxxxxxx", 60*second, func(s *llmtest.Step) { s.Status = 500 }, every(1000, second/2, "x"), llmtest.Hang())

	synctest.Test(t, func(t *testing.T) {
		pipe := llmtest.NewPipe()
		srv := llmtest.NewWith(t, llmtest.Options{Listener: pipe}, steps...)
		p, err := New(endpoint.Options{BaseURL: srv.URL(), Model: "m", Transport: &http.Transport{DialContext: pipe.DialContext, DisableKeepAlives: true}})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			begun := time.Now()
			resp, failed := collect(t.Context(), t, p, question())
			took := time.Since(begun)
			switch {
			case (failed == nil) != (want.message == "") || failed != nil && (!strings.Contains(failed.Message, want.message) || !failed.Retryable()):
				t.Errorf("%s: %v, want %q", want.name, failed, want.message)
			case resp.Text != want.text || took < want.after || took > want.after+3*second:
				t.Errorf("%s: %q after %v, want %q after %v", want.name, resp.Text, took, want.text, want.after)
			}
		}
		p.Close()
	})
}

func TestConnectionReused(t *testing.T) {
	srv := llmtest.New(t, llmtest.Reply("one"), llmtest.Reply("two"), llmtest.Reply("three"))
	dials := 0
	base := endpoint.NewTransport()
	dial := base.DialContext
	base.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials++
		return dial(ctx, network, addr)
	}
	p := newProvider(t, srv, func(o *endpoint.Options) { o.Transport = base })
	for range 3 {
		if _, failed := collect(t.Context(), t, p, question()); failed != nil {
			t.Fatal(failed)
		}
	}
	if dials != 1 {
		t.Errorf("%d connections for three calls", dials)
	}
}

func TestLogHasFullErrorWithoutKey(t *testing.T) {
	var log bytes.Buffer
	body := `{"error":{"message":"no such key: ` + testKey + `","type":"x","detail":"full account of it"}}`
	srv := llmtest.New(t, llmtest.Fail(401, body), llmtest.Say(llmtest.StreamError(`{"message":"bad `+testKey+`","hint":"whole account"}`)))
	p := newProvider(t, srv, func(o *endpoint.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	for range 2 {
		_, failed := collect(t.Context(), t, p, question())
		if failed == nil || strings.Contains(failed.Error()+detail(failed)+llm.UserText(failed), testKey) {
			t.Errorf("%v, %v", failed, detail(failed))
		}
	}
	if s := log.String(); strings.Contains(s, testKey) || !strings.Contains(s, "full account of it") || !strings.Contains(s, "whole account") || !strings.Contains(s, "test/m") {
		t.Errorf("log: %s", s)
	}
}

// TestWebServerIsNoEndpoint: a web server that is no model endpoint is reported at the first answer, with its name.
func TestWebServerIsNoEndpoint(t *testing.T) {
	calls := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		w.Header().Set("Content-Type", "text/html;charset=utf-8")
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusNotImplemented)
			_, _ = io.WriteString(w, "<!DOCTYPE HTML><title>Error response</title><p>Unsupported method</p>")
			return
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<!DOCTYPE HTML><title>Nothing here</title>")
	}))
	defer srv.Close()
	p, err := New(endpoint.Options{Name: "test", BaseURL: srv.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	_, failed := collect(t.Context(), t, p, question())
	if failed == nil || failed.Retryable() || failed.Reason != llm.ReasonNotAnAPI || calls != 1 {
		t.Fatalf("%d calls: %+v", calls, failed)
	}
	if text := llm.UserText(failed); !strings.Contains(text, "HTTP 501 Not Implemented with text/html") || !strings.Contains(text, "check base_url") {
		t.Errorf("%s", text)
	}
	if _, err := p.ListModels(t.Context()); !errors.As(err, &failed) || failed.Retryable() || failed.Reason != llm.ReasonNotAnAPI || !strings.Contains(failed.Message, "404 Not Found with text/html") {
		t.Errorf("%+v", err)
	}
}

// TestKeyEnv: a known host decides before the name.
func TestKeyEnv(t *testing.T) {
	for _, c := range []struct{ name, url, want string }{
		{"test", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"},
		{"Anthropic", "https://proxy.example/v1", "ANTHROPIC_API_KEY"},
		{"openai", "https://api.groq.com/other", "GROQ_API_KEY"},
		{"test", "https://host.example/v1", ""},
		{"ollama", "http://127.0.0.1:11434/v1", ""},
	} {
		if got := endpoint.KeyEnv(c.name, c.url); got != c.want {
			t.Errorf("%s at %s: %q, want %q", c.name, c.url, got, c.want)
		}
	}
}

// TestUnknownModelsAreSent: go-openai refuses no model by its name.
func TestUnknownModelsAreSent(t *testing.T) {
	for _, model := range []string{"gpt-6-astra", "gpt-6-sol", "davinci-002", "o1"} {
		srv := llmtest.New(t, llmtest.Reply("x", llmtest.Expect(`body contains "`+model+`"`)))
		if _, failed := collect(t.Context(), t, newProvider(t, srv, func(o *endpoint.Options) { o.Model = model }), question()); failed != nil {
			t.Errorf("%s: %v", model, failed)
		}
	}
}

// TestLaterUsageLacksTheCost: a later usage adds to an earlier one and does not remove its cost.
func TestLaterUsageLacksTheCost(t *testing.T) {
	const stream = `data: {"choices":[{"index":0,"delta":{"content":"Hi."},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"cost":0.25}}

data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":3}}

data: [DONE]

`
	p := newProvider(t, llmtest.New(t, llmtest.Stream(stream, llmtest.Whole)))
	resp, failed := collect(t.Context(), t, p, question())
	want := llm.Usage{PromptTokens: 10, CompletionTokens: 3, Cost: 0.25, HasCost: true}
	if failed != nil || resp.Usage != want {
		t.Errorf("%+v, %v; want %+v", resp.Usage, failed, want)
	}
}
