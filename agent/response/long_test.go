package response

import (
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm"
)

// TestLongResponseTakesLinearTime: joining a hundred thousand pieces of text and arguments takes far less than the
// seconds that copying at each piece would.
func TestLongResponseTakesLinearTime(t *testing.T) {
	piece := strings.Repeat("x", 20)
	fill := func(n int) time.Duration {
		r := New(nil)
		began := time.Now()
		for range n {
			_, err := r.Add(llm.Chunk{Text: piece, Reasoning: piece, ToolCall: &llm.ToolCallDelta{ID: "a", Arguments: piece}})
			if err != nil {
				t.Fatal(err)
			}
		}
		if w := r.Whole(); len(w.Text) != n*20 || len(w.Reasoning) != n*20 || len(w.ToolCalls[0].Arguments) != n*20 {
			t.Error("pieces are missing")
		}
		return time.Since(began)
	}
	if d := fill(100_000); d > time.Second {
		t.Errorf("%v", d)
	}
}
