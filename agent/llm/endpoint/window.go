package endpoint

import (
	"context"
	"strings"
	"sync"
	"time"

	"chatvault/agent/llm/models"
	"chatvault/internal/picture"
)

// Window is how many tokens the model takes in one call, as its endpoint said when it listed its
// models, or else as is known of the model; 0 where neither is known (llm.Windowed).
func (c *Client) Window() int {
	if n, ok := listedWindows.Load([2]string{c.opts.BaseURL, c.opts.Model}); ok {
		return n.(int)
	}
	if m, ok := models.Find(c.opts.Name, c.opts.BaseURL, c.opts.Model); ok {
		return m.Window
	}
	return knownWindow(c.host, c.opts.Model)
}

// Sees says whether the model takes pictures, as far as that is known of it; of documents nothing is
// (llm.Sighted).
func (c *Client) Sees(mediaType string) (sees, known bool) {
	m, _ := models.Find(c.opts.Name, c.opts.BaseURL, c.opts.Model)
	return m.Sees, m.Blind || m.Sees && mediaType != picture.PDF
}

// family is a group of models by the beginning of their names, at the endpoint of those who made
// them: elsewhere a model may run with another window.
type family struct {
	host, prefix string
	window       int // tokens; of models that take less in the prompt than in all, the prompt's
}

// families are models that package models does not know, those with longer prefixes first. The figures are those of the
// makers' model pages, and of the errors the endpoints themselves answer.
var families = []family{
	{"api.openai.com", "gpt-3.5-turbo", 16_385},
	{"api.openai.com", "gpt-4.1", 1_047_576},
	{"api.openai.com", "gpt-4-turbo", 128_000},
	{"api.openai.com", "gpt-4-32k", 32_768},
	{"api.openai.com", "gpt-4", 8_192},
	{"api.openai.com", "gpt-5-chat", 128_000},
	{"api.openai.com", "gpt-5", 272_000},
	{"api.openai.com", "o1-mini", 128_000},
	{"api.openai.com", "o1-preview", 128_000},
	{"api.openai.com", "o1", 200_000},
	{"api.openai.com", "o3", 200_000},
	{"api.openai.com", "o4", 200_000},
	{"api.anthropic.com", "claude-", 200_000},
	{"generativelanguage.googleapis.com", "gemini-1.5-pro", 2_097_152},
	{"generativelanguage.googleapis.com", "gemini-", 1_048_576},
	{"api.deepseek.com", "deepseek-", 131_072},
}

func knownWindow(host, model string) int {
	model = strings.TrimPrefix(strings.ToLower(model), "models/")
	for _, f := range families {
		if strings.EqualFold(f.host, host) && strings.HasPrefix(model, f.prefix) {
			return f.window
		}
	}
	return 0
}

// listedWindows are what endpoints said of the windows of their models, by base URL and model, while the
// process lives: who lists the models and who calls one need not be the same Provider.
var listedWindows sync.Map

func noteWindows(baseURL string, models ...Model) {
	for _, m := range models {
		if m.Window > 0 {
			listedWindows.Store([2]string{baseURL, m.ID}, m.Window)
		}
	}
}

// askRunning asks Ollama, once a model has answered, with what window it runs: it lists no
// windows, refuses no request as too long, and leaves the beginning of one out without a word.
func (c *Client) askRunning(ctx context.Context) {
	if c.opts.Name != "ollama" || c.Window() > 0 || ctx.Err() != nil {
		return
	}
	c.askedRunning.Do(func() {
		const longest = 500 * time.Millisecond
		ctx, cancel := context.WithTimeout(ctx, longest)
		defer cancel()
		noteWindows(c.opts.BaseURL, Model{ID: c.opts.Model, Window: c.runsWith(ctx, c.opts.Model)})
	})
}
