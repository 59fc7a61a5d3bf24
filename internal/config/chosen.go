package config

import (
	"fmt"
	"slices"
	"time"
)

// ParseModelName checks a model that was chosen and kept in a file.
func ParseModelName(text, file string) (string, error) {
	model, err := parseName(text)
	if err != nil {
		return "", fmt.Errorf("%s: the model %w", file, err)
	}
	return model, nil
}

// ChosenCounts reports whether the model that was chosen for the vault is the one to use: flags and
// the environment take precedence, and --base-url names another endpoint for this run.
func (c *Models) ChosenCounts() bool {
	return c.Chosen.V != "" && !c.Offline.V && c.Model.Origin.Kind < Chosen && c.BaseURL.Origin.Kind != Flag
}

// Efforts are the levels of reasoning, from off to most. Not every model has each.
var Efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// DefaultEffort leaves it to the provider.
const DefaultEffort = "default"

// chosenEffort is how much a model is to reason.
type chosenEffort struct {
	Model  string    `json:"model"` // provider/model
	Effort string    `json:"effort"`
	Time   time.Time `json:"chosen"`
}

// chosenEfforts are those that were chosen with /effort.
var chosenEfforts = stateList[chosenEffort]{file: "efforts.json", key: "efforts", most: 500}

// ChosenEffort returns how much a model is to reason, as it was chosen; empty if nothing was.
func ChosenEffort(model string) (string, error) {
	list, err := chosenEfforts.read()
	for _, c := range list {
		if c.Model == model && slices.Contains(Efforts, c.Effort) {
			return c.Effort, nil
		}
	}
	return "", err
}

// ChooseEffort keeps how much a model is to reason; an empty effort forgets it.
func ChooseEffort(model, effort string, now time.Time) error {
	return chosenEfforts.update(func(list []chosenEffort) []chosenEffort {
		list = slices.DeleteFunc(list, func(c chosenEffort) bool { return c.Model == model })
		if effort == "" {
			return list
		}
		return slices.Insert(list, 0, chosenEffort{model, effort, now.UTC().Truncate(time.Second)})
	})
}

// KnownServer is what a model server reported about itself and a model, kept so that the next start need not ask first.
type KnownServer struct {
	Endpoint   string  `json:"endpoint"` // a hash of its address, which may hold a key
	Model      string  `json:"model"`
	Server     string  `json:"server,omitempty"`     // the preset that it is
	Parameters float64 `json:"parameters,omitempty"` // of the model
	Window     int     `json:"window,omitempty"`     // tokens that it runs the model with
}

var knownServers = stateList[KnownServer]{file: "servers.json", key: "servers", most: 32}

func (s KnownServer) same(o KnownServer) bool { return s.Endpoint == o.Endpoint && s.Model == o.Model }

// Recall returns what was kept of the endpoint and model of s; s if nothing was.
func (s KnownServer) Recall() KnownServer {
	list, _ := knownServers.read() // of what cannot be read, nothing is known
	if i := slices.IndexFunc(list, s.same); i >= 0 {
		return list[i]
	}
	return s
}

// Keep keeps s, the newest first, in the place of what was kept of its endpoint and model.
func (s KnownServer) Keep() error {
	return knownServers.update(func(list []KnownServer) []KnownServer {
		if slices.Contains(list, s) {
			return nil
		}
		list = slices.DeleteFunc(list, s.same)
		if s.Server == "" && s.Window == 0 {
			return list
		}
		return slices.Insert(list, 0, s)
	})
}
