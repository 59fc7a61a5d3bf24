package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

func stateIn(t *testing.T, dir string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", dir)
	xdg.Reload()
	t.Cleanup(xdg.Reload)
}

func TestChosenEffort(t *testing.T) {
	stateIn(t, t.TempDir())
	want := func(model, effort string) {
		t.Helper()
		if got, err := ChosenEffort(model); got != effort || err != nil {
			t.Errorf("%s: %q, %v, want %q", model, got, err, effort)
		}
	}
	choose := func(model, effort string) {
		t.Helper()
		if err := ChooseEffort(model, effort); err != nil {
			t.Error(err)
		}
	}
	want("openai/x", "")
	choose("openai/x", "high")
	choose("groq/y", "low")
	want("openai/x", "high")
	choose("openai/x", "none")
	want("openai/x", "none")
	choose("openai/x", "")
	want("openai/x", "")
	want("groq/y", "low")
	for i := range chosenEfforts.most + 5 {
		choose(fmt.Sprintf("nowhere/%d", i), "low")
	}
	want("groq/y", "") // expired
	file := chosenEfforts.path()
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}

	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ChosenEffort("openai/x"); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("%v", err)
	}
	choose("openai/x", "high")
	want("openai/x", "high")
	if aside, _ := filepath.Glob(file + ".corrupt-*"); len(aside) != 1 {
		t.Errorf("set aside: %v", aside)
	}
}

// TestChosenModelPrecedence: the model chosen for a vault overrides files, and is overridden by the environment and
// flags.
func TestChosenModelPrecedence(t *testing.T) {
	tests := []struct {
		name  string
		user  string
		env   map[string]string
		flags map[string]string
		want  bool
	}{
		{"alone", "", nil, nil, true},
		{"before the user's file", "model = \"openai/z\"\n", nil, nil, true},
		{"after the environment", "", map[string]string{"CHATVAULT_MODEL": "z"}, nil, false},
		{"after a flag", "", nil, map[string]string{"model": "z"}, false},
		{"another endpoint in this run", "", nil, map[string]string{"base_url": "https://x.example/v1"}, false},
		{"an endpoint in the environment", "", map[string]string{"OPENAI_BASE_URL": "https://x.example/v1"}, nil, true},
		{"offline", "", nil, map[string]string{"offline": "true"}, false},
	}
	for _, tt := range tests {
		in := sourcesWith(t, tt.user, "")
		if tt.user == "" {
			in.UserFile = os.DevNull
		}
		in.Flags, in.LookupEnv = tt.flags, func(name string) (string, bool) { v, ok := tt.env[name]; return v, ok }
		in.Chosen = func(string) (string, error) { return "groq/y", nil }
		cfg, err := Load(in)
		if err != nil {
			t.Fatal(err)
		}
		if cfg.ChosenCounts() != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, cfg.ChosenCounts(), tt.want)
		}
		if shown := fmt.Sprint(cfg.Describe()); strings.Contains(shown, "groq/y chosen with /model") != tt.want {
			t.Errorf("%s: shown as %s", tt.name, shown)
		}
	}
}
