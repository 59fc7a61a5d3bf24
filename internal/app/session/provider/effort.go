package provider

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/llm/dialect"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/models"
	"chatvault/internal/app/config"
	"chatvault/internal/base/text"
)

// chosenEffort is the level chosen for a model with /effort; empty for none.
type chosenEffort struct {
	Model  string `json:"model"` // provider/model
	Effort string `json:"effort"`
}

func (c chosenEffort) same(o chosenEffort) bool { return c.Model == o.Model }

var chosenEfforts = config.StateList[chosenEffort]{File: "efforts.json", Key: "efforts", Most: 500}

// usualEfforts are the levels of models with a token budget for reasoning, if their own are unknown.
var usualEfforts = []string{"low", "medium", "high"}

// Efforts returns the reasoning levels that the endpoint's model supports, or nil.
func (e Endpoint) Efforts() []string {
	own, known := models.Efforts(e.Name, e.BaseURL, e.Model)
	if known && len(own) == 0 {
		return nil
	}
	switch e.API() {
	case endpoint.Messages:
		if own == nil {
			own = usualEfforts
		}
		if !slices.Contains(own, "none") {
			own = append([]string{"none"}, own...)
		}
		return own
	case endpoint.Responses:
		if own == nil {
			own = config.Efforts
		}
		return own
	}
	if endpoint.DefaultAPI(e.Name, e.BaseURL, e.Model) == endpoint.Responses { // over chat completions it accepts tools only without reasoning
		return []string{"none"}
	}
	return dialect.For(e.Name, e.BaseURL, e.Model).Efforts(own)
}

// effort returns the reasoning level for an endpoint: the one chosen for the model, else the configured one, or the
// nearest that the model supports. It is empty to leave it to the provider.
func (f Finder) effort(e Endpoint) string {
	list, err := chosenEfforts.Read()
	if err != nil {
		f.log.Warn("chosen efforts not used", "error", err)
	}
	effort := f.cfg.Effort.V
	if i := slices.IndexFunc(list, chosenEffort{Model: e.Name + "/" + e.Model}.same); i >= 0 {
		effort = cmp.Or(list[i].Effort, effort)
	}
	can := e.Efforts()
	if effort == "" || effort == config.DefaultEffort || len(can) == 0 {
		return ""
	}
	return nearest(effort, can)
}

// nearest returns the supported level nearest to effort, the lower one of two. It only turns reasoning off if that is
// requested or there is nothing else.
func nearest(effort string, can []string) string {
	const off = "none"
	if slices.Contains(can, effort) {
		return effort
	}
	levels := slices.DeleteFunc(slices.Clone(can), func(level string) bool { return level == off })
	if len(levels) == 0 {
		return off
	}
	rank := func(level string) int { return slices.Index(config.Efforts, level) }
	distance := func(level string) int { return max(rank(level)-rank(effort), rank(effort)-rank(level)) }
	return slices.MinFunc(levels, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(rank(a), rank(b)))
	})
}

// Effort returns the reasoning level of the model that answers from the next turn on. It is empty if left to the
// provider.
func (m *Models) Effort() string {
	now := m.next()
	if now.endpoint == nil || now.endpoint.Model == "" {
		return ""
	}
	now.mu.Lock()
	defer now.mu.Unlock()
	if now.effort == nil {
		effort := m.effort(*now.endpoint)
		now.effort = &effort
	}
	return *now.effort
}

// Efforts returns the model that answers from the next turn on, and its reasoning levels.
func (m *Models) Efforts() (model string, efforts []string) {
	e, ok := m.answering()
	if !ok {
		return m.next().Name(), nil
	}
	return e.Name + "/" + e.Model, e.Efforts()
}

// UseEffort sets the reasoning level of that model from its next call on and stores it; "default" resets it. It
// returns a message for the user.
func (m *Models) UseEffort(effort string) (string, error) {
	e, ok := m.answering()
	if !ok {
		return "", errors.New(m.next().Name() + " has no reasoning effort")
	}
	model, can := e.Name+"/"+e.Model, e.Efforts()
	effort = strings.ToLower(strings.TrimSpace(effort))
	switch {
	case len(can) == 0:
		return "", errors.New(model + " has no reasoning effort to set")
	case effort == config.DefaultEffort:
		effort = ""
	case !slices.Contains(can, effort):
		return "", fmt.Errorf("%s does not have the effort %q: it has %s; %s leaves it to the provider", model, text.Clip(effort, 40), strings.Join(can, ", "), config.DefaultEffort)
	}
	chosen := chosenEffort{model, effort}
	if err := chosenEfforts.Put(chosen, chosen.same); err != nil {
		return "", err
	}
	m.next().again()
	if is := m.Effort(); is != "" {
		return fmt.Sprintf("%s reasons with effort %s from its next call on.", model, is), nil
	}
	return fmt.Sprintf("How much %s reasons is left to the provider.", model), nil
}

// answering returns the endpoint of the model that answers from the next turn on. ok is false if there is none or its
// model is unknown.
func (m *Models) answering() (Endpoint, bool) {
	now := m.next()
	if now.endpoint == nil {
		return Endpoint{}, false
	}
	return *now.endpoint, now.endpoint.Model != ""
}

// again makes the next call connect again.
func (l *Lazy) again() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found, l.effort = nil, nil
}
