package provider

import (
	"strings"

	"chatvault/internal/config"
)

// PriceOf is the configured price of a model, by provider/model or by the model alone.
func PriceOf(cfg *config.Config, provider string) (config.Price, bool) {
	p, ok := cfg.Prices[provider]
	if !ok {
		_, model, _ := strings.Cut(provider, "/")
		p, ok = cfg.Prices[model]
	}
	return p, ok
}
