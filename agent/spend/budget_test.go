package spend

import (
	"testing"

	"pgregory.net/rapid"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

func TestBudgetIsSpent(t *testing.T) {
	for _, c := range []struct {
		b    Budget
		t    event.Totals
		want string
	}{
		{Budget{}, event.Totals{Prompt: 1e9, Cost: 1e9, Priced: true}, ""},
		{Budget{Tokens: 100}, event.Totals{Prompt: 60, Completion: 39}, ""},
		{Budget{Tokens: 100}, event.Totals{Prompt: 60, Completion: 40}, "budget_tokens: 100 of 100 tokens are used"},
		{Budget{USD: 0.5}, event.Totals{Cost: 0.4999, Priced: true}, ""},
		{Budget{USD: 0.5}, event.Totals{Cost: 0.5, Priced: true}, "budget_usd: $0.5000 of $0.5000 are spent"},
		{Budget{USD: 0.5}, event.Totals{Prompt: 1e9}, ""}, // no price is known
		{Budget{Tokens: 1, USD: 1}, event.Totals{Cost: 2, Priced: true}, "budget_usd: $2.0000 of $1.0000 are spent"},
	} {
		if got := c.b.Reached(c.t); got != c.want {
			t.Errorf("%+v with %+v: %q, want %q", c.t, c.b, got, c.want)
		}
	}
}

// TestShare: what sub-agents may spend together never exceeds what is left, whichever begin and
// end, and something stays for the turn.
func TestShare(t *testing.T) {
	if b, ok := share(Budget{}, event.Totals{Prompt: 1e9}, nil, 3); !ok || b.Tokens != 0 || b.USD != 0 {
		t.Errorf("without a budget: %+v, %v", b, ok)
	}
	if b, ok := share(Budget{Tokens: 1000, USD: 1}, event.Totals{Prompt: 150, Completion: 50, Cost: 0.2}, nil, 3); !ok || b.Tokens != 200 || b.USD != 0.2 {
		t.Errorf("the first of three: %+v, %v", b, ok)
	}
	if _, ok := share(Budget{Tokens: 1000}, event.Totals{Prompt: 999}, nil, 3); ok {
		t.Error("one token is shared out")
	}
	rapid.Check(t, func(t *rapid.T) {
		whole := Budget{Tokens: rapid.IntRange(1, 100_000).Draw(t, "tokens")}
		used := event.Totals{Prompt: rapid.IntRange(0, whole.Tokens).Draw(t, "own")}
		var open []*Spent
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			if len(open) > 0 && (len(open) == 3 || rapid.Bool().Draw(t, "ends")) {
				open = open[1:]
				continue
			}
			limit, ok := share(whole, used, open, 3)
			if !ok {
				continue
			}
			spends := rapid.IntRange(0, limit.Tokens).Draw(t, "spends")
			used.Prompt += spends
			open = append(open, Begin(limit, event.Totals{Prompt: spends}))
			free := whole.Tokens - used.Prompt
			for _, p := range open {
				free -= p.limit.Tokens - p.Now().Prompt
			}
			if free < 0 {
				t.Fatalf("%d tokens too many are set aside: %+v", -free, open)
			}
		}
	})
}

// TestLongPromptCost: above its bound, all of a request has the higher price.
func TestLongPromptCost(t *testing.T) {
	p := Price{Input: 1, CachedInput: 0.1, CacheWrite: 1.25, Output: 10, LongAbove: 200_000}
	for _, c := range []struct {
		u    llm.Usage
		want float64
	}{
		{llm.Usage{PromptTokens: 200_000, CompletionTokens: 1000}, 0.21},
		{llm.Usage{PromptTokens: 200_001, CompletionTokens: 1000}, 0.400002 + 0.015},
		{llm.Usage{PromptTokens: 300_000, CachedTokens: 100_000, CacheWriteTokens: 100_000}, 0.2 + 0.02 + 0.25},
	} {
		if got := p.Cost(c.u); got < c.want-1e-9 || got > c.want+1e-9 {
			t.Errorf("%+v: %f, not %f", c.u, got, c.want)
		}
	}
}
