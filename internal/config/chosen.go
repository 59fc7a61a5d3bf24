package config

import (
	"fmt"
	"path/filepath"
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

// RealDir is a folder without links, so that it is one whichever way it is come by; itself where it leads nowhere.
func RealDir(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

// chosen takes the model that was chosen for the vault.
func (l *loader) chosen() {
	if l.in.Chosen == nil || l.in.VaultDir == "" {
		return
	}
	model, err := l.in.Chosen(l.in.VaultDir)
	if err != nil {
		l.cfg.Warnings = append(l.cfg.Warnings, "The model that was chosen for this vault is not known: "+err.Error()+".")
	}
	if model != "" {
		l.cfg.Chosen = Value[string]{model, Origin{Kind: Chosen}}
	}
}

// ChosenCounts says whether the model that was chosen for the vault is the one to use: flags and
// the environment say more, and --base-url says whom to ask in this run.
func (c *Models) ChosenCounts() bool {
	return c.Chosen.V != "" && !c.Offline.V && c.Model.Origin.Kind < Chosen && c.BaseURL.Origin.Kind != Flag
}

// Efforts are how much a model can be told to reason, from off to most. Not every model knows each.
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

// ChosenEffort is how much a model is to reason, as it was chosen; empty where nothing was.
func ChosenEffort(model string) (string, error) {
	list, err := chosenEfforts.read()
	for _, c := range list {
		if c.Model == model && slices.Contains(Efforts, c.Effort) {
			return c.Effort, nil
		}
	}
	return "", err
}

// ChooseEffort keeps how much a model is to reason; an empty effort forgets it. A list that cannot be
// understood is set aside and begun anew.
func ChooseEffort(model, effort string, now time.Time) error {
	list, err := chosenEfforts.read()
	if err = chosenEfforts.setAside(err); err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(c chosenEffort) bool { return c.Model == model })
	if effort != "" {
		list = slices.Insert(list, 0, chosenEffort{model, effort, now.UTC().Truncate(time.Second)})
	}
	return chosenEfforts.write(list)
}
