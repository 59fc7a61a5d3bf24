package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/agent/llm/offline"
	"chatvault/agent/llm/openai"
	"chatvault/internal/app/config"
	"chatvault/internal/app/keystore"
	"chatvault/internal/app/ranked"
	"chatvault/internal/app/session/home"
)

// loaded is a configuration of a user's file, flags and environment.
func loaded(t *testing.T, file string, flags, env map[string]string) (*config.Config, func(string) (string, bool)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	cfg, err := config.Load(config.Sources{Flags: flags, UserFile: path, LookupEnv: lookup, Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return cfg, lookup
}

func noneStored(Endpoint) bool { return false }

// TestChooseStored checks that a typed key selects its provider if nothing else does.
func TestChooseStored(t *testing.T) {
	mistral := func(e Endpoint) bool { return e.Name == "mistral" }
	for _, c := range []struct {
		name, file string
		env        map[string]string
		want       string
	}{
		{"nothing else", "", nil, "mistral"},
		{"a key in the environment", "", map[string]string{"GROQ_API_KEY": "b"}, "groq"},
		{"a key in the file", "api_key = \"abc-123456\"\n", nil, "openai"},
		{"an endpoint", "base_url = \"https://llm.example/v1\"\n", nil, "llm.example"},
	} {
		cfg, lookup := loaded(t, c.file, nil, c.env)
		got, err := choose(cfg, lookup, mistral)
		if err != nil || got.Endpoint == nil || got.Endpoint.Name != c.want {
			t.Errorf("%s: %+v, %v", c.name, got.Endpoint, err)
		}
	}
	cfg, lookup := loaded(t, "", map[string]string{"offline": "true"}, nil)
	if c, err := choose(cfg, lookup, mistral); err != nil || c.Endpoint != nil {
		t.Errorf("--offline: %+v, %v", c, err)
	}
}

func TestChoose(t *testing.T) {
	const custom = "base_url = \"https://llm.example/v1\"\n"
	const work = "[providers.work]\nbase_url = \"https://work.example/v1\"\nmodel = \"w1\"\n"
	const home = "[providers.home]\nbase_url = \"http://127.0.0.1:9/v1\"\n"
	openAI := map[string]string{"OPENAI_API_KEY": "key-of-openai"}
	groq := map[string]string{"GROQ_API_KEY": "key-of-groq"}
	type m = map[string]string
	for _, c := range []struct {
		name       string
		file       string
		flags, env m
		want       string // "endpoint name | base URL | model", "probe MODEL", "engine", "error: TEXT"
	}{
		{"nothing", "", nil, nil, "probe "},
		{"empty key", "", nil, m{"OPENAI_API_KEY": " ", "GROQ_API_KEY": ""}, "probe "},

		{"--offline", custom, m{"offline": "true"}, openAI, "engine"},
		{"offline in the file", "offline = true\n", nil, openAI, "engine"},
		{"the model offline", custom, m{"model": "offline"}, openAI, "engine"},

		{"key in the environment", "", nil, openAI, "openai | https://api.openai.com/v1 | gpt-5.2"},
		{"another's key", "", nil, groq, "groq | https://api.groq.com/openai/v1 | openai/gpt-oss-120b"},
		{"the first of two", "", nil, m{"OPENAI_API_KEY": "a", "GROQ_API_KEY": "b"}, "openai | https://api.openai.com/v1 | gpt-5.2"},
		{"a model for it", "", m{"model": "gpt-6"}, openAI, "openai | https://api.openai.com/v1 | gpt-6"},
		{"a key in the file", "api_key = \"abc-123456\"\n", nil, nil, "openai | https://api.openai.com/v1 | gpt-5.2"},

		{"provider/model", "", m{"model": "groq/llama"}, openAI, "groq | https://api.groq.com/openai/v1 | llama"},
		{"model with slashes", "", m{"model": "openrouter/meta/llama-3"}, nil, "openrouter | https://openrouter.ai/api/v1 | meta/llama-3"},
		{"provider alone", "", m{"model": "mistral"}, nil, "mistral | https://api.mistral.ai/v1 | mistral-large-latest"},
		{"local by name", "", m{"model": "ollama"}, openAI, "ollama | http://127.0.0.1:11434/v1 | "},
		{"no such provider", "", m{"model": "acme/large"}, openAI, `error: there is no provider "acme", which the model "acme/large" names (flag --model)`},
		{"a slash in a model's name", "", m{"model": "moonshotai/kimi"}, groq, "groq | https://api.groq.com/openai/v1 | moonshotai/kimi"},
		{"a slash, and the key of one that has them is the second", "", m{"model": "moonshotai/kimi"}, m{"OPENAI_API_KEY": "a", "OPENROUTER_API_KEY": "b"}, "openrouter | https://openrouter.ai/api/v1 | moonshotai/kimi"},
		{"a slash, and one configured provider", work, m{"model": "acme/large"}, openAI, "work | https://work.example/v1 | acme/large"},
		{"a slash, and two configured providers", work + home, m{"model": "acme/large"}, nil, `error: there is no provider "acme"`},
		{"a model of another than the key's", "", m{"model": "gpt-4o"}, groq, "openai | https://api.openai.com/v1 | gpt-4o"},
		{"a model of one provider, no key", "", m{"model": "claude-sonnet-5"}, nil, "anthropic | https://api.anthropic.com/v1 | claude-sonnet-5"},
		{"a model of one provider, its key", "", m{"model": "claude-sonnet-5"}, m{"OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": "a", "GROQ_API_KEY": "b"}, "anthropic | https://api.anthropic.com/v1 | claude-sonnet-5"},
		{"no such provider and no key", "", m{"model": "acme/large"}, nil, `error: there is no provider "acme"`},

		{"base_url", custom, nil, nil, "llm.example | https://llm.example/v1 | "},
		{"base_url and a model with slashes", custom, m{"model": "openai/gpt-oss-20b"}, groq, "llm.example | https://llm.example/v1 | openai/gpt-oss-20b"},
		{"base_url over a key", custom, nil, groq, "llm.example | https://llm.example/v1 | "},
		{"base_url of a known host", "base_url = \"https://api.groq.com/openai/v1\"\n", nil, nil, "groq | https://api.groq.com/openai/v1 | "},
		{"a configured provider over base_url", custom + work, m{"model": "work/w2"}, nil, "work | https://work.example/v1 | w2"},

		{"a configured provider", work, nil, openAI, "work | https://work.example/v1 | w1"},
		{"a model for the only one", work, m{"model": "w2"}, openAI, "work | https://work.example/v1 | w2"},
		{"one by name", work + home, m{"model": "home/h1"}, nil, "home | http://127.0.0.1:9/v1 | h1"},
		{"a model without saying whose", work + home, m{"model": "h1"}, nil, `error: the model "h1"`},
		{"a model without saying whose, and a key", work + home, m{"model": "gpt-6"}, openAI, "openai | https://api.openai.com/v1 | gpt-6"},
		{"a preset with a model of its own", "[providers.groq]\nmodel = \"llama\"\n", nil, groq, "groq | https://api.groq.com/openai/v1 | llama"},
		{"no base_url and no preset", "[providers.acme]\nmodel = \"x\"\n", nil, nil, "error: providers.acme has no base_url"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg, lookup := loaded(t, c.file, c.flags, c.env)
			var got string
			chosen, err := choose(cfg, lookup, noneStored)
			switch e := chosen.Endpoint; {
			case err != nil:
				got = "error: " + err.Error()
			case e != nil:
				got = e.Name + " | " + e.BaseURL + " | " + e.Model
			case chosen.Probe:
				got = "probe " + chosen.Model
			default:
				got = "engine"
			}
			if got != c.want && (!strings.HasPrefix(c.want, "error: ") || !strings.HasPrefix(got, c.want)) {
				t.Errorf("%s, want %s", got, c.want)
			}
			if err == nil && chosen.Why == "" && (chosen.Endpoint == nil || chosen.Endpoint.Why == "") {
				t.Error("it does not say why")
			}
		})
	}
}

// TestKeysGoOnlyToTheirProvider checks that a key in the environment is not sent to another provider.
func TestKeysGoOnlyToTheirProvider(t *testing.T) {
	cfg, lookup := loaded(t, "base_url = \"https://llm.example/v1\"\n", nil, map[string]string{"GROQ_API_KEY": "key-of-groq"})
	c, err := choose(cfg, lookup, noneStored)
	if err != nil || c.Endpoint.key.Configured() {
		t.Errorf("%+v, %v", c.Endpoint, err)
	}
	cfg, lookup = loaded(t, "", map[string]string{"model": "groq"}, map[string]string{"GROQ_API_KEY": "key-of-groq", "OPENAI_API_KEY": "key-of-openai"})
	if c, err = choose(cfg, lookup, noneStored); err != nil {
		t.Fatal(err)
	}
	key, err := c.Endpoint.key.Resolve(t.Context(), lookup)
	if err != nil || key.Reveal() != "key-of-groq" {
		t.Errorf("%v, %v", key, err)
	}
	cfg, lookup = loaded(t, "", map[string]string{"model": "mistral"}, map[string]string{"OPENAI_API_KEY": "key-of-openai"})
	if c, err = choose(cfg, lookup, noneStored); err != nil {
		t.Fatal(err)
	}
	if key, err = c.Endpoint.key.Resolve(t.Context(), lookup); err != nil || !key.Empty() {
		t.Errorf("mistral would be sent OpenAI's key (%v, %v)", key, err)
	}
}

// TestOfflineOpensNoSocket checks that offline the engine is used without any search or fallback.
func TestOfflineOpensNoSocket(t *testing.T) {
	env := map[string]string{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://llm.example/v1"}
	cfg, lookup := loaded(t, "fallback = [\"groq/x\"]\n", map[string]string{"offline": "true"}, env)
	p, err := Finder{cfg: cfg, lookupEnv: lookup, log: home.Discard(), keys: keystore.New(false)}.Provider(ranked.NewFinder(nil, false, ""))
	if err != nil || p.Probes || p.Name() != offline.Name {
		t.Fatalf("%+v, %v", p, err)
	}
	found, err := p.Ready(t.Context())
	if _, ok := found.(*openai.Provider); ok || err != nil || found.Name() != offline.Name {
		t.Errorf("%T, %v", found, err)
	}
	if chain, err := (Finder{cfg: cfg, lookupEnv: lookup, log: home.Discard(), keys: keystore.New(false)}).Fallback(); len(chain) > 0 || err != nil {
		t.Errorf("%v, %v", chain, err)
	}
}

// TestChooseVaultModel checks that a vault's file can set the model but not the provider.
func TestChooseVaultModel(t *testing.T) {
	keys := map[string]string{"OPENAI_API_KEY": "k-openai-1", "ANTHROPIC_API_KEY": "k-anthropic-1"}
	for _, c := range []struct{ file, vault, want string }{
		{"", "claude-9-expensive", "openai | claude-9-expensive"},
		{"", "anthropic", "openai | anthropic"},
		{"model = \"anthropic/claude-4\"\n", "gpt-5", "anthropic | gpt-5"},
		{"model = \"ollama/small\"\n", "gpt-5", "ollama | gpt-5"},
		{"", "offline", "engine"},
		{"model = \"offline\"\n", "gpt-5", "engine"},
	} {
		cfg, lookup := loaded(t, c.file, nil, keys)
		cfg.Model = config.Value[string]{V: c.vault, Origin: config.Origin{Kind: config.VaultFile}}
		got, err := choose(cfg, lookup, noneStored)
		if err != nil {
			t.Fatal(err)
		}
		text := "engine"
		if got.Endpoint != nil {
			text = got.Endpoint.Name + " | " + got.Endpoint.Model
		}
		if text != c.want {
			t.Errorf("%q, the vault says %q: %s, want %s", c.file, c.vault, text, c.want)
		}
	}
}
