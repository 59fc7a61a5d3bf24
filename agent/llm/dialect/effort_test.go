package dialect

import (
	"slices"
	"strings"
	"testing"

	"chatvault/agent/llm"
)

// TestEffort: each endpoint gets the effort in its own parameters; off disables reasoning if possible.
func TestEffort(t *testing.T) {
	for _, c := range []struct{ provider, model, effort, want string }{
		{"openai", "gpt-5.2", "minimal", `"reasoning_effort":"minimal"`},
		{"openai", "gpt-5.6", "none", `"reasoning_effort":"none"`},
		{"openrouter", "z-ai/glm-5", "high", `"reasoning":{"effort":"high"}`},
		{"openrouter", "z-ai/glm-5", "none", `"reasoning":{"effort":"none"}`},
		{"gemini", "gemini-2.5-flash", "none", `"reasoning_effort":"none"`},
		{"deepseek", "deepseek-v4-pro", "max", `"reasoning_effort":"max","thinking":{"type":"enabled"}`},
		{"deepseek", "deepseek-v4-pro", "none", `"thinking":{"type":"disabled"}`},
		{"zai", "glm-5", "none", `"thinking":{"type":"disabled"}`},
		{"zai", "glm-5", "", `"thinking":{"type":"enabled","clear_thinking":false}`},
		{"kimi", "kimi-k2.5", "high", `"thinking":{"type":"enabled"}`},
		{"dashscope", "qwen3-max", "none", `"enable_thinking":false`},
		{"ollama", "gpt-oss:20b", "low", `"reasoning_effort":"low"`},
	} {
		d := For(c.provider, "", c.model)
		body, err := d.Body(Target{Model: c.model, Effort: c.effort}, llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Content: "hi"}}})
		if err != nil || !strings.Contains(string(body), c.want) || strings.Count(string(body), `"thinking"`) > 1 {
			t.Errorf("%+v: %s, %v", c, body, err)
		}
		if c.effort != "" && !slices.Contains(d.Efforts([]string{"none", "minimal", "low", "high", "max"}), c.effort) {
			t.Errorf("%+v is not one of %v", c, d.Efforts(nil))
		}
	}
	for _, name := range []string{"anthropic", "mistral"} {
		if efforts := For(name, "", "m").Efforts([]string{"low"}); len(efforts) != 0 {
			t.Errorf("%s: %v", name, efforts)
		}
	}
	if got := For("deepseek", "", "m").Efforts([]string{"low", "max"}); !slices.Equal(got, []string{"none", "low", "max"}) {
		t.Errorf("deepseek: %v", got)
	}
}
