package config

import (
	"slices"
	"time"
)

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
