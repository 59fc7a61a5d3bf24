package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/text"
)

// choice returns a model of an endpoint with its known details.
func (m *Models) choice(e Endpoint, model endpoint.Model, here string) ModelChoice {
	e.Model = model.ID
	c := ModelChoice{Name: e.Name + "/" + model.ID}
	c.Here = c.Name == here
	var about []string
	entry, _ := known(m.cfg, c.Name)
	if model.Window = cmp.Or(model.Window, entry.Window); model.Window > 0 {
		about = append(about, text.Thousands(model.Window)+" tokens")
	}
	if p, _ := PriceOf(m.cfg, c.Name); p.Input > 0 || p.Output > 0 {
		about = append(about, fmt.Sprintf("$%s in, $%s out", Dollars(p.Input), Dollars(p.Output)))
	}
	c.About = strings.Join(about, " · ")
	return c
}

// Dollars formats an amount without trailing zeros.
func Dollars(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// List requests the models of a source.
func (m *Models) List(ctx context.Context, id string) ([]ModelChoice, error) {
	if id == localID {
		return m.listLocal(ctx)
	}
	e, err := ownEndpoint(m.cfg, id, m.lookupEnv)
	if err != nil {
		return nil, errors.New("it is no longer configured")
	}
	return m.ask(ctx, e)
}

// ask requests the models of an endpoint.
func (m *Models) ask(ctx context.Context, e Endpoint) ([]ModelChoice, error) {
	p, err := m.Lister(ctx, e)
	if err != nil {
		return nil, errors.New(llm.Words(err))
	}
	list, err := p.ListModels(ctx)
	if err != nil {
		return nil, errors.New(llm.Words(err))
	}
	here := m.next().Name()
	var out []ModelChoice
	for _, model := range chatting(list) {
		out = append(out, m.choice(e, model, here))
	}
	if len(out) == 0 {
		return nil, errors.New("it lists no model to chat with")
	}
	return out, nil
}

// chatting returns the models that can chat.
func chatting(list []endpoint.Model) []endpoint.Model {
	return slices.DeleteFunc(slices.Clone(list), func(m endpoint.Model) bool { return !m.Chats() })
}

// listLocal requests the models of the servers on this machine that are not configured.
func (m *Models) listLocal(ctx context.Context) ([]ModelChoice, error) {
	presets := LocalPresets(m.lookupEnv)
	lists := make([][]ModelChoice, len(presets))
	var all sync.WaitGroup
	for i, p := range presets {
		e, err := ownEndpoint(m.cfg, p.Name, m.lookupEnv)
		if _, configured := m.cfg.Providers[p.Name]; configured || err != nil {
			continue
		}
		routine.Join(&all, "list of models", func() {
			lists[i], _ = m.ask(ctx, e) // most of them do not run
		})
	}
	all.Wait()
	out := slices.Concat(lists...)
	if len(out) == 0 {
		return nil, errors.New("no server answers")
	}
	return out, nil
}

// Missing returns a message if a list of models lacks a model, or "" if it has it or is empty.
func Missing(provider, model string, list []endpoint.Model) string {
	if len(list) == 0 || slices.ContainsFunc(list, func(m endpoint.Model) bool { return m.ID == model || m.ID == model+":latest" }) { // Ollama's default
		return ""
	}
	has := ""
	if chats := chatting(list); len(chats) > 0 {
		const most = 5
		has = " It lists " + text.First(text.Of(chats, func(m endpoint.Model) string { return m.ID }), most) + "."
	}
	return fmt.Sprintf("%s does not list the model %q, so a call to it will likely fail.%s", provider, model, has)
}
