package responses

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/llm"
	"chatvault/internal/llmtest"
)

// shape is the expected result of a stream in testdata/shapes. The streams have the form of real endpoints'
// responses, with our own words and IDs.
type shape struct {
	text, reasoning string
	calls           [][2]string // IDs and arguments
	usage           llm.Usage
	finish          llm.FinishReason
	back            []string // the items sent back: their types, or whole if they are reasoning
	kind            llm.Kind // empty means no error
	reason          llm.Reason
}

var shapes = map[string]shape{
	"reasoning-tools": {
		text: "I’ll read them both 🗒.", reasoning: "**Finding the notes**\n\nThe Übersicht comes first.\n\n**Reading**\n\nThen the 木 one.",
		calls: [][2]string{{"call_rec_A", `{"path":"Übersicht.md"}`}, {"call_rec_B", `{"path":"\u6728 \"old\".md"}`}, {"call_rec_C", "{}"}},
		usage: llm.Usage{PromptTokens: 2112, CachedTokens: 1792, CacheWriteTokens: 300, CompletionTokens: 141, ReasoningTokens: 64}, finish: llm.FinishToolCalls,
		back: []string{
			`{"content":[],"encrypted_content":"gAAAAA-done-one","id":"rs_rec_0","summary":[{"text":"**Finding the notes**\n\nThe Übersicht comes first.","type":"summary_text"},{"text":"**Reading**\n\nThen the 木 one.","type":"summary_text"}],"type":"reasoning"}`,
			"message commentary", "function_call",
			`{"content":[],"encrypted_content":"gAAAAA-done-two","id":"rs_rec_3","summary":[],"type":"reasoning"}`,
			"function_call", "function_call",
		},
	},
	"unknown": { // unknown events and items
		text: "High water is at 14:20.", usage: llm.Usage{PromptTokens: 900, CompletionTokens: 48, ReasoningTokens: 32}, finish: llm.FinishStop,
		back: []string{`{"content":[],"encrypted_content":"gAAAAA-done-only","id":"rs_rec_0","summary":[],"type":"reasoning"}`, "message final_answer"},
	},
	"reasoning-in-the-open": {
		text: "A tree.", reasoning: "They ask for “木”.",
		usage: llm.Usage{PromptTokens: 78, CompletionTokens: 37, ReasoningTokens: 22}, finish: llm.FinishStop, back: []string{"message"},
	},
	"incomplete": {
		text: "Writing it", calls: [][2]string{{"call_rec_M", `{"path":"a long na`}},
		usage: llm.Usage{PromptTokens: 30, CompletionTokens: 16}, finish: llm.FinishLength,
	},
	"incomplete-reasoning": {reasoning: "Much to think about", usage: llm.Usage{PromptTokens: 30, CompletionTokens: 64, ReasoningTokens: 64}, finish: llm.FinishLength},
	"filtered":             {text: "Some of", usage: llm.Usage{PromptTokens: 30, CompletionTokens: 4}, finish: llm.FinishContentFilter},
	"refusal":              {text: "I can’t help with that.", usage: llm.Usage{PromptTokens: 30, CompletionTokens: 9}, finish: llm.FinishRefusal, back: []string{"message"}},
	"failed":               {text: "It says that", usage: llm.Usage{Estimated: true}, kind: llm.KindNetwork, reason: llm.ReasonServer},
	"overloaded":           {kind: llm.KindNetwork, reason: llm.ReasonOverloaded},
	"limited":              {kind: llm.KindRateLimit},
}

// TestShapes: each stream is read completely however it is split, and its items are sent back unchanged.
func TestShapes(t *testing.T) {
	files, err := filepath.Glob("testdata/shapes/*.sse")
	if err != nil || len(files) != len(shapes) {
		t.Fatalf("%d streams, %d wanted: %v", len(files), len(shapes), err)
	}
	for name, want := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(filepath.Join("testdata/shapes", name+".sse"))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range llmtest.Chunkings {
				srv := llmtest.New(t, llmtest.Stream(string(raw), c), llmtest.Reply("Done."))
				p := newProvider(t, srv)
				req := question()
				resp, failed := collect(t.Context(), t, p, req)
				checkShape(t, c, want, resp, failed)
				if want.back == nil {
					continue
				}
				req.Messages = append(req.Messages, asMessages(resp)...)
				if next, failed := collect(t.Context(), t, p, req); failed != nil || next.Text != "Done." {
					t.Fatalf("%s: %+v, %v", c, next, failed)
				}
				if back := sentBack(t, srv.Requests()[1].Body); !slices.Equal(back, want.back) {
					t.Errorf("%s: sent back\n%s, not\n%s", c, strings.Join(back, "\n"), strings.Join(want.back, "\n"))
				}
			}
		})
	}
}

func checkShape(t *testing.T, c llmtest.Chunking, want shape, resp llm.Response, failed *llm.Error) {
	t.Helper()
	var calls [][2]string
	for _, call := range resp.ToolCalls {
		calls = append(calls, [2]string{call.ID, call.Arguments})
	}
	if resp.Text != want.text || resp.Reasoning != want.reasoning || !slices.Equal(calls, want.calls) {
		t.Errorf("%s: text %q, reasoning %q, calls %q", c, resp.Text, resp.Reasoning, calls)
	}
	if resp.Usage != want.usage || resp.Finish != want.finish {
		t.Errorf("%s: usage %+v, finish reason %q", c, resp.Usage, resp.Finish)
	}
	switch {
	case failed == nil && want.kind != "":
		t.Errorf("%s: no error", c)
	case failed != nil && (failed.Kind != want.kind || failed.Reason != want.reason):
		t.Errorf("%s: error %q, %q: %v", c, failed.Kind, failed.Reason, failed)
	}
}

// sentBack returns the items of the answer in a request.
func sentBack(t *testing.T, body []byte) []string {
	t.Helper()
	var sent struct{ Input []map[string]any }
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, it := range sent.Input {
		if it["role"] == "user" {
			continue
		}
		switch kind := it["type"].(string); kind {
		case "function_call_output":
		case "message":
			phase, _ := it["phase"].(string)
			out = append(out, strings.TrimSpace(kind+" "+phase))
		case "reasoning":
			whole, err := json.Marshal(it)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, string(whole))
		default:
			out = append(out, kind)
		}
	}
	return out
}
