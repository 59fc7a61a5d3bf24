package provider

import (
	"testing"

	"chatvault/internal/app/config"
)

// The model chosen for the vault is used as long as its provider is available, and does not get the key of another.
func TestChosen(t *testing.T) {
	const custom = "base_url = \"https://llm.example/v1\"\napi_key = \"key-of-custom\"\n"
	const work = "[providers.work]\nbase_url = \"https://work.example/v1\"\nmodel = \"w1\"\napi_key = \"key-of-work\"\n"
	env := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	for _, tt := range []struct {
		name, file   string
		env          map[string]string
		chosen       string
		want, sends  string // name/model, and the key; want empty: the engine or a local server
		model, flags string
	}{
		{name: "the engine", file: custom, chosen: "offline", want: ""},
		{name: "the endpoint of base_url, by its host", file: custom, chosen: "llm.example/m2", want: "llm.example/m2", sends: "key-of-custom"},
		{name: "another host since", file: "base_url = \"https://other.example/v1\"\n", chosen: "llm.example/m2", want: "other.example/"},
		{name: "a preset beside base_url gets no key of that", file: custom, chosen: "groq/openai/gpt-oss-120b", want: "groq/openai/gpt-oss-120b", sends: ""},
		{name: "OpenAI's variable is base_url's", env: env("OPENAI_BASE_URL", "https://llm.example/v1", "OPENAI_API_KEY", "key-of-custom"), chosen: "openai/gpt-5.2", want: "openai/gpt-5.2", sends: ""},
		{name: "OpenAI without base_url", env: env("OPENAI_API_KEY", "key-of-openai"), chosen: "openai/gpt-5.2-mini", want: "openai/gpt-5.2-mini", sends: "key-of-openai"},
		{name: "a key of its own", env: env("GROQ_API_KEY", "key-of-groq", "OPENAI_API_KEY", "key-of-openai"), chosen: "groq/x", want: "groq/x", sends: "key-of-groq"},
		{name: "a key in the file is not for every preset", file: "api_key = \"key-of-openai\"\n", chosen: "mistral/x", want: "mistral/x", sends: ""},
		{name: "a key in the file is for the one it is configured for", file: "api_key = \"key-of-mistral\"\nmodel = \"mistral/a\"\n", chosen: "mistral/x", want: "mistral/x", sends: "key-of-mistral"},
		{name: "a provider of the file", file: work, chosen: "work/w2", want: "work/w2", sends: "key-of-work"},
		{name: "its own model", file: work, chosen: "work", want: "work/w1", sends: "key-of-work"},
		{name: "a provider that is gone", file: work, chosen: "attic/x", want: "work/w1", sends: "key-of-work"},
		{name: "a flag says more", file: work, chosen: "groq/x", flags: "work/w9", want: "work/w9", sends: "key-of-work"},
	} {
		flags := map[string]string{}
		if tt.flags != "" {
			flags["model"] = tt.flags
		}
		cfg, lookup := loaded(t, tt.file, flags, tt.env)
		cfg.Chosen = config.Value[string]{V: tt.chosen, Origin: config.Origin{Kind: config.Chosen}}
		c, err := choose(cfg, lookup, noneStored)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got, sends := "", ""
		if c.Endpoint != nil {
			got = c.Endpoint.Name + "/" + c.Endpoint.Model
			key, _ := c.Endpoint.key.Resolve(t.Context(), lookup)
			sends = key.Reveal()
		}
		if got != tt.want || sends != tt.sends {
			t.Errorf("%s: %q with the key %q, want %q with %q", tt.name, got, sends, tt.want, tt.sends)
		}
	}
}
