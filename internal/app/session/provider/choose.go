// Package provider chooses, connects and lists the models that answer, by configuration, keys and the choice for a
// vault.
package provider

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"chatvault/agent/llm/endpoint"
	"chatvault/internal/app/config"
)

// Endpoint is a chosen endpoint.
type Endpoint struct {
	Name          string // shown before the model in the header
	BaseURL       string
	Model         string       // empty for the first one that the endpoint lists
	api           endpoint.API // as configured; empty for the default
	key           config.KeySource
	needsKey      bool
	Locked        bool // it is a local server that requires a key
	allowInsecure bool
	named         config.Provider // its configuration, for headers
	Why           string          // why it was chosen, for doctor
	unnamed       bool            // from base_url: models are configured without its name
}

// API returns the protocol of the endpoint's model.
func (e Endpoint) API() endpoint.API {
	return cmp.Or(e.api, endpoint.DefaultAPI(e.Name, e.BaseURL, e.Model))
}

// choice is what answers: an endpoint; with Probe, a local server or, if none is found, the embedded engine; else the
// engine.
type choice struct {
	Endpoint *Endpoint
	Probe    bool
	Model    string // of a local server; empty for its first one
	Why      string
}

const offlineName = "offline"

// choose decides which provider answers. The order is: the choice for the vault (/model), unless a flag or the
// environment sets a model; the configuration; the provider whose key is in the environment; the one whose typed key
// is stored; a local server; the engine. stored reports whether a typed key is stored for an endpoint.
func choose(cfg *config.Config, lookupEnv func(string) (string, bool), stored func(Endpoint) bool) (choice, error) {
	if cfg.ChosenCounts() {
		if c, ok := chooseChosen(cfg, lookupEnv); ok {
			return c, nil
		}
	}
	model := cfg.Model
	if model.Origin.Kind != config.VaultFile || model.V == offlineName {
		return chooseOwn(cfg, lookupEnv, stored)
	}
	own := *cfg // a vault's file sets the model but not the provider
	own.Model = cfg.OwnModel
	c, err := chooseOwn(&own, lookupEnv, stored)
	switch {
	case err != nil:
	case c.Endpoint != nil:
		c.Endpoint.Model = model.V
	case c.Probe:
		c.Model = model.V
	}
	return c, err
}

// chooseOwn is choose for a model that is not set by the vault's file.
func chooseOwn(cfg *config.Config, lookupEnv func(string) (string, bool), stored func(Endpoint) bool) (choice, error) {
	if cfg.Offline.V {
		return choice{Why: "offline, by " + cfg.Offline.Origin.String()}, nil
	}
	model := cfg.Model.V
	if model == offlineName {
		return choice{Why: "the model, by " + cfg.Model.Origin.String()}, nil
	}
	if name, rest, ok := splitModel(cfg, model); ok {
		return named(cfg, name, rest, "the model, by "+cfg.Model.Origin.String(), lookupEnv)
	}
	if cfg.BaseURL.V != "" {
		e := baseEndpoint(cfg)
		return choice{Endpoint: &e}, nil
	}
	names := configured(cfg)
	if len(names) == 1 || len(names) > 0 && model == "" {
		return named(cfg, names[0], model, "providers."+names[0]+", by "+cfg.Providers[names[0]].Origin.String(), lookupEnv)
	}
	if owner := endpoint.Family(model); owner != "" && !cfg.APIKey.Configured() {
		// If its key is missing, the first call requests it or fails.
		return named(cfg, owner, model, "the model, by "+cfg.Model.Origin.String(), lookupEnv)
	}
	slashed := strings.Contains(model, "/")
	if name, why := keyHolder(cfg, lookupEnv, stored, slashed); name != "" {
		return named(cfg, name, model, why, lookupEnv)
	}
	if slashed {
		owner, _, _ := strings.Cut(model, "/")
		known := strings.Join(slices.Concat(names, endpoint.PresetNames()), ", ")
		return choice{}, Unusable("there is no provider %q, which the model %q names (%s): known are %s; configure it as [providers.%s] with its base_url, or write the name of a known one before the model's, as lmstudio/%s", owner, model, cfg.Model.Origin, known, owner, model)
	}
	if len(names) > 1 {
		return choice{}, Unusable("the model %q (%s) names no provider; write it as provider/model, with one of %s", model, cfg.Model.Origin, strings.Join(names, ", "))
	}
	return choice{Probe: true, Model: model, Why: "nothing is configured and no key is in the environment"}, nil
}

