package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/offline"
	"chatvault/internal/config"
	"chatvault/internal/loopback"
	"chatvault/internal/session/home"
	"chatvault/internal/session/provider"
	"chatvault/internal/text"
)

// checkProvider finds out who answers, and whether it does.
func checkProvider(o Options, cfg *config.Config, file string) []finding {
	f := provider.NewFinder(cfg, "", o.LookupEnv, home.Discard())
	c, err := f.Choose()
	if err != nil {
		return []finding{{area: "provider", text: text.FirstLine(err.Error()), todo: "fix model or providers in " + file}}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	switch {
	case c.Endpoint != nil:
		return append([]finding{reach(ctx, f, cfg, *c.Endpoint, file)}, checkStoredKeys(o, cfg)...)
	case c.Probe:
		if p := f.Local(ctx, c.Model); p != nil {
			return []finding{localServer(ctx, cfg, p, file)}
		}
		if c.Model != "" {
			return []finding{{
				area: "provider", text: fmt.Sprintf("the model %q was asked for (%s), but %s, and no local server answers on 11434, 1234, 8080", c.Model, cfg.Model.Origin, c.Why),
				bare: "the model that was asked for has no provider",
				todo: "set the key of its provider, name it as provider/model, or configure it under [providers] in " + file,
			}}
		}
		return []finding{{
			area: "provider", text: "offline engine (" + c.Why + "; no local server answers on 11434, 1234, 8080)", bare: "offline engine; no local server answers",
			why:  "Not a language model. It searches, quotes and changes notes by fixed rules and needs no network.",
			todo: "for a language model: set OPENAI_API_KEY or another provider's key, start Ollama, or choose /model in the chat, which takes a key", warn: true,
		}}
	default:
		return []finding{{area: "provider", text: "offline engine (" + c.Why + ")", bare: "offline engine"}}
	}
}

// reach asks an endpoint for its models: the cheapest request that needs the key.
func reach(ctx context.Context, f provider.Finder, cfg *config.Config, e provider.Endpoint, file string) finding {
	name := e.Name + "/" + e.Model
	p, err := f.Lister(ctx, e)
	if err == nil {
		var models []endpoint.Model
		if models, err = p.ListModels(ctx); err == nil {
			text := fmt.Sprintf("%s at %s answers (%s); calls go over the %s", strings.TrimSuffix(name, "/"), e.BaseURL, e.Why, e.API().Title())
			w := serverWindow(ctx, p, models, e.Model)
			if w == (endpoint.ServerWindow{}) {
				text += windowText(cfg, models, e.Model, p.Window())
			}
			if e.Model != "" && len(models) > 0 && !provider.Contains(models, e.Model) {
				return finding{
					area: "provider", text: text, bare: "it answers, and does not list the model", warn: true,
					why:  fmt.Sprintf("It does not list the model %q, so a call to it will likely fail.", e.Model),
					todo: "choose one it has, with --model, model in " + file + " or /model; it lists " + provider.Some(models, 5),
				}
			}
			return withWindow(cfg, finding{area: "provider", text: text, bare: "it answers"}, e.Name, w, file)
		}
	}
	failed := llm.AsError(err)
	why := cmp.Or(failed.Message, failed.Error())
	return finding{
		area: "provider", text: fmt.Sprintf("%s at %s does not answer as it should (%s)", strings.TrimSuffix(name, "/"), e.BaseURL, e.Why),
		bare: strings.TrimSuffix(fmt.Sprintf("it does not answer as it should: %s %s (HTTP %d)", failed.Kind, failed.Reason, failed.Status), " (HTTP 0)"),
		why:  text.FirstLine(why), todo: advice(failed, e, file),
	}
}

// windowText says how many tokens a model takes in one call, where that is known: known is what
// is known of it beside the list.
func windowText(cfg *config.Config, models []endpoint.Model, name string, known int) string {
	if n := cfg.ContextWindow.V; n > 0 {
		return fmt.Sprintf("; its window is %s tokens (context_window)", text.Thousands(n))
	}
	if name == "" {
		name, _ = endpoint.PickModel(models)
	}
	if m, ok := provider.Listed(models, name); ok && m.Window > 0 {
		known = m.Window
	}
	if known == 0 {
		return ""
	}
	return fmt.Sprintf("; its window is %s tokens", text.Thousands(known))
}

// advice is what to do so that an endpoint answers. Unlike llm.UserText it speaks of no
// message: none was sent.
func advice(err *llm.Error, e provider.Endpoint, file string) string {
	const again = ";\nthen run chatvault doctor again"
	switch err.Reason {
	case llm.ReasonQuota:
		return "add credit or raise the limit at the provider, or choose another provider"
	case llm.ReasonModelNotFound, llm.ReasonNoModel:
		return "choose a model the provider has, with --model or model in " + file
	case llm.ReasonCertificate:
		return "check base_url, the clock of this machine and its certificates; a proxy may be in between"
	case llm.ReasonDenied:
		return "check with the provider what this key is allowed to do, or choose another model"
	case llm.ReasonProxy:
		return "check the proxy in HTTPS_PROXY, and what it wants as name and password"
	case llm.ReasonNotAnAPI:
		return "check base_url (most end in /v1), and whether a proxy or a login page is in between"
	}
	switch err.Kind {
	case llm.KindAuth:
		name, place := e.KeyPlace()
		if place != "" {
			return "type another with /model in the chat, or fix " + place
		}
		if name != "" {
			return "type it with /model in the chat, or set it in " + name + ",\nor say where it is with api_key_env or api_key_command in " + file
		}
		return "type the key with /model in the chat,\nor say where it is with api_key_env or api_key_command in " + file
	case llm.KindRateLimit:
		return "it is reachable but busy: wait a minute" + again
	case llm.KindInvalidRequest:
		if _, flag, ok := strings.Cut(e.Why, "by flag "); ok {
			return "fix what is given with the flag " + flag
		}
		return "fix the settings of this provider in " + file
	}
	if err.Status != 0 {
		return "the provider has a problem: wait a minute" + again
	}
	return "check base_url, and that the server runs and this machine is connected" + again
}

// checkStoredKeys says which keys that were typed are in use.
func checkStoredKeys(o Options, cfg *config.Config) []finding {
	list, err := provider.NewKeys("", o.LookupEnv).Entries()
	if err != nil {
		return []finding{{area: "stored keys", text: err.Error(), todo: "fix the file, or move it away: keys are asked for again", warn: true}}
	}
	var out []finding
	for _, e := range list {
		out = append(out, finding{area: "stored key", text: fmt.Sprintf("of %s, in %s: %s", e.Provider, e.Where, provider.Standing(o.LookupEnv, cfg, e)), bare: "1 is kept"})
	}
	return out
}

// roomyWindow is the window in tokens below which doctor says that it is small: what the model is told
// before anything is said takes some 4,000.
const roomyWindow = 8192

// localServer is the finding of a server that was found on this computer.
func localServer(ctx context.Context, cfg *config.Config, p llm.Provider, file string) finding {
	found := finding{area: "provider", text: p.Name() + " (a local server that answers)", bare: "a local server answers"}
	asked, ok := p.(serverAsker)
	if !ok {
		return found
	}
	return withWindow(cfg, found, p.Name(), asked.ServerWindow(ctx, asked.Model()), file)
}

// serverAsker can ask a server how much a model takes.
type serverAsker interface {
	Model() string
	BaseURL() string
	ServerWindow(ctx context.Context, model string) endpoint.ServerWindow
}

// serverWindow is what a server that was reached says of the window of a model, empty: of the first it
// lists: where it can be asked, or, of one on this computer, in its list.
func serverWindow(ctx context.Context, p serverAsker, models []endpoint.Model, model string) endpoint.ServerWindow {
	if model == "" {
		model, _ = endpoint.PickModel(models)
	}
	w := p.ServerWindow(ctx, model)
	u, err := url.Parse(p.BaseURL())
	if m, ok := provider.Listed(models, model); ok && err == nil && loopback.Host(u.Hostname()) && w == (endpoint.ServerWindow{}) {
		w.Runs = m.Window // vLLM's max_model_len
	}
	return w
}

// withWindow adds to the finding of a server what it says of its model's window, and what to do where
// that is small, or less than is sent.
func withWindow(cfg *config.Config, found finding, server string, w endpoint.ServerWindow, file string) finding {
	said := cfg.ContextWindow.V
	switch {
	case w.Runs > 0:
		found.text += fmt.Sprintf("; its window is %s tokens", text.Thousands(w.Runs))
		if w.Most > w.Runs {
			found.text += fmt.Sprintf(" of the %s that the model can take", text.Thousands(w.Most))
		}
	case w.Most > 0:
		found.text += fmt.Sprintf("; the model can take %s tokens, and the server says only as it runs how many it gives it", text.Thousands(w.Most))
	}
	if said > 0 && w != (endpoint.ServerWindow{}) {
		found.text += fmt.Sprintf("; context_window says %s", text.Thousands(said))
	}
	switch {
	case w.Runs > 0 && said > w.Runs:
		found.warn = true
		found.why = "More is sent than the server has room for, and it may silently drop some."
		found.todo = fmt.Sprintf("set context_window to at most %d in %s, or %s", w.Runs, file, llm.Widen(server))
	case w.Runs > 0 && w.Runs < roomyWindow:
		found.warn = true
		found.why = "That leaves little room for your notes beside what the model is told, and a server may silently drop what does not fit."
		found.todo = llm.Widen(server)
	}
	return found
}

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
	unpriced := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, priced := provider.PriceOf(cfg, name)
		return priced || name == offline.Name
	})
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
