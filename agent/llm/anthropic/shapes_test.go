package anthropic

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
	back            []string // the blocks sent back: their types, or whole if they are reasoning
	kind            llm.Kind // empty means no error
	reason          llm.Reason
}

var shapes = map[string]shape{
	"thinking-tools": {
		text: "I’ll read them both 🗒.", reasoning: "Both notes, the Übersicht and the 木 one, are needed.",
		calls: [][2]string{{"toolu_rec_A", `{"path": "Übersicht.md"}`}, {"toolu_rec_B", `{"path": "\u6728 \"old\".md"}`}, {"toolu_rec_C", "{}"}},
		usage: llm.Usage{PromptTokens: 2112, CachedTokens: 1800, CacheWriteTokens: 300, CompletionTokens: 141}, finish: llm.FinishToolCalls,
		back: []string{
			`{"signature":"RXJlYy9vbmUrc2lnbmF0dXJlLWZvci10ZXN0cw==","thinking":"Both notes, the Übersicht and the 木 one, are needed.","type":"thinking"}`,
			"text", "tool_use", "tool_use", "tool_use",
		},
	},
	"redacted": {
		text: "The note is there.", reasoning: "Now in the open.",
		calls: [][2]string{{"toolu_rec_R", `{"path": "a.md"}`}},
		usage: llm.Usage{PromptTokens: 92, CompletionTokens: 189}, finish: llm.FinishToolCalls,
		back: []string{
			`{"data":"RXJlZGFjdGVkL29uZQ==","type":"redacted_thinking"}`, `{"data":"RXJlZGFjdGVkL3R3bw==","type":"redacted_thinking"}`,
			`{"signature":"RW9wZW4vdGhyZWU=","thinking":"Now in the open.","type":"thinking"}`, "text", "tool_use",
		},
	},
	"sealed-thinking": { // reasoning that is not shown
		calls: [][2]string{{"toolu_rec_S", "{}"}},
		usage: llm.Usage{PromptTokens: 50, CompletionTokens: 33, ReasoningTokens: 20}, finish: llm.FinishToolCalls,
		back: []string{`{"signature":"RXVuc2VlbitvbmU=","thinking":"","type":"thinking"}`, "tool_use"},
	},
	"unknown": { // unknown events, blocks and deltas
		text: "High water is at 14:20.", usage: llm.Usage{PromptTokens: 964, CachedTokens: 64, CompletionTokens: 48}, finish: llm.FinishStop,
		back: []string{"text"},
	},
	"usage-at-the-end": {text: "Yes.", usage: llm.Usage{PromptTokens: 717, CachedTokens: 640, CompletionTokens: 5}, finish: llm.FinishStop, back: []string{"text"}},
	"max-tokens": {
		text: "Writing it", calls: [][2]string{{"toolu_rec_M", `{"path": "a long na`}},
		usage: llm.Usage{PromptTokens: 30, CompletionTokens: 16}, finish: llm.FinishLength,
	},
	"overloaded": {text: "It says that", usage: llm.Usage{PromptTokens: 30, CompletionTokens: 3, Estimated: true}, kind: llm.KindNetwork, reason: llm.ReasonOverloaded},
	"api-error":  {reasoning: "Let me", usage: llm.Usage{PromptTokens: 30, CompletionTokens: 3, Estimated: true}, kind: llm.KindNetwork, reason: llm.ReasonServer},
}

// TestShapes: each stream is read completely however it is split, and its blocks are sent back unchanged.
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

// sentBack returns the blocks of the answer in a request.
func sentBack(t *testing.T, body []byte) []string {
	t.Helper()
	var sent struct {
		Messages []struct{ Content []map[string]any }
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, b := range sent.Messages[1].Content {
		kind := b["type"].(string)
		if strings.HasSuffix(kind, "thinking") {
			whole, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			kind = string(whole)
		}
		out = append(out, kind)
	}
	return out
}
