package config

import "fmt"

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
