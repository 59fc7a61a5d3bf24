package usage

import (
	"testing"

	"pgregory.net/rapid"

	"chatvault/agent/event"
	"chatvault/internal/base/cells"
)

func TestUsageText(t *testing.T) {
	free := event.Totals{Calls: 2, Prompt: 12_000, Completion: 400}
	guessed := event.Totals{Calls: 2, Prompt: 12_000, Completion: 400, Estimated: true}
	paid := event.Totals{Calls: 2, Prompt: 12_000, Completion: 400, Cost: 0.03, Priced: true}
	cheap := event.Totals{Calls: 1, Prompt: 100, Cost: 0.0004, Priced: true}
	all := event.Totals{Calls: 9, Prompt: 92_000, Completion: 100, Cost: 0.214, Priced: true}
	allFree := event.Totals{Calls: 9, Prompt: 92_000, Completion: 100}
	tests := []struct {
		name               string
		turn, conversation event.Totals
		room               int
		want               string
	}{
		{"nothing", event.Totals{}, event.Totals{}, 80, ""},
		{"nothing but calls", event.Totals{Calls: 2}, event.Totals{Calls: 2}, 80, ""},
		{"a turn", free, free, 80, "12.4k tokens"},
		{"estimated", guessed, guessed, 80, "~12.4k tokens"},
		{"with its price", paid, paid, 80, "12.4k tokens · $0.03"},
		{"next to nothing", cheap, cheap, 80, "100 tokens · $0.0004"},
		{"of a conversation", paid, all, 80, "92.1k tokens · $0.21"},
		{"without prices", free, allFree, 80, "92.1k tokens"},
		{"a free turn in a paid conversation", free, all, 80, "92.1k tokens · $0.21"},
		{"little room", paid, all, 20, "92.1k tokens · $0.21"},
		{"hardly any", paid, all, 13, "92.1k tokens"},
		{"none", paid, all, 11, ""},
		{"a turn that has used nothing yet", event.Totals{}, all, 80, "92.1k tokens · $0.21"},
		{"nobody counts the conversation", paid, event.Totals{}, 80, "12.4k tokens · $0.03"},
	}
	for _, tt := range tests {
		if got := (Usage{Turn: tt.turn, Conversation: tt.conversation}).Line(tt.room); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The context percentage is shown next to the usage and is the last to be dropped.
func TestContextText(t *testing.T) {
	paid := event.Totals{Calls: 2, Prompt: 12_000, Completion: 400, Cost: 0.03, Priced: true}
	all := event.Totals{Calls: 9, Prompt: 92_000, Completion: 100, Cost: 0.214, Priced: true}
	for _, tt := range []struct {
		context, window, room int
		want                  string
	}{
		{0, 0, 80, "92.1k tokens · $0.21"},
		{12_400, 128_000, 80, "92.1k tokens · $0.21 · context 9%"},
		{100, 128_000, 45, "92.1k tokens · $0.21 · context <1%"},
		{130_000, 128_000, 40, "92.1k tokens · $0.21 · context 100%"},
		{64_000, 128_000, 34, "92.1k tokens · $0.21 · context 50%"},
		{64_000, 128_000, 31, "92.1k tokens · context 50%"},
		{64_000, 128_000, 26, "92.1k tokens · context 50%"},
		{64_000, 128_000, 18, "context 50%"},
		{64_000, 128_000, 5, "50%"},
		{64_000, 128_000, 2, ""},
	} {
		if got := (Usage{Turn: paid, Conversation: all, Context: tt.context, Window: tt.window}).Line(tt.room); got != tt.want {
			t.Errorf("%d of %d in %d cells: %q, want %q", tt.context, tt.window, tt.room, got, tt.want)
		}
	}
}

func TestUsageFitsItsSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		totals := rapid.Custom(func(t *rapid.T) event.Totals {
			return event.Totals{
				Calls: rapid.IntRange(0, 9).Draw(t, "calls"), Prompt: rapid.IntRange(0, 5_000_000).Draw(t, "prompt"),
				Cost: rapid.Float64Range(0, 99).Draw(t, "cost"), Priced: rapid.Bool().Draw(t, "priced"), Estimated: rapid.Bool().Draw(t, "estimated"),
			}
		})
		room := rapid.IntRange(-5, 60).Draw(t, "room")
		got := Usage{
			Turn: totals.Draw(t, "turn"), Conversation: totals.Draw(t, "conversation"),
			Context: rapid.IntRange(0, 200_000).Draw(t, "context"), Window: rapid.SampledFrom([]int{0, 4000, 128_000}).Draw(t, "window"),
		}.Line(room)
		if w := cells.Width(got); w > max(room, 0) {
			t.Fatalf("%d cells of %d: %q", w, room, got)
		}
	})
}

// A turn's usage is kept until the next turn reports its own, the conversation's until a new conversation starts.
