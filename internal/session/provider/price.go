package provider

import (
	"strings"

	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/models"
	"chatvault/agent/spend"
	"chatvault/internal/config"
)

// PriceOf is the price of a model, by provider/model: the one that is configured, for that or for the model
// alone, else the one that is known.
func PriceOf(cfg *config.Config, name string) (spend.Price, bool) {
	if p, ok := configuredPrice(cfg, name); ok {
		return p, true
	}
	m, ok := known(cfg, name)
	if !ok || !m.Priced() {
		return spend.Price{}, false
	}
	return spend.Price{Input: m.Input, CachedInput: m.CacheRead, CacheWrite: m.CacheWrite, Output: m.Output}, true
}

func configuredPrice(cfg *config.Config, name string) (spend.Price, bool) {
	p, ok := cfg.Prices[name]
	if !ok {
		_, model, _ := strings.Cut(name, "/")
		p, ok = cfg.Prices[model]
	}
	return spend.Price{Input: p.Input, CachedInput: p.CachedInput, CacheWrite: p.CacheWrite, Output: p.Output}, ok
}

// known is what is known of a model, by provider/model.
func known(cfg *config.Config, name string) (models.Model, bool) {
	provider, model, _ := strings.Cut(name, "/")
	base := cfg.Providers[provider].BaseURL
	if base == "" {
		preset, _ := endpoint.FindPreset(provider)
		base = preset.BaseURL
	}
	if base == "" {
		base = "https://" + provider // base_url is called by its host
	}
	return models.Find(provider, base, model)
}
