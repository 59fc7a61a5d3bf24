package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session/home"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/text"
)

// checkProvider checks which provider is used and whether it responds.
func checkProvider(o Options, cfg *config.Config, file string) findings {
	const area = "provider"
	f := provider.NewFinder(cfg, o.LookupEnv, home.Discard())
	c, err := f.Choose()
	switch {
	case err != nil:
		return fail(area, "fix model or providers in "+file, "%s", err)
	case c.Endpoint != nil:
		return checkEndpoint(f, cfg, *c.Endpoint, file)
	case !c.Probe:
		return ok(area, "offline engine (%s)", c.Why)
	}
	ctx, cancel := context.WithTimeout(context.Background(), listBound)
	defer cancel()
	if servers := f.Local(ctx, c); len(servers) > 0 {
		return checkServers(f, servers, cfg, file)
	}
	looked := strings.Join(text.Of(provider.LocalPresets(o.LookupEnv), endpoint.Preset.Address), ", ")
	silent := "no local server answers: " + cmp.Or(looked, "CHATVAULT_LOCAL_SERVERS names none")
	if c.Model != "" {
		return fail(area, "set the key of its provider, name it as provider/model, or configure it under [providers] in "+file,
			"the model %q was asked for (%s), but %s, and %s", c.Model, cfg.Model.Origin, c.Why, silent)
	}
	const todo = "for a language model: start a local server, set OPENAI_API_KEY or another provider's key, or choose /model in the chat, which takes a key"
	return note(area, todo, "offline engine (%s; %s)\nNot a language model. It searches, quotes and changes notes by fixed rules and needs no network.", c.Why, silent)
}

// checkServers checks the servers that answer on this machine. The first is used.
func checkServers(f provider.Finder, servers []provider.Endpoint, cfg *config.Config, file string) (out findings) {
	const area = "provider"
	for i, e := range servers {
		switch {
		case e.Locked:
			todo := fmt.Sprintf("say where it is, below [providers.%q] with api_key_env or api_key_command, in %s", e.Name, file)
			out = append(out, note(area, todo, "%s at %s wants a key", e.Name, e.BaseURL)...)
		case e.Model == "":
			out = append(out, note(area, "load a model in it (in Ollama: ollama pull NAME)", "%s at %s has no model to chat with", e.Name, e.BaseURL)...)
		case i == 0:
			out = checkEndpoint(f, cfg, e, file)
		default:
			out = append(out, ok(area, "%s/%s at %s answers too; /model chooses it", e.Name, e.Model, e.BaseURL)...)
		}
	}
	return out
}

// server is a provider at an endpoint that can list its models.
type server interface {
	llm.Provider
	Model() string
	Window() int
	ListModels(ctx context.Context) ([]endpoint.Model, error)
	Facts(ctx context.Context) endpoint.Facts
	Server() string
	Local() bool
}

// listBound is the timeout for listing models.
const listBound = 10 * time.Second

// checkEndpoint lists an endpoint's models, the cheapest request that needs the key, and tests a local model.
func checkEndpoint(f provider.Finder, cfg *config.Config, e provider.Endpoint, file string) findings {
	ctx, cancel := context.WithTimeout(context.Background(), listBound)
	defer cancel()
	var listed []endpoint.Model
	p, err := f.Connect(ctx, e)
	s, _ := p.(server)
	if err == nil {
		listed, err = s.ListModels(ctx)
	}
	if err != nil {
		return fail("provider", advice(llm.AsError(err), e, file), "%s at %s does not answer as it should (%s)\n%s",
			strings.TrimSuffix(e.Name+"/"+e.Model, "/"), e.BaseURL, e.Why, reason(err))
	}
	out := ok("provider", "%s at %s answers (%s); calls go over the %s", s.Name(), e.BaseURL, e.Why, e.API().Title())
	facts := s.Facts(ctx)
	missing := provider.Missing(e.Name, s.Model(), listed)
	if missing != "" {
		out[0].text += "\n" + missing
		out[0].todo, out[0].warn = "choose one it has, with --model, model in "+file+" or /model", true
	} else if s.Local() {
		return append(out, checkLocal(cfg, s, e, file)...)
	}
	facts.Window = cmp.Or(facts.Window, s.Window())
	model, _ := checkModel(cfg, s, facts, file)
	return append(out, model)
}

// reason returns the cause of a failed call, on one line.
func reason(err error) string { return text.FirstLine(llm.Words(llm.AsError(err))) }

// advice suggests how to make an endpoint work. Unlike llm.UserText it does not mention a message: none was sent.
func advice(err *llm.Error, e provider.Endpoint, file string) string {
	const again = ";\nthen run chatvault doctor again"
	if how := llm.Remedy(err); how != "" {
		return how + again
	}
	switch {
	case err.Kind == llm.KindAuth:
		return "type it with /model in the chat, or " + e.SetKey(file)
	case err.Kind == llm.KindRateLimit:
		return "it is reachable but busy: wait a minute" + again
	case err.Kind == llm.KindInvalidRequest:
		return "fix the settings of this provider, where its line says that they come from"
	case err.Status != 0:
		return "the provider has a problem: wait a minute" + again
	}
	return "check base_url, and that the server runs and this machine is connected" + again
}
