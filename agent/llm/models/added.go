package models

import (
	"path"
	"strings"
)

// added are models that catwalk lacks, by the provider's name and host, as of November 2026. DeepSeek's prices are
// those of its peak hours; at other times it takes half.
var added = []struct {
	provider, host string
	Model
}{
	// api-docs.deepseek.com/quick_start/pricing; deepseek-chat is the model's former name
	{"deepseek", "api.deepseek.com", Model{ID: "deepseek-flash", Window: 1_000_000, Input: 0.3, CacheRead: 0.006, CacheWrite: 0.3, Output: 1.2, Reasons: true, Efforts: []string{"low", "high", "max"}, Sees: true}},
	{"deepseek", "api.deepseek.com", Model{ID: "deepseek-chat", Window: 1_000_000, Input: 0.3, CacheRead: 0.006, CacheWrite: 0.3, Output: 1.2}},
	// console.groq.com/docs/models; no price of cached tokens is published
	{"groq", "api.groq.com", Model{ID: "openai/gpt-oss-120b", Window: 131_072, Input: 0.15, CacheRead: 0.15, CacheWrite: 0.15, Output: 0.6, Reasons: true, Efforts: []string{"low", "medium", "high"}, Blind: true}},
	// docs.mistral.ai/models/mistral-large-3-25-12; openrouter.ai/mistralai/mistral-large-2512
	{"mistral", "api.mistral.ai", Model{ID: "mistral-large-latest", Window: 262_144, Input: 0.5, CacheRead: 0.5, CacheWrite: 0.5, Output: 1.5, Sees: true}},
	{"mistral", "api.mistral.ai", Model{ID: "mistral-large-2512", Window: 262_144, Input: 0.5, CacheRead: 0.5, CacheWrite: 0.5, Output: 1.5, Sees: true}},
}

// longPrompt is the number of prompt tokens above which a whole request to a model in tiered costs more.
const longPrompt = 200_000

// tiered has patterns (path.Match) of the names of models with such prices. Sources:
// ai.google.dev/gemini-api/docs/pricing and platform.claude.com/docs/en/about-claude/pricing: Claude's later models
// cost the same at any length.
var tiered = []string{"gemini-2.5-pro*", "gemini-3-pro*", "gemini-3.[1-9]-pro*", "claude-sonnet-4", "claude-sonnet-4-[05]*", "claude-sonnet-4.5*", "claude-sonnet-4-2*"}

// longAbove returns the prompt length in tokens above which a model's prices are higher, or 0.
func longAbove(model string) int {
	name := model[strings.LastIndexByte(model, '/')+1:]
	for _, form := range tiered {
		if fits, _ := path.Match(form, name); fits {
			return longPrompt
		}
	}
	return 0
}
