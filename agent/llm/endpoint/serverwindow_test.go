package endpoint

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// Each server is asked where it tells its window, and one that is not known by name is asked in each way.
func TestServerWindow(t *testing.T) {
	for _, c := range []struct {
		about, name string
		answers     map[string]string // by method and path; else 404
		want        ServerWindow
		asked       []string
	}{
		{
			"llama.cpp", "llama.cpp",
			map[string]string{"GET /props": `{"default_generation_settings":{"id":0,"n_ctx":8192},"total_slots":1}`},
			ServerWindow{Runs: 8192},
			[]string{"GET /props"},
		},
		{
			"LM Studio", "lmstudio",
			map[string]string{"GET /api/v0/models": `{"data":[{"id":"other","loaded_context_length":1},{"id":"m","state":"loaded","max_context_length":131072,"loaded_context_length":4096}]}`},
			ServerWindow{Runs: 4096, Most: 131072},
			[]string{"GET /api/v0/models"},
		},
		{
			"LM Studio, not loaded", "lmstudio",
			map[string]string{"GET /api/v0/models": `{"data":[{"id":"m","state":"not-loaded","max_context_length":131072}]}`},
			ServerWindow{Most: 131072},
			[]string{"GET /api/v0/models"},
		},
		{
			"Ollama, not loaded", "ollama",
			map[string]string{"POST /api/show": `{"parameters":"stop \"x\"\ntemperature 1","model_info":{"general.architecture":"llama","llama.context_length":131072}}`, "GET /api/ps": `{"models":[]}`},
			ServerWindow{Most: 131072},
			[]string{"POST /api/show", "GET /api/ps"},
		},
		{
			"Ollama, with num_ctx", "ollama",
			map[string]string{"POST /api/show": `{"parameters":"stop   \"x\"\nnum_ctx                        8192\n","model_info":{"qwen3.context_length":40960}}`},
			ServerWindow{Runs: 8192, Most: 40960},
			[]string{"POST /api/show", "GET /api/ps"},
		},
		{
			"Ollama, running", "ollama",
			map[string]string{"POST /api/show": `{"parameters":"num_ctx 8192","model_info":{"qwen3.context_length":40960}}`, "GET /api/ps": `{"models":[{"name":"m:latest","context_length":4096}]}`},
			ServerWindow{Runs: 4096, Most: 40960},
			[]string{"POST /api/show", "GET /api/ps"},
		},
		{
			"by no name", "here",
			map[string]string{"POST /api/show": `{"model_info":{"qwen3.context_length":40960}}`},
			ServerWindow{Most: 40960},
			[]string{"GET /props", "GET /api/v0/models", "POST /api/show", "GET /api/ps"},
		},
		{"nonsense", "llama.cpp", map[string]string{"GET /props": `<html>`}, ServerWindow{}, []string{"GET /props"}},
		{"other types", "llama.cpp", map[string]string{"GET /props": `{"default_generation_settings":[1]}`}, ServerWindow{}, []string{"GET /props"}},
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
		p, err := New(Options{Name: c.name, BaseURL: srv.URL + "/v1", Model: "unknown"})
		if err != nil {
			t.Fatal(err)
		}
		got := p.ServerWindow(t.Context(), "m")
		p.Close()
		srv.Close() // ends the handler, which keeps what was asked
		if got != c.want || !slices.Equal(asked, c.asked) {
			t.Errorf("%s: %+v after %q, want %+v after %q", c.about, got, asked, c.want, c.asked)
		}
	}
}

// A server that is not on this computer and not known by name is not asked, and one that is silent is
// not waited for.
func TestServerWindowBounds(t *testing.T) {
	var asked atomic.Bool
	open := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true); <-open }))
	defer srv.Close()
	defer close(open)
	p, err := New(Options{Name: "openai", BaseURL: "https://models.example/v1", Model: "unknown", Transport: http.RoundTripper(refusing{t})})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.ServerWindow(t.Context(), "m"); got != (ServerWindow{}) {
		t.Errorf("%+v of a server elsewhere", got)
	}
	if p, err = New(Options{Name: "here", BaseURL: srv.URL + "/v1", Model: "unknown"}); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	start := time.Now()
	if got := p.ServerWindow(t.Context(), "m"); got != (ServerWindow{}) || time.Since(start) > 5*time.Second || !asked.Load() {
		t.Errorf("%+v after %v, asked %v", got, time.Since(start), asked.Load())
	}
}

type refusing struct{ t *testing.T }

func (r refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	r.t.Errorf("%s was asked", req.URL)
	return nil, http.ErrServerClosed
}
