package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/adrg/xdg"
)

func stateIn(t *testing.T, dir string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", dir)
	xdg.Reload()
	t.Cleanup(xdg.Reload)
}

func TestChosenModel(t *testing.T) {
	stateIn(t, t.TempDir())
	a, b := t.TempDir(), t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	want := func(dir, model string) {
		t.Helper()
		if got, err := ChosenModel(dir); got != model || err != nil {
			t.Errorf("%s: %q, %v, want %q", dir, got, err, model)
		}
	}
	choose := func(dir, model string) {
		t.Helper()
		if err := ChooseModel(dir, model, time.Now()); err != nil {
			t.Error(err)
		}
	}
	want(a, "")
	choose(a, "openai/x")
	choose(b, "offline")
	want(link, "openai/x")
	choose(link, "groq/y")
	want(a, "groq/y")
	want(b, "offline")
	choose(a, "")
	want(a, "")
	want(b, "offline")
	for i := range chosenModels.most + 5 {
		choose(fmt.Sprintf("/nowhere/%d", i), "openai/x")
	}
	want(b, "") // long ago
	if info, err := os.Stat(ChosenPath()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}

	if err := os.WriteFile(ChosenPath(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ChosenModel(a); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("%v", err)
	}
	cfg, err := Load(Sources{VaultDir: a, LookupEnv: func(string) (string, bool) { return "", false }, UserFile: os.DevNull, Chosen: ChosenModel})
	if err != nil || len(cfg.Warnings) != 1 {
		t.Errorf("%v, %v", cfg.Warnings, err)
	}
	choose(a, "openai/x")
	want(a, "openai/x")
	if aside, _ := filepath.Glob(ChosenPath() + ".corrupt-*"); len(aside) != 1 {
		t.Errorf("set aside: %v", aside)
	}
}

// What was chosen for a vault counts before the files, and after the environment and flags.
func TestChosenCounts(t *testing.T) {
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
