package doctor

import (
	"strings"
	"testing"

	"chatvault/agent/llm/endpoint"
	"chatvault/internal/config"
)

// doctor tells the window that a server has, and what to do where it is small or less than is sent.
func TestServerWindowFinding(t *testing.T) {
	for _, c := range []struct {
		configured int
		window     endpoint.ServerWindow
		text, todo string // todo: part of it; empty: nothing is to be done
	}{
		{0, endpoint.ServerWindow{}, "a", ""},
		{32768, endpoint.ServerWindow{}, "a", ""},
		{0, endpoint.ServerWindow{Runs: 32768}, "a; its window is 32,768 tokens", ""},
		{0, endpoint.ServerWindow{Runs: 8192, Most: 8192}, "a; its window is 8,192 tokens", ""},
		{0, endpoint.ServerWindow{Runs: 4096, Most: 131072}, "a; its window is 4,096 tokens of the 131,072 that the model can take", "OLLAMA_CONTEXT_LENGTH"},
		{0, endpoint.ServerWindow{Most: 131072}, "a; the model can take 131,072 tokens, and the server says only as it runs how many it gives it", ""},
		{8192, endpoint.ServerWindow{Runs: 16384}, "a; its window is 16,384 tokens; context_window says 8,192", ""},
		{32768, endpoint.ServerWindow{Runs: 16384}, "a; its window is 16,384 tokens; context_window says 32,768", "set context_window to at most 16384 in /own.toml, or start Ollama"},
	} {
		cfg := config.Defaults()
		cfg.ContextWindow.V = c.configured
		got := withWindow(cfg, finding{text: "a"}, "ollama", c.window, "/own.toml")
		if got.text != c.text || (got.todo == "") != (c.todo == "") || !strings.Contains(got.todo, c.todo) || got.warn != (c.todo != "") {
			t.Errorf("%d, %+v: %+v", c.configured, c.window, got)
		}
	}
}
