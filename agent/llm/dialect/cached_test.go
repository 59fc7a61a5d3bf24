package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/llm"
	"chatvault/internal/base/picture"
)

// TestCacheMarks: Claude over OpenRouter gets cache_control marks in text parts only, at most four; other models and
// endpoints get none.
func TestCacheMarks(t *testing.T) {
	history := []llm.Message{
		{Role: llm.RoleSystem, Content: "SYSTEM"},
		{Role: llm.RoleUser, Content: "FIRST"},
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "read", Arguments: "{}"}, {ID: "2", Name: "read", Arguments: "{}"}}},
		{Role: llm.RoleTool, ToolCallID: "1", Content: "ONE"},
		{Role: llm.RoleTool, ToolCallID: "2", Content: "TWO"},
	}
	seen := append(slices.Clone(history[:2]), llm.Message{Role: llm.RoleAssistant, Content: "Well."},
		llm.Message{Role: llm.RoleUser, Content: "LOOK", Media: []llm.Media{{Info: picture.Info{Type: "image/png"}, Name: "a.png", Data: []byte("x")}}})
	for _, c := range []struct {
		name, base, model string
		history           []llm.Message
		marked            string // the marked texts
	}{
		{"openrouter", "https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5", history, "SYSTEM FIRST TWO"},
		{"work", "https://openrouter.ai/api/v1", "Anthropic/Claude-Opus-4.1", history[:2], "SYSTEM FIRST"},
		{"openrouter", "https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5:beta", seen, "SYSTEM FIRST [a.png]"},
		{"openrouter", "https://openrouter.ai/api/v1", "openai/gpt-5.2", history, ""},
		{"vercel", "https://ai-gateway.vercel.sh/v1", "anthropic/claude-sonnet-4", history, ""},
		{"anthropic", "https://api.anthropic.com/v1", "claude-sonnet-4-5", history, ""},
	} {
		body, err := For(c.name, c.base, c.model).Body(Target{Model: c.model}, llm.Request{Messages: c.history})
		if err != nil {
			t.Fatal(err)
		}
		var sent struct {
			Messages []struct{ Content json.RawMessage }
		}
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Fatal(err)
		}
		var marked []string
		for _, m := range sent.Messages {
			var parts []struct {
				Type, Text string
				Cache      map[string]string `json:"cache_control"`
			}
			_ = json.Unmarshal(m.Content, &parts) // a string has no mark
			for _, p := range parts {
				if p.Cache != nil && p.Cache["type"] == "ephemeral" && p.Type == "text" {
					marked = append(marked, p.Text)
				}
			}
		}
		if got := strings.Join(marked, " "); !strings.HasPrefix(got, strings.TrimSuffix(c.marked, "[a.png]")) || len(marked) != len(strings.Fields(c.marked)) || strings.Count(string(body), "cache_control") != len(marked) {
			t.Errorf("%s %s: %q is marked, not %q: %s", c.name, c.model, got, c.marked, body)
		}
	}
}
