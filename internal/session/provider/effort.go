package provider

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm/dialect"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/models"
	"chatvault/internal/config"
	"chatvault/internal/text"
)

// usualEfforts are those of models that can be told in tokens, where their own are not known.
var usualEfforts = []string{"low", "medium", "high"}

// Efforts are how much the endpoint's model can be told to reason; none: it cannot.
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
	if endpoint.DefaultAPI(e.Name, e.BaseURL, e.Model) == endpoint.Responses { // over chat it takes tools only so
		return []string{"none"}
	}
	return dialect.For(e.Name, e.BaseURL, e.Model).Efforts(own)
}

// effort is how much the endpoint's model is to reason: as it was chosen for it, else as it is configured, or the
// nearest level that it has; empty: as the provider does, or the model cannot be told.
func (f Finder) effort(e Endpoint) string {
	effort, err := config.ChosenEffort(e.Name + "/" + e.Model)
	if err != nil {
		f.log.Warn("chosen efforts not used", "error", err)
	}
	effort = cmp.Or(effort, f.cfg.Effort.V)
	can := e.Efforts()
	if effort == "" || effort == config.DefaultEffort || len(can) == 0 {
		return ""
	}
	return nearest(effort, can)
}

// nearest returns the level of can nearest to effort, of two the lower one. It does not turn reasoning off
// unless that is asked for, or can has nothing else.
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

// Effort is how much the model that answers from the next turn on is told to reason; empty: nothing is said.
func (m *Models) Effort() string {
	e, ok := m.answering()
	if !ok {
		return ""
	}
	name := e.Name + "/" + e.Model
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.effortOf != name {
		m.effortOf, m.effortIs = name, m.effort(e)
	}
	return m.effortIs
}

// Efforts are those that it can be told; none where it cannot.
func (m *Models) Efforts() (model string, efforts []string) {
	e, ok := m.answering()
	if !ok {
		return m.next().Name(), nil
	}
	return e.Name + "/" + e.Model, e.Efforts()
}

// UseEffort tells it from its next call on, and keeps that for this model; "default" forgets it. It says
// what is so then.
func (m *Models) UseEffort(effort string) (string, error) {
	e, ok := m.answering()
	if !ok {
		return "", errors.New(m.next().Name() + " has no reasoning effort")
	}
	model, can := e.Name+"/"+e.Model, e.Efforts()
	effort = strings.ToLower(strings.TrimSpace(effort))
	if effort == "off" {
		effort = "none"
	}
	switch {
	case len(can) == 0:
		return "", errors.New(model + " has no reasoning effort to set")
	case effort == config.DefaultEffort:
		effort = ""
	case !slices.Contains(can, effort):
		return "", fmt.Errorf("%s does not have the effort %q: it has %s; %s leaves it to the provider", model, text.Clip(effort, 40), strings.Join(can, ", "), config.DefaultEffort)
	}
	if err := config.ChooseEffort(model, effort, time.Now()); err != nil {
		return "", err
	}
	m.mu.Lock()
	m.effortOf = ""
	now := m.now
	m.mu.Unlock()
	now.again()
	if is := m.Effort(); is != "" {
		return fmt.Sprintf("%s reasons with effort %s from its next call on.", model, is), nil
	}
	return fmt.Sprintf("How much %s reasons is left to the provider.", model), nil
}

// answering is the endpoint of the model that answers from the next turn on; false: it has none, or its
// model is not known yet.
func (m *Models) answering() (Endpoint, bool) {
	now := m.next()
	if now.endpoint == nil {
		return Endpoint{}, false
	}
	e := now.supplied()
	return e, e.Model != ""
}

// again has the provider made anew by its next call.
func (l *Lazy) again() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found = nil
}
