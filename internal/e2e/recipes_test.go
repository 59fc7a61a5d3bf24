//go:build unix

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fence returns the first code block of a page in a language.
func fence(t *testing.T, page, language string) string {
	t.Helper()
	_, rest, _ := strings.Cut(page, "```"+language+"\n")
	block, _, ok := strings.Cut(rest, "\n```")
	if !ok {
		t.Fatalf("no block of %s", language)
	}
	return block + "\n"
}

// TestRecipes runs the script of docs/recipes.md, which passes on the exit status and explains it.
func TestRecipes(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("there is no flock")
	}
	page := string(projectFile(t, "docs", "recipes.md"))
	dir := t.TempDir()
	files := map[string]string{
		"weekly-review": fence(t, page, "sh"),
		"chatvault":     "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$HOME/asked\"\nexit \"$STATUS\"\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for status, says := range map[string]string{"0": "", "1": "failed", "3": "asks something", "4": "refused", "5": "not finished"} {
		cmd := exec.Command(filepath.Join(dir, "weekly-review"))
		cmd.Env = []string{"HOME=" + dir, "PATH=" + dir + ":" + os.Getenv("PATH"), "STATUS=" + status, "XDG_RUNTIME_DIR=" + dir}
		out, err := cmd.CombinedOutput()
		got := 0
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			got = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if got != int(status[0]-'0') || !strings.Contains(string(out), says) || says == "" && len(out) > 0 {
			t.Errorf("status %s: %d, %s", status, got, out)
		}
	}
	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	if err != nil || !strings.HasPrefix(string(asked), "--vault\n"+dir+"/Notes\nask\nRead this week") {
		t.Errorf("%q, %v", asked, err)
	}
}
