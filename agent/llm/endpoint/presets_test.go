package endpoint

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"chatvault/agent/llm/models"
)

// TestPresetIsOneRow: a preset's row is complete: it has the address and the key, its models' names are unique, and
// the guide lists it.
func TestPresetIsOneRow(t *testing.T) {
	rows, err := os.ReadFile("../../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	if known := "Already known: " + strings.Join(PresetNames(), ", ") + "."; !strings.Contains(string(rows), known) {
		t.Errorf("the guide does not contain %q", known)
	}
	seen := map[string]bool{}
	for _, p := range Presets {
		u, err := url.Parse(p.BaseURL)
		if err != nil || u.Host == "" || p.Title == "" || p.NeedsKey != (p.KeyEnv != "") || seen[p.Name] || seen[u.Host] {
			t.Errorf("%+v", p)
		}
		seen[p.Name], seen[u.Host] = true, true
		for _, prefix := range p.Family {
			if owner := Family(prefix + "x"); owner != p.Name {
				t.Errorf("the prefix %s belongs to %s and %s", prefix, p.Name, owner)
			}
		}
		if found, ok := FindPreset(strings.ToUpper(p.Name)); !ok || found.Name != p.Name || Slashed(p.Name) != p.Slashed || KeyEnv("", p.BaseURL) != p.KeyEnv {
			t.Errorf("%s is not found", p.Name)
		}
	}
}

// TestDefaultModelsAreKnown: the default model of each preset with a key has a window and a price, except
// OpenRouter's, which can be any model.
func TestDefaultModelsAreKnown(t *testing.T) {
	for _, p := range Presets {
		if !p.NeedsKey || p.Model == "openrouter/auto" {
			continue
		}
		for _, base := range []string{p.BaseURL, ""} {
			if m, ok := models.Find(p.Name, base, p.Model); !ok || m.Window < 100_000 || !m.Priced() {
				t.Errorf("%s %q: %s: %+v, %v", p.Name, base, p.Model, m, ok)
			}
		}
	}
}