// named returns the choice of a provider by its name. An empty model means the provider's default.
func named(cfg *config.Config, name, model, why string, lookupEnv func(string) (string, bool)) (choice, error) {
	e, err := namedEndpoint(cfg, name, lookupEnv)
	if err != nil {
		return choice{}, err
	}
	e.Model, e.Why = cmp.Or(model, e.Model), why
	return choice{Endpoint: e}, nil
}

// baseEndpoint returns the endpoint of base_url.
func baseEndpoint(cfg *config.Config) Endpoint {
	return Endpoint{
		Name: hostName(cfg.BaseURL.V), BaseURL: cfg.BaseURL.V, Model: cfg.Model.V, key: cfg.APIKey, unnamed: true,
		allowInsecure: cfg.AllowInsecure.V, Why: "base_url, by " + cfg.BaseURL.Origin.String(),
	}
}

// splitModel splits "provider/model" if the first part names a configured provider or, without base_url, a preset.
// "provider" alone means its default model.
func splitModel(cfg *config.Config, text string) (name, model string, ok bool) {
	name, model, _ = strings.Cut(text, "/")
	if _, ok := cfg.Providers[name]; ok && name != "" {
		return name, model, true
	}
	if _, ok := endpoint.FindPreset(name); ok && cfg.BaseURL.V == "" {
		return name, model, true
	}
	return "", text, false
}

