package spend

import (
	"testing"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

func TestBudgetExceeded(t *testing.T) {
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
		{Budget{USD: 0.5}, event.Totals{Prompt: 1e9}, ""}, // unknown price
		{Budget{Tokens: 1, USD: 1}, event.Totals{Cost: 2, Priced: true}, "budget_usd: $2.0000 of $1.0000 are spent"},
	} {
		if got := c.b.Reached(c.t); got != c.want {
			t.Errorf("%+v with %+v: %q, want %q", c.t, c.b, got, c.want)
		}
	}
}

// TestLongPromptCost: a prompt above the threshold is charged entirely at the higher price.
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
