package openai

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/llmtest"
)

// want is the expected result of a model call for a row of the corpus. The default is the text "hi" and no error.
type want struct {
	text, reasoning string
	calls           []llm.ToolCall // without IDs
	finish          llm.FinishReason
	kind            llm.Kind // empty means success
	reason          llm.Reason
	message         string // a part of it
}

func network(reason llm.Reason, message string) want {
	return want{text: "hi", kind: llm.KindNetwork, reason: reason, message: message}
}

func calls(args ...string) want {
	w := want{finish: llm.FinishToolCalls}
	for _, a := range args {
		w.calls = append(w.calls, llm.ToolCall{Name: "read_note", Arguments: a})
	}
	return w
}

func named(name string, w want) want {
	for i := range w.calls {
		w.calls[i].Name = name
	}
	return w
}

var wants = map[string]want{
	"eof-no-finish":                      network(llm.ReasonBroken, "cut off"),
	"eof-mid-tool-args":                  {kind: llm.KindNetwork, reason: llm.ReasonBroken, message: "cut off", calls: []llm.ToolCall{{Name: "write_note", Arguments: `{"path":"a.md","content":"ha`}}},
	"rst-mid":                            network(llm.ReasonBroken, "cut"),
	"rst-before-headers":                 {kind: llm.KindNetwork, reason: llm.ReasonBroken, message: "cut"},
	"done-only":                          {kind: llm.KindNetwork, reason: llm.ReasonBroken, message: "cut off"},
	"finish-stop-empty":                  {finish: llm.FinishStop}, // a case for the agent, not a transport error
	"html-200":                           {kind: llm.KindNetwork, reason: llm.ReasonNotAnAPI, message: "text/html"},
	"gzip-truncated":                     {kind: llm.KindNetwork, reason: llm.ReasonBroken, message: "cut off"},
	"err-first-key":                      network(llm.ReasonServer, "boom"),
	"err-after-event-line":               network(llm.ReasonServer, "boom"),
	"err-openrouter-shape":               network(llm.ReasonServer, "Provider disconnected"),
	"err-spaced-json":                    network(llm.ReasonServer, "boom"),
	"err-string":                         network(llm.ReasonServer, "boom"),
	"err-plain-200-no-newline":           {kind: llm.KindNetwork, reason: llm.ReasonServer, message: "boom"},
	"err-then-open":                      {kind: llm.KindNetwork, reason: llm.ReasonServer, message: "boom"},
	"err-two-json-glued":                 {kind: llm.KindNetwork, reason: llm.ReasonServer, message: "boom"},
	"bad-json-one-chunk":                 {kind: llm.KindNetwork, reason: llm.ReasonBroken, message: "not JSON"},
	"line-400MB":                         {kind: llm.KindInvalidRequest, reason: llm.ReasonTooLarge, message: "4 MiB"},
	"reasoning-content":                  {text: "hi", reasoning: "think", finish: llm.FinishStop},
	"finish-length-text":                 {text: "hi", finish: llm.FinishLength},
	"tool-no-index-two":                  calls(`{"path":"a.md"}`, `{"path":"b.md"}`),
	"tool-index-always-0":                calls(`{"path":"a.md"}`, `{"path":"b.md"}`),
	"tool-summary-duplicate":             calls(`{"path":"notes/a.md"}`),
	"tool-name-split":                    calls(`{"path":"a.md"}`),
	"tool-empty-id":                      calls(`{"path":"a.md"}`),
	"tool-args-object":                   calls(`{"path":"a.md"}`),
	"tool-index-string":                  calls(`{"path":"a.md"}`),
	"tool-args-empty":                    named("list_notes", calls(`{}`)),
	"tool-args-double-object":            named("list_notes", calls(`{}{}`)),
	"tool-args-dup-keys":                 named("delete_note", calls(`{"path":"a.md","path":"b.md"}`)),
	"tool-args-wrong-types":              calls(`{"path":["a.md"]}`),
	"tool-args-deep":                     named("write_note", calls(strings.Repeat("[", 100_000))),
	"tool-name-control-chars":            named("read\x1b[2J", calls(`{}`)),
	"tool-length-cut":                    {finish: llm.FinishLength, calls: []llm.ToolCall{{Name: "write_note", Arguments: `{"path":"a.md","content":"half`}}},
	"tool-length-reported-as-tool_calls": named("write_note", calls(`{"path":"a.md","content":"half`)),
	"tool-finish-stop":                   calls(`{"path":"notes/a.md"}`),
	"tool-parallel-32":                   parallel(32),
	"tool-text-form":                     {text: `<tool_call>{"name":"delete_note"}</tool_call>`, finish: llm.FinishStop},
	"doom-text":                          {text: strings.Repeat(strings.Repeat("I will look into the note now. ", 7)[:200], 10), finish: llm.FinishStop},
	"http-429":                           {kind: llm.KindRateLimit, message: "e429"},
	"http-502":                           {kind: llm.KindNetwork, reason: llm.ReasonServer, message: "e502"},
	"http-503":                           {kind: llm.KindNetwork, reason: llm.ReasonOverloaded, message: "e503"},
	"http-529":                           {kind: llm.KindNetwork, reason: llm.ReasonOverloaded, message: "e529"},
	"http-408":                           {kind: llm.KindNetwork, reason: llm.ReasonSilent, message: "e408"},
	"http-429-retry-after-3600":          {kind: llm.KindRateLimit},
	"http-429-quota":                     {kind: llm.KindRateLimit, reason: llm.ReasonQuota, message: "no credit"},
	"http-400-context":                   {kind: llm.KindInvalidRequest, reason: llm.ReasonContextLength, message: "8192"},
	"http-400-context-text-only":         {kind: llm.KindInvalidRequest, reason: llm.ReasonContextLength, message: "9000 tokens"},
	"http-402":                           {kind: llm.KindRateLimit, reason: llm.ReasonQuota, message: "key [redacted] bad"},
	"http-403":                           {kind: llm.KindAuth, message: "key [redacted] bad"},
	"http-404":                           {kind: llm.KindInvalidRequest, message: "key [redacted] bad"},
	"http-413":                           {kind: llm.KindInvalidRequest, reason: llm.ReasonTooLarge, message: "key [redacted] bad"},
	"http-401-array":                     {kind: llm.KindAuth, message: "bad"},
	"http-302-other-host":                {kind: llm.KindNetwork, reason: llm.ReasonNotAnAPI, message: "127.0.0.1:1"},
	"silent-forever":                     {kind: llm.KindNetwork, reason: llm.ReasonSilent, message: "no answer within"},
	"idle-mid-stream":                    network(llm.ReasonSilent, "nothing came for"),
}

