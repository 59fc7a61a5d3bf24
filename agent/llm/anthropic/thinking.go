package anthropic

import (
	"cmp"
	"slices"
	"strings"

	"chatvault/agent/llm/dialect"
)

// thinking says whether and how a model thinks before it answers.
type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

// Models are told how much to think in tokens, or, the newer ones of Anthropic's, in words; these refuse
// tokens. Source: platform.claude.com, build-with-claude/thinking, as of November 2026.
var inTokens = []string{
	"claude-2", "claude-3", "claude-haiku-4", "claude-sonnet-4-0", "claude-sonnet-4-2", "claude-sonnet-4-5",
	"claude-opus-4-0", "claude-opus-4-1", "claude-opus-4-2", "claude-opus-4-5",
}

// budgets are what an effort is in tokens.
var budgets = map[string]int{"minimal": 1024, "low": 4096, "medium": 10_000, "high": 20_000, "xhigh": 28_000, "max": 28_000}

// Limits of a completion, in tokens. A request has to name one.
const (
	usualLimit = 32_000
	oldLimit   = 4096   // of models before Claude 3.7
	thoughts   = 16_000 // room for them beside an answer that is to be short
	leastRoom  = 4096   // for the answer, beside a budget for thoughts
)

// wordy says whether a model is told in words how much to think.
func wordy(model string) bool {
	name := plain(model)
	return strings.HasPrefix(name, "claude-") && !slices.ContainsFunc(inTokens, func(p string) bool { return strings.HasPrefix(name, p) })
}

// plain is a model's name without the folders that some endpoints put before it, and as Anthropic writes it.
func plain(model string) string {
	return strings.ReplaceAll(dialect.PlainModel(model), ".", "-")
}

// limit sets how much the model may think and say: asked is the limit of this call, set that of all. A
// model that counts its thoughts in tokens has to have begun with them where it called tools.
func (r *request) limit(effort string, asked, set int, begun bool) {
	limit := usualLimit
	if name := plain(r.Model); strings.HasPrefix(name, "claude-3-") && !strings.HasPrefix(name, "claude-3-7") {
		limit = oldLimit
	}
	r.MaxTokens = cmp.Or(asked, set, limit)
	switch {
	case effort == "none":
		r.Thinking = &thinking{Type: "disabled"}
	case wordy(r.Model):
		if effort != "" {
			r.Thinking, r.Output = &thinking{Type: "adaptive", Display: "summarized"}, &outputConfig{effort}
		}
		if asked > 0 { // thoughts count, and some of these think unasked
			r.MaxTokens += thoughts
		}
	case effort != "" && begun:
		budget := cmp.Or(budgets[effort], budgets["medium"])
		r.Thinking = &thinking{Type: "enabled", Budget: budget}
		if asked > 0 {
			r.MaxTokens += budget
		}
		r.MaxTokens = max(r.MaxTokens, budget+leastRoom)
	}
}

// startsThinking says whether each message that called tools since the user last spoke begins with thoughts.
func startsThinking(messages []message) bool {
	for _, m := range slices.Backward(messages) {
		first := m.Content[0]
		if m.Role == "user" && !slices.ContainsFunc(m.Content, func(b *block) bool { return b.Type == "tool_result" }) {
			return true
		}
		if m.Role == "assistant" && first.Type != "thinking" && first.Type != "redacted_thinking" {
			return false
		}
	}
	return true
}
