package event

import (
	"time"

	"chatvault/agent/llm"
)

// Totals sums the usage of model calls.
type Totals struct {
	Calls      int     `json:"calls"`
	Prompt     int     `json:"prompt_tokens"`
	Cached     int     `json:"cached_tokens,omitempty"`      // part of Prompt
	Written    int     `json:"cache_write_tokens,omitempty"` // part of Prompt, into the cache
	Completion int     `json:"completion_tokens"`
	Reasoning  int     `json:"reasoning_tokens,omitempty"` // part of Completion
	Cost       float64 `json:"cost,omitempty"`             // US dollars, of the calls whose price is known
	Priced     bool    `json:"priced,omitempty"`           // Cost is known, for some call at least
	Estimated  bool    `json:"estimated,omitempty"`        // some call's tokens were estimated
}

// Add counts one model call.
func (t *Totals) Add(u llm.Usage) {
	call := Totals{
		Calls: 1, Prompt: u.PromptTokens, Cached: u.CachedTokens, Written: u.CacheWriteTokens,
		Completion: u.CompletionTokens, Reasoning: u.ReasoningTokens, Cost: u.Cost, Priced: u.HasCost, Estimated: u.Estimated,
	}
	*t = t.Plus(call)
}

// Plus is the sum of two totals.
func (t Totals) Plus(u Totals) Totals {
	t.Calls += u.Calls
	t.Prompt += u.Prompt
	t.Cached += u.Cached
	t.Written += u.Written
	t.Completion += u.Completion
	t.Reasoning += u.Reasoning
	t.Cost += u.Cost
	t.Priced = t.Priced || u.Priced
	t.Estimated = t.Estimated || u.Estimated
	return t
}

// Costs is the usage of a vault's model calls, newest first.
type Costs struct {
	Days          []DayCost
	Conversations []ConversationCost
}

// DayCost is the usage of a local day.
type DayCost struct {
	Day string `json:"day"` // "2026-11-21"
	Totals
}

// ConversationCost is the usage of a conversation.
type ConversationCost struct {
	ID   string    `json:"id"`
	Last time.Time `json:"last"` // when something was last counted
	Totals
}
