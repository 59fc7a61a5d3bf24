package home

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/adrg/xdg"

	"chatvault/internal/app/config"
)

// The chosen model of a vault is stored for that vault in the user's state. An invalid name is an error, and the
// configuration applies.
func TestChosenModel(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	t.Cleanup(xdg.Reload)
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
	want(a, "")
	state, err := Open(a)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = state.Close() }()
	want(a, "")
	for _, model := range []string{"openai/x", "offline", "groq/y"} {
		if err := ChooseModel(state, model); err != nil {
			t.Fatal(err)
		}
		want(a, model)
		want(link, model)
		want(b, "")
	}
	if info, err := state.Stat(chosenFile); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}

	if err := state.WriteFile(chosenFile, []byte("no\tmodel\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := func(string) (string, bool) { return "", false }
	cfg, err := config.Load(config.Sources{VaultDir: a, LookupEnv: none, UserFile: os.DevNull, Chosen: ChosenModel})
	if err != nil || len(cfg.Warnings) != 1 || cfg.ChosenCounts() {
		t.Errorf("%v, %v", cfg.Warnings, err)
	}
	if err := ChooseModel(state, ""); err != nil {
		t.Error(err)
	}
	want(a, "")
}
