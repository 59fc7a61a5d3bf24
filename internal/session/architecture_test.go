package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/config"
	"chatvault/internal/session/home"
	"chatvault/internal/trust"
	"chatvault/vault"
)

// vaultApp returns a session on a new vault with the given configuration, enough to receive a proposal.
func vaultApp(t *testing.T, file string) *Session {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, home.InVault), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, home.InVault, "config.toml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	state, err := home.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = state.Close() })
	answers, err := trust.Load(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := answers.Keep([]trust.File{{Name: trust.Settings, Data: []byte(file)}}, true); err != nil {
		t.Fatal(err)
	}
	v, err := vault.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.Close() })
	userFile := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(userFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sources := config.Sources{LookupEnv: func(string) (string, bool) { return "", false }, UserFile: userFile, VaultDir: dir, Agreed: home.AgreedSettings}
	cfg, err := config.Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	return &Session{vault: v, config: cfg, folders: folders{state: state}, answers: answers, Settings: &Settings{sources: sources, config: cfg}}
}

func TestAProposalIsKeptAndCounts(t *testing.T) {
	a := vaultApp(t, "# ours\nmouse = false\n")
	before := a.Settings.architecture()
	if _, err := a.Settings.Architecture(" \n"); err == nil || !strings.Contains(err.Error(), "is empty") {
		t.Errorf("error %v", err)
	}
	change, err := a.Settings.Architecture("Plans go to Plans/.")
	if err != nil {
		t.Fatal(err)
	}
	if a.Settings.architecture() != before {
		t.Error("it counts before it is accepted")
	}
	first, _, _ := strings.Cut(before, "\n")
	for _, want := range []string{"\n-" + first + "\n", "\n+Plans go to Plans/.\n"} {
		if !strings.Contains(change.Diff, want) {
			t.Errorf("%q is missing in\n%s", want, change.Diff)
		}
	}
	if err := change.Apply(); err != nil {
		t.Fatal(err)
	}
	if got := a.Settings.architecture(); got != "Plans go to Plans/." {
		t.Errorf("the next conversation is told %q", got)
	}
	data, err := os.ReadFile(filepath.Join(a.vault.Dir(), home.InVault, "config.toml"))
	if err != nil || string(data) != "# ours\nmouse = false\n" {
		t.Errorf("the vault's own file was written: %q, %v", data, err)
	}
	if cfg, err := config.Load(a.Settings.sources); err != nil || cfg.Architecture.V != "Plans go to Plans/.\n" || cfg.Architecture.Origin.Kind != config.VaultSettings {
		t.Errorf("the next start reads %+v, %v", cfg.Architecture, err)
	}
	if again, err := a.Settings.Architecture("Plans go to Plans/.\n"); err != nil || again.Diff != "" {
		t.Errorf("it would change something again: %+v, %v", again, err)
	}
	if err := change.Apply(); err == nil {
		t.Error("what changed since the diff is written over")
	}
}

func TestAProposalThatWouldNotCount(t *testing.T) {
	a := vaultApp(t, "mouse = false\ninformation_architecture = \"Old.\"\n")
	if got := a.Settings.architecture(); got != "Old." {
		t.Fatalf("%q", got)
	}
	if _, err := a.Settings.Architecture("x"); err == nil || !strings.Contains(err.Error(), "is set in line 2 of .smarthole/config.toml") {
		t.Errorf("error %v", err)
	}
	a.config.Architecture.Origin = config.Origin{Kind: config.Flag, Name: "information-architecture"}
	if _, err := a.Settings.Architecture("x"); err == nil || !strings.Contains(err.Error(), "flag --information-architecture") {
		t.Errorf("error %v", err)
	}
}
