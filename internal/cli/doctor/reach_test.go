package doctor

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"chatvault/internal/config"
	"chatvault/internal/terminal/output"
)

// doctor asks a server on this computer for its window, and no server at all when it is offline.
func TestDoctorAsksForTheWindow(t *testing.T) {
	var requests atomic.Int32
	answers := map[string]string{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if answers[r.URL.Path] == "" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(answers[r.URL.Path]))
	}))
	defer srv.Close()
	check := func(offline bool) finding {
		requests.Store(0)
		cfg := config.Defaults()
		cfg.BaseURL.V, cfg.Model.V, cfg.Offline.V = srv.URL+"/v1", "m", offline
		o := Options{Out: output.New(&strings.Builder{}, false), LookupEnv: func(string) (string, bool) { return "", false }}
		return checkProvider(o, cfg, "/own.toml")[0]
	}
	for _, c := range []struct {
		about   string
		answers map[string]string
		text    string
		warn    bool
	}{
		{"none says", map[string]string{"/v1/models": `{"data":[{"id":"m"}]}`}, "(base_url, by default)", false},
		{"vLLM", map[string]string{"/v1/models": `{"data":[{"id":"m","max_model_len":16384}]}`}, "its window is 16,384 tokens", false},
		{"llama.cpp", map[string]string{"/v1/models": `{"data":[{"id":"m","meta":{"n_ctx_train":131072}}]}`, "/props": `{"default_generation_settings":{"n_ctx":4096}}`}, "its window is 4,096 tokens", true},
		{"Ollama", map[string]string{"/v1/models": `{"data":[{"id":"m"}]}`, "/api/show": `{"model_info":{"qwen3.context_length":40960}}`}, "the model can take 40,960 tokens", false},
		{"LM Studio", map[string]string{"/v1/models": `{"data":[{"id":"m"}]}`, "/api/v0/models": `{"data":[{"id":"m","loaded_context_length":8192,"max_context_length":32768}]}`}, "its window is 8,192 tokens of the 32,768", false},
	} {
		answers = c.answers
		if got := check(false); !strings.Contains(got.text, c.text) || got.warn != c.warn || requests.Load() == 0 {
			t.Errorf("%s: %+v", c.about, got)
		}
		if got := check(true); requests.Load() != 0 || strings.Contains(got.text, "window") {
			t.Errorf("%s, offline: %+v after %d requests", c.about, got, requests.Load())
		}
	}
}
