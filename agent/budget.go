package agent

import (
	"fmt"
	"strings"
	"sync"

	"chatvault/agent/event"
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

	told *sync.Map // names of the providers whose calls are known to have no price
}

// unheld says, once for each provider, that a bound in dollars cannot be held: a call of it was
// used up, and nobody says what it cost. Empty: it can be, or it was said.
func (b Budget) unheld(u llm.Usage, provider string) string {
	if b.USD <= 0 || u.HasCost || u.PromptTokens+u.CompletionTokens == 0 || b.told == nil {
		return ""
	}
	if _, again := b.told.LoadOrStore(provider, true); again {
		return ""
	}
	return fmt.Sprintf("budget_usd is not held: %s does not say what a call costs, and no price of it is configured. Set [prices.%q] with input and output in your config.toml, or budget_tokens.", provider, provider)
}

// complete gives the usage of a provider's call its cost, where that is not reported and a price
// is known.
func (b Budget) complete(u *llm.Usage, provider string) {
	if u.HasCost || b.Price == nil {
		return
	}
	if p, ok := b.Price(provider); ok {
		u.Cost, u.HasCost = p.Cost(*u), true
	}
}

// spent is what a run has used, and the turn it is a part of. Sub-agents count beside each
// other: it is safe for concurrent use.
type spent struct {
	limit Budget
	turn  *spent // of a sub-agent: what it counts in

	mu     sync.Mutex
	totals event.Totals
}

// add counts a model call, and returns the totals of the turn.
func (s *spent) add(u llm.Usage) event.Totals {
	s.mu.Lock()
	s.totals.Add(u)
	now := s.totals
	s.mu.Unlock()
	if s.turn != nil {
		return s.turn.add(u)
	}
	return now
}

// now is what is used so far.
func (s *spent) now() event.Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.totals
}

// over says, for the user, which bound is reached, of the turn or of this part of it; empty:
// none.
func (s *spent) over() string {
	if s.turn != nil {
		if why := s.turn.over(); why != "" {
			return why
		}
	}
	return s.limit.spentBy(s.now())
}

// spentBy says, for the user, which bound is reached when so much is used; empty: none.
func (b Budget) spentBy(t event.Totals) string {
	switch used := t.Prompt + t.Completion; {
	case b.Tokens > 0 && used >= b.Tokens:
		return fmt.Sprintf("budget_tokens: %d of %d tokens are used", used, b.Tokens)
	case b.USD > 0 && t.Priced && t.Cost >= b.USD:
		return fmt.Sprintf("budget_usd: $%.4f of $%.4f are spent", t.Cost, b.USD)
	}
	return ""
}

// overBudget ends the run before a model call that the budget does not allow, with an account
// of our own: another call for one would cost more.
func (r *run) overBudget() bool {
	why := r.spent.over()
	if why == "" {
		return false
	}
	r.out.Reason = event.StopBudget
	if r.isHelper() { // the parent gives the account
		r.out.Response = why
		r.to(event.StateCompleted)
		return true
	}
	r.out.Response = "I stopped because this turn's budget is used up (" + why + "). " + r.account() + " Say “continue” to go on with a new budget."
	r.Emit(event.TextDelta{Meta: r.meta(), Text: r.out.Response})
	r.Emit(event.TextDone{Meta: r.meta(), Text: r.out.Response})
	r.recordAnswer(llm.Response{Text: r.out.Response})
	r.to(event.StateCompleted)
	return true
}

// account says what the turn has done and, where the agent keeps a list of its steps, what is
// left.
func (r *run) account() string {
	text := "Nothing was changed."
	if changes := r.box.Changes(); len(changes) > 0 {
		text = "Done so far: " + enumerated(changes) + "."
	}
	var left []string
	for _, item := range r.tasks {
		if !item.Done {
			left = append(left, item.Text)
		}
	}
	switch {
	case len(left) > 0:
		text += " Left: " + enumerated(left) + "."
	case len(r.tasks) > 0:
		text += " All steps of the list are done."
	}
	return text
}

// enumerated is a list in a sentence, of at most ten.
func enumerated(list []string) string {
	const most = 10
	if n := len(list) - most; n > 0 {
		return strings.Join(list[:most], "; ") + fmt.Sprintf("; and %d more", n)
	}
	return strings.Join(list, "; ")
}
