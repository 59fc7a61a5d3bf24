package spend

import (
	"fmt"
	"sync"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// Price is what a model costs, in US dollars per million tokens.
// What is read from the provider's cache, and written into it, has prices of its own.
type Price struct {
	Input, CachedInput, CacheWrite, Output float64
	LongAbove                              int // prompt tokens above which all of a request costs more; 0: at no length
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
	// Price is the price of a provider's model, by llm.Provider.Name; nil: none is known.
	Price func(provider string) (Price, bool)
}

// Unenforceable returns, for the user, why a bound in dollars cannot be enforced after a call of a provider whose cost
// is not known; empty: it can be.
func (b Budget) Unenforceable(u llm.Usage, provider string) string {
	if b.USD <= 0 || u.HasCost || u.PromptTokens+u.CompletionTokens == 0 {
		return ""
	}
	return fmt.Sprintf("budget_usd cannot be enforced: %s does not report what a call costs, and its price is not known. Set [prices.%q] with input and output in your config.toml, or budget_tokens.", provider, provider)
}

// Complete gives the usage of a provider's call its cost, where that is not reported and a price
// is known.
func (b Budget) Complete(u *llm.Usage, provider string) {
	if u.HasCost || b.Price == nil {
		return
	}
	if p, ok := b.Price(provider); ok {
		u.Cost, u.HasCost = p.Cost(*u), true
	}
}

// Spent is what a run has used, and the turn it is a part of. Sub-agents count beside each
// other: it is safe for concurrent use.
type Spent struct {
	limit Budget
	turn  *Spent // of a sub-agent: what it counts in

	mu     sync.Mutex
	totals event.Totals
}

// Add counts a model call, and returns the totals of the turn.
func (s *Spent) Add(u llm.Usage) event.Totals {
	s.mu.Lock()
	s.totals.Add(u)
	now := s.totals
	s.mu.Unlock()
	if s.turn != nil {
		return s.turn.Add(u)
	}
	return now
}

// Begin counts what a run uses that is nobody's part, beside what is used already.
func Begin(limit Budget, used event.Totals) *Spent { return &Spent{limit: limit, totals: used} }

// IsPart says whether it counts within the turn of another.
func (s *Spent) IsPart() bool { return s != nil && s.turn != nil }

// Now is what is used so far.
func (s *Spent) Now() event.Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.totals
}

// Over says, for the user, which bound is reached, of the turn or of this part of it; empty:
// none.
func (s *Spent) Over() string {
	if s.turn != nil {
		if why := s.turn.Over(); why != "" {
			return why
		}
	}
	return s.limit.Reached(s.Now())
}

// Reached says, for the user, which bound is reached when so much is used; empty: none.
func (b Budget) Reached(t event.Totals) string {
	switch used := t.Prompt + t.Completion; {
	case b.Tokens > 0 && used >= b.Tokens:
		return fmt.Sprintf("budget_tokens: %d of %d tokens are used", used, b.Tokens)
	case b.USD > 0 && t.Priced && t.Cost >= b.USD:
		return fmt.Sprintf("budget_usd: $%.4f of $%.4f are spent", t.Cost, b.USD)
	}
	return ""
}

// Allot is the part of it that the next sub-agent may use, where those of others are open; false where
// nothing is left.
func (s *Spent) Allot(open []*Spent, beside int) (*Spent, bool) {
	limit, ok := share(s.limit, s.Now(), open, beside)
	return &Spent{limit: limit, turn: s}, ok
}

// share is the part of a budget that the next sub-agent may use: of what is neither used nor
// set aside for those that work, as much as stays for each other of those that may work
// beside each other, and for the turn itself. False where nothing is left.
func share(whole Budget, used event.Totals, open []*Spent, beside int) (Budget, bool) {
	tokens, usd := whole.Tokens-used.Prompt-used.Completion, whole.USD-used.Cost
	for _, p := range open {
		used := p.Now()
		tokens -= max(0, p.limit.Tokens-used.Prompt-used.Completion)
		usd -= max(0, p.limit.USD-used.Cost)
	}
	parts := max(1, beside-len(open)) + 1
	limit := whole
	if whole.Tokens > 0 {
		limit.Tokens = tokens / parts
	}
	if whole.USD > 0 {
		limit.USD = usd / float64(parts)
	}
	return limit, (whole.Tokens <= 0 || limit.Tokens > 0) && (whole.USD <= 0 || limit.USD > 0)
}
