package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/models"
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
	if err != nil {
		return fail(area, "fix model or providers in "+file, "%s", err)
	}
	switch {
	case c.Endpoint != nil:
		return append(checkEndpoint(f, cfg, *c.Endpoint, file), checkStoredKeys(o)...)
	case c.Probe:
		ctx, cancel := context.WithTimeout(context.Background(), listBound)
		defer cancel()
		var out findings
		for i, e := range f.Local(ctx, c) {
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
		if len(out) > 0 {
			return out
		}
		looked := strings.Join(text.Of(provider.LocalPresets(o.LookupEnv), endpoint.Preset.Address), ", ")
		silent := "no local server answers: " + cmp.Or(looked, "CHATVAULT_LOCAL_SERVERS names none")
		if c.Model != "" {
			return fail(area, "set the key of its provider, name it as provider/model, or configure it under [providers] in "+file,
				"the model %q was asked for (%s), but %s, and %s", c.Model, cfg.Model.Origin, c.Why, silent)
		}
		const todo = "for a language model: start a local server, set OPENAI_API_KEY or another provider's key, or choose /model in the chat, which takes a key"
		return note(area, todo, "offline engine (%s; %s)", c.Why, silent).
			because("Not a language model. It searches, quotes and changes notes by fixed rules and needs no network.")
	default:
		return ok(area, "offline engine (%s)", c.Why)
	}
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
		failed := llm.AsError(err)
		out := fail("provider", advice(failed, e, file), "%s at %s does not answer as it should (%s)",
			strings.TrimSuffix(e.Name+"/"+e.Model, "/"), e.BaseURL, e.Why)
		out[0].err = failed
		return out
	}
	const answers = "%s at %s answers (%s); calls go over the %s"
	about := []any{known(e, s.Name()), e.BaseURL, e.Why, words(e.API().Title())}
	facts := s.Facts(ctx)
	missing := provider.Missing(e.Name, s.Model(), listed)
	if s.Local() && missing == "" {
		return append(ok("provider", answers, about...), checkLocal(cfg, s, e, file)...)
	}
	facts.Window = cmp.Or(facts.Window, s.Window())
	model, _ := checkModel(cfg, s, facts, file)
	if missing != "" {
		return append(note("provider", "choose one it has, with --model, model in "+file+" or /model", answers, about...).because(missing), model)
	}
	return append(ok("provider", answers, about...), model)
}

// known returns a name as words if it is of a public model.
func known(e provider.Endpoint, name string) any {
	if _, ok := models.Find(e.Name, e.BaseURL, e.Model); ok {
		return words(name)
	}
	return name
}

// advice suggests how to make an endpoint work. Unlike llm.UserText it does not mention a message: none was sent.
func advice(err *llm.Error, e provider.Endpoint, file string) string {
	const again = ";\nthen run chatvault doctor again"
	if how := llm.Remedy(err); how != "" {
		return how + again
	}
	switch err.Kind {
	case llm.KindAuth:
		return "type it with /model in the chat, or " + e.SetKey(file)
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

// checkStoredKeys reports a list of stored keys that cannot be read.
func checkStoredKeys(o Options) findings {
	if _, err := provider.NewKeys(o.LookupEnv).Entries(); err != nil {
		return note("stored keys", "fix the file, or move it away: keys are asked for again", "%s", err)
	}
	return nil
}
