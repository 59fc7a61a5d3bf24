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

// efforts of models that can be told in tokens, or whose own are not known though they reason.
var usualEfforts = []string{"low", "medium", "high"}

// Efforts are how much the endpoint's model can be told to reason; none: it cannot.
func (e Endpoint) Efforts() []string {
	m, known := models.Find(e.Name, e.BaseURL, e.Model)
	own := m.Efforts
	switch {
	case known && !m.Reasons:
		return nil
	case known && own == nil:
		own = usualEfforts
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

// effort is how much the endpoint's model is to reason: as it was chosen for it, else as it is configured;
// empty: as the provider does, or the model cannot be told.
func (f Finder) effort(e Endpoint) (string, error) {
	name := e.Name + "/" + e.Model
	effort, err := config.ChosenEffort(name)
	if err != nil {
		f.log.Warn("chosen efforts not used", "error", err)
	}
	effort = cmp.Or(effort, f.cfg.Effort.V)
	can := e.Efforts()
	switch {
	case effort == "", effort == config.DefaultEffort, len(can) == 0:
		return "", nil
	case !slices.Contains(can, effort):
		return "", fmt.Errorf("reasoning_effort is %s, which %s does not have: it has %s; /effort chooses one", effort, name, strings.Join(can, ", "))
	}
	return effort, nil
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
		m.effortOf, m.effortIs = name, ""
		if effort, err := m.effort(e); err == nil {
			m.effortIs = effort
		}
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
func (l *Late) again() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found = nil
}