func parallel(n int) want {
	w := want{finish: llm.FinishToolCalls}
	for i := range n {
		w.calls = append(w.calls, llm.ToolCall{Name: "write_note", Arguments: `{"content":"` + strconv.Itoa(i) + `","path":"a.md"}`})
	}
	return w
}

func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	faults, err := llmtest.Faults()
	if err != nil {
		t.Fatal(err)
	}
	// The corpus waits for minutes: 90 s become 0.9 s, first byte and idle 1.2 and 0.6 s. A busy machine may be
	// silent for as long, so a row that fails with a timeout is repeated at the slower scale.
	const quick, slow = 0.01, 0.1
	tried := 0
	for _, f := range faults {
		for _, c := range llmtest.Chunkings {
			if _, ok := f.Step(c, quick); !ok {
				continue
			}
			tried++
			t.Run(f.ID+"/"+string(c), func(t *testing.T) {
				t.Parallel()
				w, named := wants[f.ID]
				if !named {
					w = want{text: "hi", finish: llm.FinishStop}
				}
				srv, resp, failed := askFault(t, f, c, quick)
				if failed != nil && failed.Reason == llm.ReasonSilent && w.reason != llm.ReasonSilent {
					srv, resp, failed = askFault(t, f, c, slow)
				}
				check(t, f, w, resp, failed)
				if n := len(srv.AllRequests()); n != 1 {
					t.Errorf("%d requests", n)
				}
			})
		}
	}
	if tried < 3*60 {
		t.Errorf("only %d rows were tried", tried)
	}
}

