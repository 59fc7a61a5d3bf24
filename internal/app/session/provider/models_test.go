package provider

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"chatvault/agent/llm/endpoint"
	"chatvault/internal/app/config"
	"chatvault/internal/app/keystore"
	"chatvault/internal/app/ranked"
	"chatvault/internal/app/session/home"
	"chatvault/internal/llmtest"
)

// modelsOf returns the models for a configuration. It stores only in folders of the test.
func modelsOf(t *testing.T, file string, flags, env map[string]string) *Models {
	t.Helper()
	cfg, lookup := loaded(t, file, flags, env)
	m := &Models{Finder: Finder{cfg: cfg, lookupEnv: lookup, log: home.Discard(), keys: keystore.New(false)}}
	p, err := m.Provider(ranked.NewFinder(nil, false, ""))
	if err != nil {
		t.Fatal(err)
	}
	m.now = p
	return m
}

func TestModelSources(t *testing.T) {
	const work = "model = \"work/w1\"\n[providers.work]\nbase_url = \"http://127.0.0.1:9/v1\"\n[prices.\"work/w1\"]\ninput = 1.25\noutput = 10\n"
	for _, tt := range []struct {
		name, file string
		flags, env map[string]string
		asked      string // the sources that are asked, in order
		lacking    string
	}{
		{name: "nothing", asked: localID, lacking: "openai anthropic openrouter gemini groq mistral deepseek"},
		{name: "a provider and a key", file: work, env: map[string]string{"GROQ_API_KEY": "k-123456"}, asked: "work groq " + localID, lacking: "openai anthropic openrouter gemini mistral deepseek"},
		{name: "base_url keeps its key", env: map[string]string{"OPENAI_BASE_URL": "https://llm.example/v1", "OPENAI_API_KEY": "k-123456"}, asked: "llm.example " + localID, lacking: "openai anthropic openrouter gemini groq mistral deepseek"},
		{name: "offline", file: work, flags: map[string]string{"offline": "true"}},
	} {
		m := modelsOf(t, tt.file, tt.flags, tt.env)
		var asked, lacking []string
		engine := false
		for _, s := range m.Sources() {
			switch {
			case s.Asks:
				asked = append(asked, s.ID)
			case s.Lacks:
				lacking = append(lacking, s.ID)
				if s.Key == "" || !strings.Contains(s.KeyGoes, "nowhere else") {
					t.Errorf("%s: of %s's key is said %q, %q", tt.name, s.ID, s.Key, s.KeyGoes)
				}
			case s.ID == engineID:
				engine = true
			}
		}
		if got := strings.Join(asked, " "); got != tt.asked {
			t.Errorf("%s: asked are %q, want %q", tt.name, got, tt.asked)
		}
		if got := strings.Join(lacking, " "); got != tt.lacking {
			t.Errorf("%s: lacking a key are %q, want %q", tt.name, got, tt.lacking)
		}
		if !engine {
			t.Errorf("%s: the engine is not there", tt.name)
		}
	}
	m := modelsOf(t, work, nil, nil)
	for _, s := range m.Sources() {
		if s.ID == "work" {
			if c := s.Choices[0]; !c.Here || c.Name != "work/w1" || c.About != "$1.25 in, $10 out" {
				t.Errorf("%+v", c)
			}
		}
	}
}

