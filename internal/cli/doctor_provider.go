package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/openai"
	"chatvault/internal/config"
	"chatvault/internal/session/home"
)

// checkProvider finds out who answers, and whether it does.
func checkProvider(s Streams, cfg *config.Config, file string) []finding {
	f := newFinder(cfg, "", s.LookupEnv, home.Discard())
	c, err := f.choose()
	if err != nil {
		return []finding{{area: "provider", text: firstLine(err.Error()), todo: "mend model or providers in " + file}}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	switch {
	case c.endpoint != nil:
		return append([]finding{reach(ctx, f, *c.endpoint, file)}, checkStoredKeys(s, cfg)...)
	case c.probe:
		if p := f.local(ctx, c.model); p != nil {
			return []finding{localServer(ctx, f.cfg, p, file)}
		}
		if c.model != "" {
			return []finding{{
				area: "provider", text: fmt.Sprintf("the model %q was asked for (%s), but %s, and no local server answers on 11434, 1234, 8080", c.model, cfg.Model.Origin, c.why),
				todo: "set the key of its provider, name it as provider/model, or configure it under [providers] in " + file,
			}}
		}
		return []finding{{
			area: "provider", text: "offline engine (" + c.why + "; no local server answers on 11434, 1234, 8080)",
			why:  "It searches, quotes and changes notes by rule and needs no network; it is no language model.",
			todo: "for a language model: set OPENAI_API_KEY or another provider's key, start Ollama, or choose /model in the chat, which takes a key", warn: true,
		}}
	default:
		return []finding{{area: "provider", text: "offline engine (" + c.why + ")"}}
	}
}

// reach asks an endpoint for its models: the cheapest request that needs the key.
func reach(ctx context.Context, f finder, e endpoint, file string) finding {
	name := e.name + "/" + e.model
	p, err := f.lister(ctx, e)
	if err == nil {
		var models []openai.Model
		if models, err = p.ListModels(ctx); err == nil {
			text := fmt.Sprintf("%s at %s answers (%s)", strings.TrimSuffix(name, "/"), e.baseURL, e.why)
			w := serverWindow(ctx, p, models, e.model)
			if w == (openai.ServerWindow{}) {
				text += windowText(f.cfg, models, e.model, p.Window())
			}
			if e.model != "" && len(models) > 0 && !contains(models, e.model) {
				return finding{
					area: "provider", text: text, warn: true,
					why:  fmt.Sprintf("It does not list the model %q, so a call of that likely fails.", e.model),
					todo: "choose one it has, with --model, model in " + file + " or /model; it lists " + some(models, 5),
				}
			}
			return withWindow(f.cfg, finding{area: "provider", text: text}, e.name, w, file)
		}
	}
	failed := llm.AsError(err)
	why := failed.Message
	if why == "" {
		why = failed.Error()
	}
	return finding{
		area: "provider", text: fmt.Sprintf("%s at %s does not answer as it should (%s)", strings.TrimSuffix(name, "/"), e.baseURL, e.why),
		why: firstLine(why), todo: advice(failed, e, file),
	}
}

// windowText says how many tokens a model takes in one call, where that is known: known is what
// is known of it beside the list.
func windowText(cfg *config.Config, models []openai.Model, name string, known int) string {
	if n := cfg.ContextWindow.V; n > 0 {
		return fmt.Sprintf("; its window is %s tokens (context_window)", grouped(n))
	}
	if name == "" {
		name, _ = openai.PickModel(models)
	}
	if m, ok := listed(models, name); ok && m.Window > 0 {
		known = m.Window
	}
	if known == 0 {
		return ""
	}
	return fmt.Sprintf("; its window is %s tokens", grouped(known))
}

// advice is what to do so that an endpoint answers. Unlike llm.UserText it speaks of no
// message: none was sent.
func advice(err *llm.Error, e endpoint, file string) string {
	const again = ";\nthen run chatvault doctor again"
	switch err.Reason {
	case llm.ReasonQuota:
		return "add credit or raise the limit at the provider, or choose another provider"
	case llm.ReasonModelNotFound, llm.ReasonNoModel:
		return "choose a model the provider has, with --model or model in " + file
	case llm.ReasonCertificate:
		return "check base_url, the clock of this machine and its certificates; a proxy may be in between"
	case llm.ReasonDenied:
		return "see at the provider what this key may do, or choose another model"
	case llm.ReasonProxy:
		return "check the proxy in HTTPS_PROXY, and what it wants as name and password"
	case llm.ReasonNotAnAPI:
		return "check base_url (most end in /v1), and whether a proxy or a login page is in between"
	}
	switch err.Kind {
	case llm.KindAuth:
		name, place := e.keyPlace()
		if place != "" {
			return "type another with /model in the chat, or mend " + place
		}
		if name != "" {
			return "type it with /model in the chat, or set it in " + name + ",\nor say where it is with api_key_env or api_key_command in " + file
		}
		return "type the key with /model in the chat,\nor say where it is with api_key_env or api_key_command in " + file
	case llm.KindRateLimit:
		return "it is reached and busy: wait a minute" + again
	case llm.KindInvalidRequest:
		if _, flag, ok := strings.Cut(e.why, "by flag "); ok {
			return "mend what is given with the flag " + flag
		}
		return "mend the settings of this provider in " + file
	}
	if err.Status != 0 {
		return "the provider has a fault: wait a minute" + again
	}
	return "check base_url, and that the server runs and this machine is connected" + again
}

func contains(list []openai.Model, s string) bool {
	_, ok := listed(list, s)
	return ok
}

// listed finds a model by its name.
func listed(list []openai.Model, name string) (openai.Model, bool) {
	for _, m := range list {
		if m.ID == name || strings.TrimPrefix(m.ID, "models/") == name {
			return m, true
		}
	}
	return openai.Model{}, false
}

func some(list []openai.Model, n int) string {
	var ids []string
	for _, m := range list[:min(n, len(list))] {
		ids = append(ids, m.ID)
	}
	text := strings.Join(ids, ", ")
	if more := len(list) - len(ids); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
