package endpoint

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chatvault/agent/llm"
	"chatvault/internal/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testKey must not occur in any text that a test inspects.
const testKey = "sk-canary-0123456789abcdef"

func client(t *testing.T, baseURL, key string) *Client {
	t.Helper()
	c, err := New(Options{Name: "test", BaseURL: baseURL, APIKey: key, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestLoopbackBypassesProxy: connections to this computer use no proxy, whatever the environment.
func TestLoopbackBypassesProxy(t *testing.T) {
	always := viaProxy(http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy.invalid"}))
	for target, want := range map[string]bool{
		"http://127.0.0.1:1/v1": false, "https://127.9.9.9/v1": false, "http://[::1]:1/v1": false, "http://localhost:1/v1": false, "http://LOCALHOST/v1": false,
		"http://foo.localhost/v1": true, "http://localhost.:1/v1": true, "https://api.example.com/v1": true,
	} {
		req, err := http.NewRequest(http.MethodPost, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if u, err := always(req); err != nil || (u != nil) != want {
			t.Errorf("%s: %v, %v", target, u, err)
		}
	}
}

func TestListModels(t *testing.T) {
	srv := llmtest.NewWith(t, llmtest.Options{Models: []string{"text-embed-3", "chat-1"}, APIKey: testKey})
	p := client(t, srv.URL(), testKey)
	models, err := p.ListModels(t.Context())
	if err != nil || len(models) != 2 || models[1].ID != "chat-1" {
		t.Fatalf("%v, %v", models, err)
	}
	if id, ok := PickModel(models); !ok || id != "chat-1" {
		t.Errorf("chose %q", id)
	}
	wrong := client(t, srv.URL(), "sk-wrong-key-0123456789")
	if _, err := wrong.ListModels(t.Context()); llm.AsError(err) == nil || llm.AsError(err).Kind != llm.KindAuth {
		t.Errorf("wrong key: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.ListModels(ctx); llm.AsError(err) == nil || llm.AsError(err).Kind != llm.KindAborted {
		t.Errorf("cancelled: %v", err)
	}
	for body, want := range map[string][]Model{
		`{"data":[{"id":"a","context_length":8192},{"id":7,"max_model_len":"4096"},{"id":""}]}`: {{ID: "a", Window: 8192}, {ID: "7", Window: 4096}},
		`{"models":[{"name":"models/gemini-x"}]}`:                                               {{ID: "gemini-x"}},
		`{"data":[{"id":"l","meta":{"n_ctx":2048,"n_ctx_train":9}}]}`:                           {{ID: "l", Window: 2048}},
		`{"data":[]}`: nil,
	} {
		got, ok := modelsIn([]byte(body))
		if !ok || len(got) != len(want) {
			t.Errorf("%s: %v", body, got)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: %v", body, got)
			}
		}
	}
	for _, body := range []string{`{}`, `[]`, `<html>`, `{"data":7}`} {
		if got, ok := modelsIn([]byte(body)); ok {
			t.Errorf("%s is a list: %v", body, got)
		}
	}
	if _, ok := PickModel([]Model{{ID: "nomic-embed-text"}}); ok {
		t.Error("an embedding model was chosen")
	}
}

func TestProbe(t *testing.T) {
	srv := llmtest.NewWith(t, llmtest.Options{Models: []string{"nomic-embed", "qwen"}})
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>wiki</html>") }))
	defer page.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	silent := l.Addr().String()
	begun := time.Now()
	for u, want := range map[string]bool{
		srv.URL():                true,
		page.URL:                 false,
		"http://" + silent:       false,
		"http://127.0.0.1:1/v1":  false,
		"https://example.com/v1": false,
		// These may resolve to this computer, but are not asked.
		strings.Replace(srv.URL(), "127.0.0.1", "foo.localhost", 1): false,
		strings.Replace(srv.URL(), "127.0.0.1", "localhost.", 1):    false,
	} {
		if _, err := probe(t.Context(), u); (err == nil) != want {
			t.Errorf("%s: %v", u, err)
		}
	}
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("took %v", took)
	}
	for _, r := range srv.AllRequests() {
		if r.Header.Get("Authorization") != "" {
			t.Error("the probe contains a key")
		}
	}
	empty := llmtest.NewWith(t, llmtest.Options{Models: []string{"nomic-embed"}})
	locked := llmtest.NewWith(t, llmtest.Options{APIKey: "sk-0123456789abcdef"})
	presets := []Preset{{Name: "locked", BaseURL: locked.URL()}, {Name: "empty", BaseURL: empty.URL()}, {Name: "none", BaseURL: "http://127.0.0.1:1/v1"}, {Name: "second", BaseURL: srv.URL()}, {Name: "slow", BaseURL: "http://" + silent}, {Name: "third", BaseURL: srv.URL()}}
	found := FindLocal(t.Context(), presets)
	if len(found) != 4 || found[0].Name != "second" || found[0].First != "qwen" || found[1].Name != "third" || !found[2].Locked || found[3].Name != "empty" || found[3].First != "" {
		t.Errorf("%+v", found)
	}
	if found := FindLocal(t.Context(), presets[2:3]); len(found) > 0 {
		t.Errorf("found a nonexistent server: %+v", found)
	}
}

func TestLocalPresets(t *testing.T) {
	for list, want := range map[string]string{
		"":    "Ollama 11434, LM Studio 1234, llama.cpp 8080, vLLM 8000, Jan 1337",
		"off": "",
		"jan=http://127.0.0.1:5/v1 llama.cpp=http://127.0.0.1:6/v1": "llama.cpp 6, Jan 5",
		"nosuch=http://127.0.0.1:5/v1 openai=http://127.0.0.1:5/v1": "",
	} {
		var got []string
		for _, p := range LocalPresets(list) {
			got = append(got, p.Address())
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
}

func TestPresets(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Presets {
		if _, err := checkBaseURL(p.BaseURL, false); seen[p.Name] || err != nil || p.Title == "" || p.NeedsKey != (p.KeyEnv != "") || p.NeedsKey != (p.Model != "") {
			t.Errorf("%+v", p)
		}
		seen[p.Name] = true
	}
	for _, name := range strings.Fields("openai anthropic openrouter gemini groq mistral deepseek ollama lmstudio llama.cpp vllm") {
		if _, ok := FindPreset(strings.ToUpper(name) + " "); !ok {
			t.Errorf("%s is missing", name)
		}
	}
	if _, ok := FindPreset("nobody"); ok || len(PresetNames()) != len(Presets) {
		t.Error("presets")
	}
}

func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		opts Options
		want string // part of the error; empty if accepted
	}{
		"https":            {Options{BaseURL: "https://api.example.com/v1/", Model: "m"}, ""},
		"loopback":         {Options{BaseURL: "http://localhost:1/v1", Model: "m"}, ""},
		"loopback v6":      {Options{BaseURL: "http://[::1]:1/v1", Model: "m"}, ""},
		"loopback net":     {Options{BaseURL: "http://127.9.9.9/v1", Model: "m"}, ""},
		"insecure, wanted": {Options{BaseURL: "http://10.0.0.1/v1", Model: "m", AllowInsecure: true}, ""},
		"insecure":         {Options{BaseURL: "http://10.0.0.1/v1", Model: "m"}, "allow_insecure"},
		"insecure, below":  {Options{BaseURL: "http://foo.localhost/v1", Model: "m"}, "allow_insecure"},
		"insecure, dot":    {Options{BaseURL: "http://localhost.:1/v1", Model: "m"}, "allow_insecure"},
		"insecure, name":   {Options{BaseURL: "http://localhost.example.com/v1", Model: "m"}, "allow_insecure"},
		"empty":            {Options{Model: "m"}, "not an address"},
		"no scheme":        {Options{BaseURL: "api.example.com", Model: "m"}, "not an address"},
		"file":             {Options{BaseURL: "file:///etc", Model: "m"}, "not an address"},
		"broken":           {Options{BaseURL: "http://[::1", Model: "m"}, "not an address"},
		"password":         {Options{BaseURL: "https://u:pass@h/v1", Model: "m"}, "without a name, a password"},
		"query":            {Options{BaseURL: "https://h/v1?key=1", Model: "m"}, "? or #"},
		"no model":         {Options{BaseURL: "https://h/v1", Model: " "}, "no model"},
	} {
		p, err := New(c.opts)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if p != nil {
			p.Close()
		}
	}
	p, err := New(Options{BaseURL: " https://h/v1/chat/completions ", Model: " m ", Name: "n", APIKey: " k\n"})
	if err != nil || p.opts.BaseURL != "https://h/v1" || p.Name() != "n/m" || p.opts.APIKey != "k" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := checkBaseURL("ftp://x", false); err == nil {
		t.Error("ftp is accepted")
	}
}
