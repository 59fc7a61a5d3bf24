package provider

import (
	"fmt"
	"strings"

	"chatvault/agent/llm/endpoint"
	"chatvault/internal/config"
)

// chosenEndpoint is the endpoint of a model as it is chosen on the screen: "provider/model", where
// the provider is that of base_url by its host, one that is configured, or a preset. Unlike a model
// in a file it names the provider always. false: there is no such provider (any more).
func chosenEndpoint(cfg *config.Config, chosen string, lookupEnv func(string) (string, bool)) (Endpoint, bool) {
	if cfg.BaseURL.V != "" {
		e := baseEndpoint(cfg)
		if model, ok := strings.CutPrefix(chosen, e.Name+"/"); ok && model != "" {
			e.Model = model
			return e, true
		}
	}
	name, model, _ := strings.Cut(chosen, "/")
	if _, preset := endpoint.FindPreset(name); !preset && cfg.Providers[name].BaseURL == "" {
		return Endpoint{}, false
	}
	e, err := ownEndpoint(cfg, name, lookupEnv)
	if err != nil {
		return Endpoint{}, false
	}
	if model != "" {
		e.Model = model
	}
	e.Why = "the model, " + config.Origin{Kind: config.Chosen}.String()
	return e, true
}

// ownEndpoint is a provider's endpoint with a key of its own or with none: a key that is configured
// for whichever endpoint there is, is not sent to each.
func ownEndpoint(cfg *config.Config, name string, lookupEnv func(string) (string, bool)) (Endpoint, error) {
	e, err := namedEndpoint(cfg, name, lookupEnv)
	if err != nil {
		return Endpoint{}, err
	}
	preset, _ := endpoint.FindPreset(name)
	own := cfg.Providers[name].Key.Configured() || preset.KeyEnv != "" && preset.KeyEnv != openAIKey && inEnv(lookupEnv, preset.KeyEnv)
	if general := name == "openai" && cfg.BaseURL.V == ""; own || general {
		return *e, nil
	}
	e.key = config.KeySource{}
	none := func(endpoint.Preset) bool { return false }
	files := *cfg
	files.Chosen = config.Value[string]{}
	if c, err := choose(&files, lookupEnv, none); err == nil && c.Endpoint != nil && c.Endpoint.ID() == e.ID() {
		e.key = c.Endpoint.key // it is configured for this one
	}
	return *e, nil
}

// openAIKey is the variable of OpenAI's key, which is that of base_url where one is set.
const openAIKey = "OPENAI_API_KEY"

// ChosenThere says whether the model that was chosen for the vault is to be had.
func ChosenThere(cfg *config.Config, lookupEnv func(string) (string, bool)) bool {
	_, ok := chooseChosen(cfg, lookupEnv)
	return ok
}

// chooseChosen is choose where a model was chosen for the vault; false: what was chosen is not to
// be had, and what is configured counts.
func chooseChosen(cfg *config.Config, lookupEnv func(string) (string, bool)) (choice, bool) {
	if cfg.Chosen.V == offlineName {
		return choice{Why: "the model, " + cfg.Chosen.Origin.String()}, true
	}
	e, ok := chosenEndpoint(cfg, cfg.Chosen.V, lookupEnv)
	return choice{Endpoint: &e}, ok
}

// ChosenGone says that a model that was chosen cannot be had.
func ChosenGone(model string) string {
	return fmt.Sprintf("the model that was chosen for this vault, %q, is not available", model)
}
