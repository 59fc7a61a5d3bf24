package endpoint

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestKnownWindow(t *testing.T) {
	for _, c := range []struct {
		base, model string
		want        int
	}{
		{"https://api.openai.com/v1", "gpt-4o-mini", 128_000},
		{"https://api.openai.com/v1", "gpt-5.2", 272_000},
		{"https://api.openai.com/v1", "GPT-5.5", 922_000},
		{"https://api.openai.com/v1", "unheard-of", 0},
		{"https://api.anthropic.com/v1", "claude-sonnet-4-5", 200_000},
		{"https://generativelanguage.googleapis.com/v1beta/openai", "models/gemini-2.5-flash", 1_048_576},
		{"http://127.0.0.1:11434/v1", "gpt-4o", 0}, // another provider's model of that name
	} {
		p, err := New(Options{Name: "x", BaseURL: c.base, Model: c.model})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Window(); got != c.want {
			t.Errorf("%s at %s: %d, want %d", c.model, c.base, got, c.want)
		}
	}
}

// TestRunningWindowOfUnknownServer: a missing or invalid answer is ignored.
func TestRunningWindowOfUnknownServer(t *testing.T) {
	for _, answer := range []string{"", "<html>", `{"models":null}`, `{"models":[{"name":"m","context_length":"many"}]}`, `[1]`} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if answer == "" {
				w.WriteHeader(http.StatusNotFound)
			}
			_, _ = w.Write([]byte(answer))
		}))
		p, err := New(Options{Name: "ollama", BaseURL: srv.URL + "/v1", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if n := p.running(t.Context()); n != 0 {
			t.Errorf("%q: %d", answer, n)
		}
		p.Close()
		srv.Close()
	}
}
