package doctor

import (
	"fmt"
	"strings"

	"chatvault/agent/llm/offline"
	"chatvault/internal/config"
	"chatvault/internal/session/home"
	"chatvault/internal/session/provider"
)

// checkBudget says where the bound on what a turn costs cannot hold, because nobody knows what the
// model costs.
func checkBudget(o Options, cfg *config.Config, file string) []finding {
	if cfg.BudgetUSD.V == 0 {
		return nil
	}
	limit := "$" + provider.Dollars(cfg.BudgetUSD.V) + " a turn"
	f := provider.NewFinder(cfg, "", o.LookupEnv, home.Discard())
	c, err := f.Choose()
	if err != nil || c.Endpoint == nil { // a model on this machine and the engine cost nothing
		return nil
	}
	names := []string{strings.TrimSuffix(c.Endpoint.Name+"/"+c.Endpoint.Model, "/")}
	names = append(names, cfg.Fallback.V...)
	if cfg.SubagentModel.V != "" {
		names = append(names, cfg.SubagentModel.V)
	}
	var unpriced []string
	for _, name := range names {
		if _, ok := provider.PriceOf(cfg, name); !ok && name != offline.Name {
			unpriced = append(unpriced, name)
		}
	}
	if len(unpriced) == 0 {
		return []finding{{area: "budget", text: limit + ", by the prices of " + strings.Join(names, ", "), bare: limit}}
	}
	return []finding{{
		area: "budget", text: fmt.Sprintf("budget_usd (%s) needs a price for %s", limit, strings.Join(unpriced, ", ")), bare: limit + ", and a price is not known", warn: true,
		why:  "What a call costs is worked out from it; without one the limit holds only where the provider itself says what a call cost.",
		todo: fmt.Sprintf("set its price in dollars per million tokens in %s:\n[prices.%q]\ninput = …\noutput = …", file, unpriced[0]),
	}}
}

// checkChosen says where the model that was chosen for the vault cannot answer any more.
func checkChosen(o Options, cfg *config.Config) []finding {
	if !cfg.ChosenCounts() {
		return nil
	}
	if provider.ChosenThere(cfg, o.LookupEnv) {
		return nil
	}
	return []finding{{
		area: "provider", text: provider.ChosenGone(cfg.Chosen.V), bare: "the chosen model is not there any more", warn: true,
		why:  "Its provider is unknown and is no longer configured; the configured one answers instead.",
		todo: "choose another with /model in the chat, or configure the provider again",
	}}
}
