package ask

import (
	"chatvault/agent/event"
)

// jsonTokens is what model calls used. Cost is in US dollars, of the calls whose price is known.
type jsonTokens struct {
	Prompt     int      `json:"prompt_tokens"`
	Cached     int      `json:"cached_tokens,omitempty"`      // part of the prompt's
	Written    int      `json:"cache_write_tokens,omitempty"` // the same
	Completion int      `json:"completion_tokens"`
	Reasoning  int      `json:"reasoning_tokens,omitempty"` // part of the completion's
	Cost       *float64 `json:"cost,omitempty"`
	Estimated  bool     `json:"estimated,omitempty"`
}

func callTokens(e event.UsageReported) jsonTokens {
	u := e.Usage
	t := jsonTokens{
		Prompt: u.PromptTokens, Cached: u.CachedTokens, Written: u.CacheWriteTokens, Completion: u.CompletionTokens, Reasoning: u.ReasoningTokens, Estimated: u.Estimated,
	}
	if u.HasCost {
		t.Cost = &u.Cost
	}
	return t
}

// totalTokens is nil where nobody counts.
func totalTokens(u event.Totals) *jsonTokens {
	if u.Calls == 0 {
		return nil
	}
	t := &jsonTokens{Prompt: u.Prompt, Cached: u.Cached, Written: u.Written, Completion: u.Completion, Reasoning: u.Reasoning, Estimated: u.Estimated}
	if u.Priced {
		t.Cost = &u.Cost
	}
	return t
}

// usageLine is the tokens of one model call, and of all calls of its turn, conversation and day.
func usageLine(head jsonHead, e event.UsageReported) any {
	return struct {
		jsonHead
		jsonTokens
		Turn         *jsonTokens `json:"turn,omitempty"`
		Conversation *jsonTokens `json:"conversation,omitempty"`
		Day          *jsonTokens `json:"day,omitempty"`
	}{head, callTokens(e), totalTokens(e.Turn), totalTokens(e.Conversation), totalTokens(e.Day)}
}
