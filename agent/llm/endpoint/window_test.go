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

// TestListedWindow: a window that one provider got from the list of models is known to the others.
func TestListedWindow(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"data":[{"id":"small","max_model_len":4096},{"id":"silent"},{"id":"large","context_length":131072}]}`))
	}))
	defer srv.Close()
	at := func(model string) *Client {
		p, err := New(Options{Name: "x", BaseURL: srv.URL + "/v1/", Model: model})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	if n := at("small").Window(); n != 0 {
		t.Errorf("known before the models were listed: %d", n)
	}
	if _, err := at("other").ListModels(t.Context()); err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]int{"small": 4096, "large": 131072, "silent": 0, "other": 0} {
		if got := at(model).Window(); got != want {
			t.Errorf("%s: %d, want %d", model, got, want)
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
