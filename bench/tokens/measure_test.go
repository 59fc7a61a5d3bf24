package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// maxTokens is the limit for the system prompt and the tools together. Keep some room for new tools.
const maxTokens = 5000

// TestFirstRequest checks the tokens of the system prompt and the tools, and that each request begins with
// the one before.
func TestFirstRequest(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "chatvault")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := measure(binary, filepath.Join("..", "..", "testdata", "vault"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", f)
	if n := f.System + f.Tools; n > maxTokens || f.System < 300 || f.Tools < 1500 {
		t.Errorf("the system prompt has %d tokens, the tools have %d; together they may have %d", f.System, f.Tools, maxTokens)
	}
	if f.WithinTurn != 1 || f.BetweenTurns != 1 {
		t.Errorf("of a request %v are repeated in the next, between turns %v; want all", f.WithinTurn, f.BetweenTurns)
	}
	if f.NewTool < 0.7 || f.NewTool >= 1 {
		t.Errorf("of a request %v are repeated in the next that offers a new tool; want all tools before it", f.NewTool)
	}
}
