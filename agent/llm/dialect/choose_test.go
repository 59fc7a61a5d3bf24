package dialect

import "testing"

func TestFor(t *testing.T) {
	for _, c := range []struct{ name, url, model, want string }{
		{"mistral", "http://127.0.0.1:1/v1", "m", "mistral"},
		{"Moonshot", "http://proxy.example/v1", "m", "kimi"},
		{"mine", "https://api.deepseek.com/v1", "m", "deepseek"},
		{"mine", "https://my-resource.openai.azure.com/openai/v1", "m", "azure"},
		{"mine", "https://api.deepseek.com.example/v1", "m", ""},
		{"openai", "https://api.openai.com/v1", "m", "openai"},
		{"openai", "https://api.deepseek.com/v1", "m", "deepseek"}, // a name for the protocol
		{"openai", "http://127.0.0.1:1/v1", "test-model", ""},
		{"openai", "http://127.0.0.1:1/v1", "gpt-5.6", "openai"},
		{"mine", "https://proxy.example/v1", "openai/gpt-5-mini", "openai"},
		{"mine", "https://proxy.example/v1", "gpt-oss-20b", ""},
		{"mine", "https://proxy.example/v1", "moonshotai/Kimi-K2-Thinking", "kimi"},
		{"mine", "https://proxy.example/v1", "models/gemini-3-pro", "gemini"},
		{"mine", "https://proxy.example/v1", "MiniMax-M2", "minimax"},
		{"mine", "https://proxy.example/v1", "glm-4.6", "glm hosted"},
		{"glm", "https://proxy.example/v1", "glm-4.6", "zai"},
		{"openrouter", "https://openrouter.ai/api/v1", "mistralai/mistral-small", "openrouter"},
		{"ollama", "http://127.0.0.1:11434/v1", "mistral", "ollama"},
	} {
		if got := For(c.name, c.url, c.model).Name; got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	// A gateway gets back what it sent, whatever the model's maker accepts.
	if d := For("mine", "https://gateway.example/v1", "anthropic/claude-sonnet-4.5"); d.Back != nil || For("anthropic", "", "").Back == nil {
		t.Errorf("%+v", d)
	}
}
