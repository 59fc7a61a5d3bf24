package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"chatvault/internal/base/terminal/output"
)

func testRoot() *cobra.Command {
	null := output.New(&bytes.Buffer{}, false)
	return newRoot(Streams{Out: null, Err: null, LookupEnv: func(string) (string, bool) { return "", false }})
}

// commandsOf returns a command and its sub-commands that help shows.
func commandsOf(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			all = append(all, commandsOf(sub)...)
		}
	}
	return all
}

// calls runs an example in a real shell, in which each program only records its arguments, and returns those of
// chatvault.
func calls(t *testing.T, sh, line string) (calls [][]string) {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"bin", "home/.codex", "home/.zfunc", "home/.local/share/bash-completion/completions", "home/.config/fish/completions"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, script := range map[string]string{
		"chatvault": "#!" + sh + "\nprintf '%s\\0' \"$@\" end-of-call >> \"$CALLS\"\n",
		"git":       "#!" + sh + "\n", "jq": "#!" + sh + "\n", "man": "#!" + sh + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "bin", name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(sh, "-euc", line)
	c.Dir = dir
	c.Env = []string{"PATH=" + filepath.Join(dir, "bin"), "HOME=" + filepath.Join(dir, "home"), "CALLS=" + filepath.Join(dir, "calls")}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
	noted, _ := os.ReadFile(filepath.Join(dir, "calls"))
	for call := range strings.SplitSeq(string(noted), "end-of-call\x00") {
		if call != "" {
			calls = append(calls, strings.Split(strings.TrimSuffix(call, "\x00"), "\x00"))
		}
	}
	return calls
}

// Every command has an example that a shell and the program accept.
func TestEveryCommandHasExamples(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here")
	}
	for _, c := range commandsOf(testRoot()) {
		if strings.Contains(c.CommandPath(), " completion") { // cobra's own
			continue
		}
		own := false
		for line := range strings.SplitSeq(c.Example, "\n") {
			if line != "" && !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: the example %q is not indented by two spaces", c.CommandPath(), line)
			}
			called := calls(t, sh, line)
			if len(called) == 0 {
				t.Errorf("%s: the example %q does not call chatvault", c.CommandPath(), line)
			}
			for _, args := range called {
				means, rest, err := testRoot().Find(args)
				if err == nil {
					err = means.ParseFlags(rest)
				}
				if err == nil {
					err = means.ValidateArgs(means.Flags().Args())
				}
				if err != nil {
					t.Errorf("%s: the example %q is wrong: %v", c.CommandPath(), line, err)
					continue
				}
				path := means.CommandPath() + " "
				own = own || strings.HasPrefix(path, c.CommandPath()+" ") && (c.Runnable() || path != c.CommandPath()+" ")
			}
		}
		if !own {
			t.Errorf("%s has no example of its own: %q", c.CommandPath(), c.Example)
		}
	}
}

// TestManualPages checks that each command has a page that mandoc reads, with its flags and examples.
func TestManualPages(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("there is no mandoc here")
	}
	dir := t.TempDir()
	root := testRoot()
	root.SetArgs([]string{"man", "--dir", dir})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, c := range commandsOf(testRoot()) {
		if !c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			continue
		}
		all++
		path := filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		if said, err := exec.Command(mandoc, "-T", "lint", "-W", "error", path).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", c.CommandPath(), err, said)
		}
		shown, err := exec.Command(mandoc, "-T", "utf8", "-O", "width=400", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		shown = overstruck(shown)
		for line := range strings.SplitSeq(c.Example, "\n") {
			if !strings.Contains(string(shown), strings.TrimSpace(line)) {
				t.Errorf("the page of %s does not show %q:\n%s", c.CommandPath(), line, shown)
			}
		}
		for _, name := range []string{"--help", "--vault"} {
			if !strings.Contains(string(shown), name) {
				t.Errorf("the page of %s does not show %s", c.CommandPath(), name)
			}
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != all || all < 30 {
		t.Errorf("%d pages of %d commands, %v", len(files), all, err)
	}
}

// overstruck removes the overstriking that makes text bold on a terminal.
func overstruck(page []byte) []byte {
	var out []byte
	for _, r := range string(page) {
		if r == '\b' {
			_, size := utf8.DecodeLastRune(out)
			out = out[:len(out)-size]
			continue
		}
		out = append(out, string(r)...)
	}
	return out
}
