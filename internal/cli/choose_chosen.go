package cli

import (
	"strings"

	"chatvault/agent/llm/openai"
	"chatvault/internal/config"
)

// chosenEndpoint is the endpoint of a model as it is chosen on the screen: "provider/model", where
// the provider is that of base_url by its host, one that is configured, or a preset. Unlike a model
// in a file it names the provider always. false: there is no such provider (any more).
func chosenEndpoint(cfg *config.Config, chosen string, lookupEnv func(string) (string, bool)) (endpoint, bool) {
	if cfg.BaseURL.V != "" {
		e := baseEndpoint(cfg)
		if model, ok := strings.CutPrefix(chosen, e.name+"/"); ok && model != "" {
			e.model = model
			return e, true
		}
	}
	name, model, _ := strings.Cut(chosen, "/")
	if _, preset := openai.FindPreset(name); !preset && cfg.Providers[name].BaseURL == "" {
		return endpoint{}, false
	}
	e, err := ownEndpoint(cfg, name, lookupEnv)
	if err != nil {
		return endpoint{}, false
	}
	if model != "" {
		e.model = model
	}
	e.why = "the model, " + config.Origin{Kind: config.Chosen}.String()
	return e, true
}

// ownEndpoint is a provider's endpoint with a key of its own or with none: a key that is configured
// for whichever endpoint there is, is not sent to each.
func ownEndpoint(cfg *config.Config, name string, lookupEnv func(string) (string, bool)) (endpoint, error) {
	e, err := namedEndpoint(cfg, name, lookupEnv)
	if err != nil {
		return endpoint{}, err
	}
	preset, _ := openai.FindPreset(name)
	own := cfg.Providers[name].Key.Configured() || preset.KeyEnv != "" && preset.KeyEnv != openAIKey && inEnv(lookupEnv, preset.KeyEnv)
	if general := name == "openai" && cfg.BaseURL.V == ""; own || general {
		return *e, nil
	}
	e.key = config.KeySource{}
	none := func(openai.Preset) bool { return false }
	files := *cfg
	files.Chosen = config.Value[string]{}
	if c, err := choose(&files, lookupEnv, none); err == nil && c.endpoint != nil && c.endpoint.id() == e.id() {
		e.key = c.endpoint.key // it is configured for this one
	}
	return *e, nil
}

// openAIKey is the variable of OpenAI's key, which is that of base_url where one is set.
const openAIKey = "OPENAI_API_KEY"

// chooseChosen is choose where a model was chosen for the vault; false: what was chosen is not to
// be had, and what is configured counts.
func chooseChosen(cfg *config.Config, lookupEnv func(string) (string, bool)) (choice, bool) {
	if cfg.Chosen.V == offlineName {
		return choice{why: "the model, " + cfg.Chosen.Origin.String()}, true
	}
	e, ok := chosenEndpoint(cfg, cfg.Chosen.V, lookupEnv)
	return choice{endpoint: &e}, ok
}
