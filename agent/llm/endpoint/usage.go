package endpoint

import "chatvault/agent/llm"

// Usage is the usage of a call in the fields of all known APIs and endpoints.
type Usage struct {
	Prompt        Number  `json:"prompt_tokens"`
	Completion    Number  `json:"completion_tokens"`
	Total         Number  `json:"total_tokens"`
	Cost          *Number `json:"cost"`                    // OpenRouter, US dollars
	CacheHit      Number  `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptDetails details `json:"prompt_tokens_details"`
	OutputDetails details `json:"completion_tokens_details"`

	// The Responses and Messages APIs. In the latter, Input excludes what was read from the cache or written to it.
	Input      Number  `json:"input_tokens"`
	Output     Number  `json:"output_tokens"`
	CacheRead  Number  `json:"cache_read_input_tokens"`
	CacheWrite Number  `json:"cache_creation_input_tokens"`
	InDetails  details `json:"input_tokens_details"`
	OutDetails details `json:"output_tokens_details"`
}

type details struct {
	Cached    Number `json:"cached_tokens"`
	Written   Number `json:"cache_write_tokens"` // OpenAI, OpenRouter
	Reasoning Number `json:"reasoning_tokens"`
	Thinking  Number `json:"thinking_tokens"`
}

// Tokens returns the counts, or nil for a usage without tokens, which some endpoints put into every chunk.
func (u *Usage) Tokens() *llm.Usage {
	if u == nil {
		return nil
	}
	out := &llm.Usage{
		PromptTokens:     u.Prompt.Count() + u.Input.Count() + u.CacheRead.Count() + u.CacheWrite.Count(),
		CompletionTokens: u.Completion.Count() + u.Output.Count(),
	}
	if out.PromptTokens+out.CompletionTokens == 0 {
		return nil
	}
	in, wrote := u.PromptDetails, max(u.PromptDetails.Written, u.InDetails.Written, u.CacheWrite)
	out.CachedTokens = min(out.PromptTokens, max(in.Cached, u.InDetails.Cached, u.CacheHit, u.CacheRead).Count())
	out.CacheWriteTokens = min(out.PromptTokens-out.CachedTokens, wrote.Count())
	thought := max(u.OutputDetails.Reasoning, u.OutDetails.Reasoning, u.OutDetails.Thinking).Count()
	if thought > 0 && u.Total.Count() == out.PromptTokens+out.CompletionTokens+thought {
		out.CompletionTokens += thought // xAI counts them separately
	}
	out.ReasoningTokens = min(thought, out.CompletionTokens)
	if u.Cost != nil && *u.Cost >= 0 {
		out.Cost, out.HasCost = u.Cost.Float(), true
	}
	return out
}