// configured returns the names of the usable configured providers.
func configured(cfg *config.Config) []string {
	var names []string
	for name, p := range cfg.Providers {
		if p.BaseURL != "" || p.Model != "" || p.Key.Configured() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// keyHolder returns the provider whose key is available, and where the key is from. With slashed, it considers only
// providers whose model names have slashes.
func keyHolder(cfg *config.Config, lookupEnv func(string) (string, bool), stored func(Endpoint) bool, slashed bool) (name, why string) {
	if cfg.APIKey.Configured() && !slashed {
		return "openai", "a key, by " + cfg.APIKey.Origin.String()
	}
	for _, p := range endpoint.Presets {
		if p.KeyEnv == "" || slashed && !p.Slashed {
			continue
		}
		if inEnv(lookupEnv, p.KeyEnv) {
			return p.Name, "the key in the environment, " + p.KeyEnv
		}
	}
	for _, p := range endpoint.Presets {
		if slashed && !p.Slashed {
			continue
		}
		if e, err := namedEndpoint(cfg, p.Name, lookupEnv); err == nil && stored(*e) {
			return p.Name, "the key that was typed"
		}
	}
	return "", ""
}

// namedEndpoint returns the endpoint of a configured provider, completed by the preset of its name.
func namedEndpoint(cfg *config.Config, name string, lookupEnv func(string) (string, bool)) (*Endpoint, error) {
	p, known := cfg.Providers[name]
	preset, isPreset := endpoint.FindPreset(name)
	for _, local := range LocalPresets(lookupEnv) {
		if local.Name == preset.Name {
			preset = local
		}
	}
	e := &Endpoint{
		Name: name, BaseURL: cmp.Or(p.BaseURL, preset.BaseURL), Model: cmp.Or(p.Model, preset.Model), api: endpoint.API(p.API),
		needsKey: preset.NeedsKey, allowInsecure: cfg.AllowInsecure.V || p.AllowInsecure, named: p,
	}
	if e.BaseURL == "" {
		if known && !isPreset {
			return nil, Unusable("providers.%s has no base_url, and there is no preset of that name; add base_url = \"https://…/v1\" to it", name)
		}
		return nil, Unusable("there is no provider %q", name)
	}
	switch {
	case p.Key.Configured():
		e.key = p.Key
	case preset.KeyEnv != "" && inEnv(lookupEnv, preset.KeyEnv):
		e.key = config.EnvKey(preset.KeyEnv, config.Origin{Kind: config.Environment, Name: preset.KeyEnv})
	case name == "openai" || cfg.APIKey.Origin.Kind != config.Environment:
		e.key = cfg.APIKey // the one of the environment is only for OpenAI
	}
	return e, nil
}

// LocalPresets returns the local servers with their addresses, which a variable can change.
func LocalPresets(lookupEnv func(string) (string, bool)) []endpoint.Preset {
	list, _ := lookupEnv("CHATVAULT_LOCAL_SERVERS")
	return endpoint.LocalPresets(list)
}

func inEnv(lookupEnv func(string) (string, bool), name string) bool {
	v, ok := lookupEnv(name)
	return ok && strings.TrimSpace(v) != ""
}

func hostName(baseURL string) string {
	if p, ok := endpoint.AtHost(baseURL); ok {
		return p.Name
	}
	u, err := url.Parse(baseURL)
	if err != nil || u.Host == "" {
		return "custom"
	}
	return u.Host
}

// unchosen returns a configuration without the choice for the vault.
func unchosen(cfg *config.Config) *config.Config {
	files := *cfg
	files.Chosen = config.Value[string]{}
	return &files
}

// chosenEndpoint returns the endpoint of a model chosen on the screen: "provider/model", where the provider is the
// host of base_url, a configured one or a preset. Unlike a model in a file, it always names the provider. ok is false
// for an unknown provider.
func chosenEndpoint(cfg *config.Config, chosen string, lookupEnv func(string) (string, bool)) (Endpoint, bool) {
	name, model, _ := strings.Cut(chosen, "/")
	e, err := ownEndpoint(cfg, name, lookupEnv)
	if err != nil {
		return Endpoint{}, false
	}
	e.Model, e.Why = cmp.Or(model, e.Model), "the model, "+config.Origin{Kind: config.Chosen}.String()
	return e, true
}

// ownEndpoint returns the endpoint of base_url by its name, or a provider's with its own key or none: a key configured
// for any endpoint is not sent to each.
func ownEndpoint(cfg *config.Config, name string, lookupEnv func(string) (string, bool)) (Endpoint, error) {
	if e := baseEndpoint(cfg); cfg.BaseURL.V != "" && e.Name == name {
		return e, nil
	}
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
	none := func(Endpoint) bool { return false }
	if c, err := choose(unchosen(cfg), lookupEnv, none); err == nil && c.Endpoint != nil && c.Endpoint.ID() == e.ID() {
		e.key = c.Endpoint.key // it is configured for this endpoint
	}
	return *e, nil
}

// openAIKey is the variable of OpenAI's key, which is used for base_url if that is set.
const openAIKey = "OPENAI_API_KEY"

// chooseChosen is choose for a vault with a chosen model. ok is false if that is not available.
func chooseChosen(cfg *config.Config, lookupEnv func(string) (string, bool)) (choice, bool) {
	if cfg.Chosen.V == offlineName {
		return choice{Why: "the model, " + cfg.Chosen.Origin.String()}, true
	}
	e, ok := chosenEndpoint(cfg, cfg.Chosen.V, lookupEnv)
	return choice{Endpoint: &e}, ok
}

// ChosenGone returns a message if the model chosen for the vault counts and is not available, or "".
func ChosenGone(cfg *config.Config, lookupEnv func(string) (string, bool)) string {
	if _, there := chooseChosen(cfg, lookupEnv); there || !cfg.ChosenCounts() {
		return ""
	}
	return fmt.Sprintf("The model that was chosen for this vault, %q, is not available", cfg.Chosen.V)
}