func TestModelList(t *testing.T) {
	srv := llmtest.NewWith(t, llmtest.Options{Models: []string{"gpt-4o", "text-embedding-3", "small"}, APIKey: "k-right-123456"})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	m := modelsOf(t, fmt.Sprintf(`
[providers.here]
base_url = %q
api_key = "k-right-123456"
[providers.wrong]
base_url = %q
api_key = "k-wrong-123456"
[providers.local]
base_url = %q
api_key = "k-right-123456"
[providers.nobody]
base_url = "http://127.0.0.1:1/v1"
[providers.silent]
base_url = %q
`, srv.URL(), srv.URL(), srv.URL(), silent.URL+"/v1"), nil, nil)
	for _, name := range []string{"here", "local"} { // a provider's name is whatever its user calls it
		list, err := m.List(t.Context(), name)
		if err != nil || len(list) != 2 || list[0].Name != name+"/gpt-4o" || list[1].Name != name+"/small" {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
	ids := map[string]bool{}
	for _, s := range m.Sources() {
		if ids[s.ID] {
			t.Errorf("two sources are %s", s.ID)
		}
		ids[s.ID] = true
	}
	for id, want := range map[string]string{"wrong": "key", "nobody": "nothing answers at 127.0.0.1:1", "silent": "did not list its models within 2 s", "gone": "no longer configured"} {
		began := time.Now()
		if _, err := m.List(t.Context(), id); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", id, err, want)
		}
		if d := time.Since(began); d > 20*time.Second {
			t.Errorf("%s took %v", id, d)
		}
	}
}

// TestModelFixed checks how to get a language model if this run can only use the offline engine.
func TestModelFixed(t *testing.T) {
	for want, o := range map[string]config.Origin{
		"start chatvault without offline (flag --offline)":                {Kind: config.Flag, Name: "offline"},
		"start chatvault without offline (environment CHATVAULT_OFFLINE)": {Kind: config.Environment, Name: "CHATVAULT_OFFLINE"},
		"start chatvault without offline (~/c.toml:3)":                    {Kind: config.UserFile, Name: "~/c.toml", Line: 3},
		"run chatvault in your own vault, or chatvault demo --model NAME": {Kind: config.Demo},
	} {
		m := modelsOf(t, "", nil, nil)
		m.cfg.Offline = config.Value[bool]{V: true, Origin: o}
		if got := m.Fixed(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if _, err := m.Use("openai/gpt-4o"); err == nil || !strings.HasSuffix(err.Error(), "for a language model, "+want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestMissing(t *testing.T) {
	list := []endpoint.Model{{ID: "zeta-large"}, {ID: "llama3:latest"}}
	for model, listed := range map[string]bool{"zeta-large": true, "llama3": true, "nothere": false} {
		why := Missing("here", model, list)
		if (why == "") != listed || !listed && (!strings.Contains(why, "nothere") || !strings.Contains(why, "It lists zeta-large, llama3:latest.")) {
			t.Errorf("%q: %q", model, why)
		}
	}
	if why := Missing("here", "any", nil); why != "" {
		t.Error(why)
	}
}

// A typed model name selects the provider that a person would expect.
func TestModelMeant(t *testing.T) {
	m := modelsOf(t, "model = \"work/w1\"\n[providers.work]\nbase_url = \"http://127.0.0.1:9/v1\"\n", nil, nil)
	for _, tt := range []struct{ typed, want string }{
		{"work/w2", "work/w2"},
		{"w3", "work/w3"},
		{"gpt-5.2", "openai/gpt-5.2"},
		{"ollama/llama3.2", "ollama/llama3.2"},
		{"groq/openai/gpt-oss-20b", "groq/openai/gpt-oss-20b"},
		{"nobody/x", ""},
	} {
		p, kept, err := m.meant(tt.typed)
		if tt.want == "" {
			if err == nil {
				t.Errorf("%s is %s", tt.typed, kept)
			}
			continue
		}
		if err != nil || kept != tt.want || p.Name() != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.typed, kept, err, tt.want)
			continue
		}
		// What is kept means the same at the next start.
		cfg := *m.cfg
		cfg.Chosen = config.Value[string]{V: kept, Origin: config.Origin{Kind: config.Chosen}}
		if c, err := choose(&cfg, m.lookupEnv, noneStored); err != nil || c.Endpoint == nil || c.Endpoint.Name+"/"+c.Endpoint.Model != tt.want {
			t.Errorf("%s at the next start: %+v, %v", kept, c.Endpoint, err)
		}
	}
}

// A typed key is sent only to the provider that it was typed for.
func TestModelKeyOfProvider(t *testing.T) {
	right := llmtest.NewWith(t, llmtest.Options{APIKey: "k-typed-123456"})
	other := llmtest.New(t)
	m := modelsOf(t, fmt.Sprintf("[providers.right]\nbase_url = %q\n[providers.other]\nbase_url = %q\n", right.URL(), other.URL()), nil, nil)
	if _, err := m.List(t.Context(), "right"); err == nil {
		t.Fatal("listed without a key")
	}
	if _, err := m.GiveKey(t.Context(), "right", "not a key"); err == nil {
		t.Error("taken")
	}
	if said, err := m.GiveKey(t.Context(), "right", " k-typed-123456 "); err != nil || strings.Contains(said, "k-typed") {
		t.Fatal(said, err)
	}
	if list, err := m.List(t.Context(), "right"); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := m.List(t.Context(), "other"); err != nil {
		t.Error(err)
	}
	for _, r := range other.AllRequests() {
		if got := r.Header.Get("Authorization"); strings.Contains(got, "k-typed") {
			t.Errorf("another provider got the key: %s %s", r.Path, got)
		}
	}
}
