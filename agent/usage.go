package agent

import "chatvault/agent/llm"

// Totals sums the usage of model calls.
type Totals struct {
	Calls      int     `json:"calls"`
	Prompt     int     `json:"prompt_tokens"`
	Cached     int     `json:"cached_tokens,omitempty"` // part of Prompt
	Completion int     `json:"completion_tokens"`
	Reasoning  int     `json:"reasoning_tokens,omitempty"` // part of Completion
	Cost       float64 `json:"cost,omitempty"`             // US dollars, of the calls whose price is known
	Priced     bool    `json:"priced,omitempty"`           // Cost is known, for some call at least
	Estimated  bool    `json:"estimated,omitempty"`        // some call's tokens were estimated
}

// Add counts one model call.
func (t *Totals) Add(u llm.Usage) {
	t.Calls++
	t.Prompt += u.PromptTokens
	t.Cached += u.CachedTokens
	t.Completion += u.CompletionTokens
	t.Reasoning += u.ReasoningTokens
	if u.HasCost {
		t.Cost, t.Priced = t.Cost+u.Cost, true
	}
	t.Estimated = t.Estimated || u.Estimated
}

// Usage is what the active conversation and the local day have used so far.
func (p *Processor) Usage() (conversation, day Totals, err error) { return Totals{}, Totals{}, nil }
