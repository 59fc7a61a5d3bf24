package response

import (
	"strings"
	"testing"

	"chatvault/agent/llm"
)

func TestCallIDs(t *testing.T) {
	used := map[string]bool{}
	long := strings.Repeat("l", 41)
	for _, c := range []struct{ in, want string }{
		{"call_0", "call_0"},
		{"call_0", "call_0-2"},
		{"call_0", "call_0-3"},
		{"call_0-2", "call_0-2-2"},
		{"", "call"},
		{"with space", "call-2"},
		{long, "call-3"},
		{long[:40], long[:40]},
		{long[:40], long[:38] + "-2"},
	} {
		if got := llm.FreshID(c.in, used); got != c.want {
			t.Errorf("freshID(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestResponseRefusesOddOrdinals(t *testing.T) {
	for _, index := range []int{-1, maxIndex, 1 << 40} {
		r := New(nil)
		if _, err := r.Add(llm.Chunk{ToolCall: &llm.ToolCallDelta{Index: index, ID: "a"}}); err == nil {
			t.Errorf("%d was accepted", index)
		}
	}
	r := New(map[string]bool{"a": true})
	for _, d := range []llm.ToolCallDelta{{Index: 2, ID: "a", Name: "x", Arguments: "{"}, {Index: 2, Arguments: "}"}} {
		if _, err := r.Add(llm.Chunk{ToolCall: &d, Text: "t"}); err != nil {
			t.Fatal(err)
		}
	}
	w := r.Whole()
	if len(w.ToolCalls) != 3 || w.ToolCalls[2] != (llm.ToolCall{ID: "a-2", Name: "x", Arguments: "{}"}) || w.ToolCalls[0].ID == w.ToolCalls[1].ID || w.Text != "tt" {
		t.Errorf("%+v", w)
	}
}
