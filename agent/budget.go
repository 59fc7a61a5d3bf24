package agent

import (
	"fmt"
	"strings"

	"chatvault/agent/llm"
)

// Price is what a model costs, in US dollars per million tokens.
type Price struct{ Input, CachedInput, Output float64 }

// Cost of a model call in dollars.
func (p Price) Cost(u llm.Usage) float64 {
	fresh := u.PromptTokens - u.CachedTokens
	return (float64(fresh)*p.Input + float64(u.CachedTokens)*p.CachedInput + float64(u.CompletionTokens)*p.Output) / 1e6
}

// Budget bounds what a turn may spend; zero fields bound nothing.
type Budget struct {
	Tokens int     // prompt and completion tokens, over all model calls of the turn
	USD    float64 // where the provider reports a cost, or a price is known
	// Price is the price of a provider's model, by llm.Provider.Name; nil: none is known.
	Price func(provider string) (Price, bool)
}

// spent is what a turn has used.
type spent struct{ Totals }

// add counts a model call; it completes the cost where a price is known.
func (s *spent) add(u *llm.Usage, provider string, b Budget) {
	if !u.HasCost && b.Price != nil {
		if p, ok := b.Price(provider); ok {
			u.Cost, u.HasCost = p.Cost(*u), true
		}
	}
	s.Add(*u)
}

// over says, for the user, which bound is reached; empty: none.
func (s *spent) over(b Budget) string {
	switch used := s.Prompt + s.Completion; {
	case b.Tokens > 0 && used >= b.Tokens:
		return fmt.Sprintf("budget_tokens: %d of %d tokens are used", used, b.Tokens)
	case b.USD > 0 && s.Priced && s.Cost >= b.USD:
		return fmt.Sprintf("budget_usd: $%.4f of $%.4f are spent", s.Cost, b.USD)
	}
	return ""
}

// overBudget ends the turn before a model call that the budget does not allow, with an account
// of our own: another call for one would cost more.
func (r *run) overBudget() bool {
	why := r.spent.over(r.Budget)
	if why == "" {
		return false
	}
	done := "Nothing was changed."
	if changes := r.box.Changes(); len(changes) > 0 {
		done = "Done so far: " + strings.Join(changes, "; ") + "."
	}
	r.out.Response = "I stopped because this turn's budget is used up (" + why + "). " + done + " Say “continue” to go on with a new budget."
	r.out.Reason = StopBudget
	r.Emit(TextDelta{r.meta(), r.out.Response})
	r.Emit(TextDone{r.meta(), r.out.Response})
	r.recordAnswer(llm.Response{Text: r.out.Response})
	r.to(StateCompleted)
	return true
}