// askFault calls a server with the fault; all waits are scaled.
func askFault(t *testing.T, f llmtest.Fault, c llmtest.Chunking, scale float64) (*llmtest.Server, llm.Response, *llm.Error) {
	t.Helper()
	step, _ := f.Step(c, scale)
	srv := llmtest.New(t, step)
	p := newProvider(t, srv, func(o *endpoint.Options) {
		o.FirstByte, o.Idle = time.Duration(float64(endpoint.DefaultFirstByte)*scale), time.Duration(float64(endpoint.DefaultIdle)*scale)
	})
	resp, failed := collect(t.Context(), t, p, question())
	return srv, resp, failed
}

func check(t *testing.T, f llmtest.Fault, w want, resp llm.Response, failed *llm.Error) {
	t.Helper()
	var got []llm.ToolCall
	for _, c := range resp.ToolCalls { // package response makes their IDs unique
		got = append(got, llm.ToolCall{Name: c.Name, Arguments: c.Arguments})
	}
	if f.ID == "rst-mid" || f.ID == "rst-before-headers" {
		resp.Text, w.text = "", "" // a reset may overtake data sent before it
	}
	if f.ID == "gzip-truncated" {
		resp.Text = "" // as much as the first half contains
	}
	if resp.Text != w.text || resp.Reasoning != w.reasoning || resp.Finish != w.finish && failed == nil {
		t.Errorf("text %.80q, reasoning %q, finish %q; want %.80q, %q, %q", resp.Text, resp.Reasoning, resp.Finish, w.text, w.reasoning, w.finish)
	}
	if len(got) != len(w.calls) {
		t.Fatalf("%d calls, want %d", len(got), len(w.calls))
	}
	for i := range got {
		if got[i] != w.calls[i] {
			t.Errorf("call %d is %.120v, want %.120v", i, got[i], w.calls[i])
		}
	}
	if w.kind == "" {
		if failed != nil {
			t.Fatalf("failed: %v", failed)
		}
		return
	}
	if failed == nil {
		t.Fatal("succeeded")
	}
	if failed.Kind != w.kind || failed.Reason != w.reason || !strings.Contains(failed.Message, w.message) {
		t.Errorf("kind %q, reason %q, message %q; want %q, %q, %q", failed.Kind, failed.Reason, failed.Message, w.kind, w.reason, w.message)
	}
	if failed.Retryable() != f.Retry {
		t.Errorf("retryable %v, want %v: %v", failed.Retryable(), f.Retry, failed)
	}
	if all := failed.Error() + llm.UserText(failed) + detail(failed); strings.Contains(all, "sk-SECRET") {
		t.Errorf("a key is visible: %s", all)
	}
}

// TestEndlessLineIsBounded: a line without end is rejected at the limit, without taking memory beyond it.
func TestEndlessLineIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	faults, err := llmtest.Faults()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if f.ID != "line-400MB" {
			continue
		}
		step, _ := f.Step(llmtest.Whole, 1)
		srv := llmtest.New(t, step)
		p := newProvider(t, srv)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, failed := collect(t.Context(), t, p, question())
		runtime.ReadMemStats(&after)
		if failed == nil || failed.Reason != llm.ReasonTooLarge {
			t.Fatalf("%v", failed)
		}
		if grown := after.Sys - before.Sys; grown > 64<<20 {
			t.Errorf("memory grew by %d MiB", grown>>20)
		}
	}
}

func detail(e *llm.Error) string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}
