package spend

import (
	"fmt"
	"sync"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// Price is the price of a model in US dollars per million tokens. Reading and writing the provider's cache have
// separate prices.
type Price struct {
	Input, CachedInput, CacheWrite, Output float64
	LongAbove                              int // prompt tokens above which a request costs more; zero means no limit
}

// Providers with a price for long prompts take this much more for the prompt and for the answer.
const (
	longInput  = 2
	longOutput = 1.5
)

// Cost of a model call in dollars.
func (p Price) Cost(u llm.Usage) float64 {
	if p.LongAbove > 0 && u.PromptTokens > p.LongAbove {
		p = Price{Input: p.Input * longInput, CachedInput: p.CachedInput * longInput, CacheWrite: p.CacheWrite * longInput, Output: p.Output * longOutput}
	}
	fresh := u.PromptTokens - u.CachedTokens - u.CacheWriteTokens
	return (float64(fresh)*p.Input + float64(u.CachedTokens)*p.CachedInput + float64(u.CacheWriteTokens)*p.CacheWrite + float64(u.CompletionTokens)*p.Output) / 1e6
}

// Budget bounds what a turn may spend; zero fields bound nothing.
type Budget struct {
	Tokens int     // prompt and completion tokens, over all model calls of the turn
	USD    float64 // where the provider reports a cost, or a price is known
	// Price returns the price of a provider's model, by llm.Provider.Name. May be nil.
	Price func(provider string) (Price, bool)
}

// Unenforceable returns, for the user, why a limit in dollars cannot be enforced after a call of unknown cost; empty
// if it can.
func (b Budget) Unenforceable(u llm.Usage, provider string) string {
	if b.USD <= 0 || u.HasCost || u.PromptTokens+u.CompletionTokens == 0 {
		return ""
	}
	return fmt.Sprintf("budget_usd cannot be enforced: %s does not report what a call costs, and its price is not known. Set [prices.%q] with input and output in your config.toml, or budget_tokens.", provider, provider)
}

// Complete computes the cost of a call if the provider did not report it and the price is known.
func (b Budget) Complete(u *llm.Usage, provider string) {
	if u.HasCost || b.Price == nil {
		return
	}
	if p, ok := b.Price(provider); ok {
		u.Cost, u.HasCost = p.Cost(*u), true
	}
}

// Spent counts what a turn and its sub-agents have used against a budget. It is safe for concurrent use.
type Spent struct {
	limit Budget

	mu     sync.Mutex
	totals event.Totals
}

// Begin returns the count of a turn that has used some of its budget.
func Begin(limit Budget, used event.Totals) *Spent { return &Spent{limit: limit, totals: used} }

// Add counts a model call, and returns the totals.
func (s *Spent) Add(u llm.Usage) event.Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.totals.Add(u)
	return s.totals
}

// Now returns the usage so far.
func (s *Spent) Now() event.Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.totals
}

// Over describes the limit that is reached, for the user; empty if none is. Sub-agents together may use three quarters of
// the budget: the rest is for the turn itself.
func (s *Spent) Over(subagent bool) string {
	limit := s.limit
	if subagent {
		limit.Tokens, limit.USD = limit.Tokens*3/4, limit.USD*3/4
	}
	return limit.Reached(s.Now())
}

// Reached describes the limit that is reached by the given usage, for the user; empty if none is.
func (b Budget) Reached(t event.Totals) string {
	switch used := t.Prompt + t.Completion; {
	case b.Tokens > 0 && used >= b.Tokens:
		return fmt.Sprintf("budget_tokens: %d of %d tokens are used", used, b.Tokens)
	case b.USD > 0 && t.Priced && t.Cost >= b.USD:
		return fmt.Sprintf("budget_usd: $%.4f of $%.4f are spent", t.Cost, b.USD)
	}
	return ""
}
