package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatvault/internal/base/trust"
)

// Invalid files are reported and the others still work. Files other than Markdown are ignored, and special files are
// not read.
func TestOwnCommands(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret.md")
	files := map[string]string{
		".smarthole/commands/weekly.md": "What of the week?", ".smarthole/commands/Zero.MD": "Sort $ARGUMENTS", ".smarthole/commands/notes.txt": "no command",
		".smarthole/commands/.hidden.md": "no command", ".smarthole/commands/help.md": "x", ".smarthole/commands/USAGE.md": "x", ".smarthole/commands/a b.md": "x",
		".smarthole/commands/empty.md": " ", ".smarthole/commands/long.md": strings.Repeat("x", 70<<10), ".smarthole/commands/TWICE.md": "one", ".smarthole/commands/twice.md": "two",
		".smarthole/commands/sub/inner.md": "x",
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, ".smarthole", "commands", "linked.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".smarthole", "commands", "folder.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	state, err := os.OpenRoot(dir) // the vault
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = state.Close() }()
	custom, err := CustomOf(state, agreedToAll(t, state))
	if err != nil {
		t.Fatal(err)
	}
	faults, faultOf := custom.Faults, custom.FaultOf
	var names []string
	for _, c := range custom.Commands {
		names = append(names, c.Name)
	}
	if !slices.Equal(names, []string{"twice", "zero", "weekly"}) {
		t.Errorf("the commands are %v", names)
	}
	told := strings.Join(faults, "\n")
	for _, want := range []string{
		".smarthole/commands/help.md is not a command: /help is a built-in command", "my-help.md",
		"USAGE.md is not a command: /usage is a built-in command", "a b.md is not a command: a command's name is a letter",
		"give the file another name", "empty.md is not a command: it has no text", "long.md is not a command: it is larger than 64 KB",
		"twice.md is not a command: TWICE.md is already called /twice", "linked.md is not a regular file",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told:\n%s", want, told)
		}
	}
	if f := faultOf["empty"]; !strings.Contains(f, "it has no text") || faultOf["emp"] != "" || faultOf["weekly"] != "" {
		t.Errorf("the fault of empty.md is %q", f)
	}
	if len(faults) != 7 {
		t.Errorf("%d faults:\n%s", len(faults), told)
	}
}

func TestNoOwnCommands(t *testing.T) {
	state, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = state.Close() }()
	if custom, err := CustomOf(state, agreedToAll(t, state)); len(custom.Commands)+len(custom.Faults) > 0 || err != nil {
		t.Errorf("%v, %v", custom, err)
	}
}

// agreedToAll returns consent to everything in a vault.
func agreedToAll(t *testing.T, vault *os.Root) *trust.Answers {
	t.Helper()
	state, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = state.Close() })
	answers, err := trust.Load(state)
	if err != nil {
		t.Fatal(err)
	}
	files, err := trust.Brought(trust.NewBudget(), vault)
	if err == nil {
		err = answers.Keep(files, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	return answers
}
