package config

import (
	"fmt"
	"slices"
)

// ParseModelName checks a chosen model that was read from a file.
func ParseModelName(text, file string) (string, error) {
	model, err := parseName(text)
	if err != nil {
		return "", fmt.Errorf("%s: the model %w", file, err)
	}
	return model, nil
}

// ChosenCounts reports whether the model chosen for the vault applies: flags and the environment take precedence, and
// --base-url selects another endpoint for this run.
func (c *Models) ChosenCounts() bool {
	return c.Chosen.V != "" && !c.Offline.V && c.Model.Origin.Kind < Chosen && c.BaseURL.Origin.Kind != Flag
}

// Efforts are the levels of reasoning, lowest first. Models support different subsets.
var Efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// DefaultEffort leaves the level to the provider.
const DefaultEffort = "default"

// chosenEffort is the level chosen for a model.
type chosenEffort struct {
	Model  string `json:"model"` // provider/model
	Effort string `json:"effort"`
}

// chosenEfforts are the levels chosen with /effort.
var chosenEfforts = StateList[chosenEffort]{File: "efforts.json", Key: "efforts", Most: 500}

// ChosenEffort returns the level chosen for a model, or "".
func ChosenEffort(model string) (string, error) {
	list, err := chosenEfforts.Read()
	for _, c := range list {
		if c.Model == model && slices.Contains(Efforts, c.Effort) {
			return c.Effort, nil
		}
	}
	return "", err
}

// ChooseEffort stores the level chosen for a model. An empty effort removes the choice.
func ChooseEffort(model, effort string) error {
	return chosenEfforts.put(chosenEffort{model, effort}, func(c chosenEffort) bool { return c.Model == model })
}

// KnownServer is what a model server reported about itself and a model. It is stored so that the next start need not
// ask.
type KnownServer struct {
	Endpoint   string  `json:"endpoint"` // a hash of its address, which may hold a key
	Model      string  `json:"model"`
	Server     string  `json:"server,omitempty"`     // name of its preset
	Parameters float64 `json:"parameters,omitempty"` // number of the model's parameters
	Window     int     `json:"window,omitempty"`     // context window in tokens
}

var knownServers = StateList[KnownServer]{File: "servers.json", Key: "servers", Most: 32}

func (s KnownServer) same(o KnownServer) bool { return s.Endpoint == o.Endpoint && s.Model == o.Model }

// Recall returns what is stored for the endpoint and model of s, or s itself.
func (s KnownServer) Recall() KnownServer {
	list, _ := knownServers.Read() // nothing is known if it cannot be read
	if i := slices.IndexFunc(list, s.same); i >= 0 {
		return list[i]
	}
	return s
}

// Keep stores s in place of the entry with its endpoint and model.
func (s KnownServer) Keep() error { return knownServers.put(s, s.same) }
