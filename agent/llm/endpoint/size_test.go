package endpoint

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"chatvault/agent/llm"
)

// TestAskServer: each server is asked for its window by its own API, and an unknown one by all of them.
func TestAskServer(t *testing.T) {
	for _, c := range []struct {
		about, name string
		answers     map[string]string // by method and path; otherwise 404
		want        Facts
		asked       []string
	}{
		{
			"llama.cpp", "llama.cpp",
			map[string]string{"GET /props": `{"default_generation_settings":{"id":0,"n_ctx":8192},"total_slots":1}`},
			Facts{Size: llm.Size{Window: 8192}},
			[]string{"GET /props"},
		},
		{
			"LM Studio", "lmstudio",
			map[string]string{"GET /api/v0/models": `{"data":[{"id":"other","loaded_context_length":1},{"id":"m","state":"loaded","max_context_length":131072,"loaded_context_length":4096}]}`},
			Facts{Size: llm.Size{Window: 4096}},
			[]string{"GET /api/v0/models"},
		},
		{
			"LM Studio, not loaded", "lmstudio",
			map[string]string{"GET /api/v0/models": `{"data":[{"id":"m","state":"not-loaded","max_context_length":131072}]}`},
			Facts{},
			[]string{"GET /api/v0/models"},
		},
		{
			"Ollama, not loaded", "ollama",
			map[string]string{"POST /api/show": `{"parameters":"stop \"x\"\ntemperature 1","model_info":{"general.architecture":"llama","llama.context_length":131072}}`, "GET /api/ps": `{"models":[]}`},
			Facts{},
			[]string{"POST /api/show", "GET /api/ps"},
		},
		{
			"Ollama, with num_ctx", "ollama",
			map[string]string{"POST /api/show": `{"parameters":"stop   \"x\"\nnum_ctx                        8192\n","model_info":{"qwen3.context_length":40960}}`},
			Facts{Size: llm.Size{Window: 8192}},
			[]string{"POST /api/show", "GET /api/ps"},
		},
		{
			"Ollama, running", "ollama",
			map[string]string{"POST /api/show": `{"parameters":"num_ctx 8192","model_info":{"qwen3.context_length":40960}}`, "GET /api/ps": `{"models":[{"name":"m:latest","context_length":4096}]}`},
			Facts{Size: llm.Size{Window: 4096}},
			[]string{"POST /api/show", "GET /api/ps"},
		},
		{
			"by no name", "here",
			map[string]string{"POST /api/show": `{"model_info":{"general.parameter_count":4e9}}`},
			Facts{Server: "ollama", Size: llm.Size{Parameters: 4e9}},
			[]string{"GET /props", "GET /api/v0/models", "POST /api/show", "GET /api/ps"},
		},
		{"nonsense", "llama.cpp", map[string]string{"GET /props": `<html>`}, Facts{}, []string{"GET /props"}},
		{"other types", "llama.cpp", map[string]string{"GET /props": `{"default_generation_settings":[1]}`}, Facts{}, []string{"GET /props"}},
	} {
		var asked []string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			at := r.Method + " " + r.URL.Path
			asked = append(asked, at)
			var body struct{ Model string }
			if r.Method == http.MethodPost && (json.NewDecoder(r.Body).Decode(&body) != nil || body.Model != "m") {
				t.Errorf("%s: asked for %q", c.about, body.Model)
			}
			if c.answers[at] == "" {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write([]byte(c.answers[at]))
		}))
		p, err := New(Options{Name: c.name, BaseURL: srv.URL + "/v1", Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		got := p.askServer(t.Context(), p.Server())
		p.Close()
		srv.Close() // waits for the handler, which records the requests
		if c.want.Server == "" {
			c.want.Server = c.name
		}
		if got != c.want || !slices.Equal(asked, c.asked) {
			t.Errorf("%s: %+v after %q, want %+v after %q", c.about, got, asked, c.want, c.asked)
		}
	}
}

// TestAskServerBounds: an unknown server on another computer is not asked, and a silent one is not waited for.
func TestAskServerBounds(t *testing.T) {
	var asked atomic.Bool
	open := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true); <-open }))
	defer srv.Close()
	defer close(open)
	p, err := New(Options{Name: "openai", BaseURL: "https://models.example/v1", Model: "m", Transport: http.RoundTripper(refusing{t})})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.askServer(t.Context(), p.Server()); got != (Facts{}) {
		t.Errorf("%+v of a server elsewhere", got)
	}
	if p, err = New(Options{Name: "here", BaseURL: srv.URL + "/v1", Model: "m"}); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	start := time.Now()
	if got := p.askServer(t.Context(), p.Server()); got != (Facts{}) || time.Since(start) > 5*time.Second || !asked.Load() {
		t.Errorf("%+v after %v, asked %v", got, time.Since(start), asked.Load())
	}
}

// TestSilentSize: a silent server delays only the first call.
func TestSilentSize(t *testing.T) {
	open := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-open }))
	defer srv.Close()
	defer close(open)
	p, err := New(Options{Name: "here", BaseURL: srv.URL + "/v1", Model: "never-seen-7b"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	start := time.Now()
	for range 3 { // only the first waits
		if got := p.Size(t.Context()); got != (llm.Size{Parameters: 7e9}) || p.Runs() != 0 {
			t.Errorf("%+v of a server that never answered, window %d", got, p.Runs())
		}
	}
	if took := time.Since(start); took > 2500*time.Millisecond {
		t.Errorf("waited for %v", took)
	}
}

type refusing struct{ t *testing.T }

func (r refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	r.t.Errorf("%s was asked", req.URL)
	return nil, http.ErrServerClosed
}
