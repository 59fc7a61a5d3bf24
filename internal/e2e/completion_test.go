//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatvault/internal/ptytest"
)

// shells complete "chatvault $1 … $n", the last word of which is incomplete, and print the candidates.
var shells = []struct{ name, needs, script string }{
	{"bash", "/usr/share/bash-completion/bash_completion", `
. /usr/share/bash-completion/bash_completion
. <(chatvault completion bash)
compopt() { :; }
COMP_WORDS=(chatvault "$@") COMP_CWORD=$# COMP_LINE="chatvault $*" COMP_TYPE=63
COMP_POINT=${#COMP_LINE}
__start_chatvault
printf '%s\n' "${COMPREPLY[@]%% *}"`},
	// _describe would show them in the line editor.
	{"zsh", "", `
compdef() { :; }
_describe() { offered=$2; print -l ${${(P)offered}%%:*}; }
. <(chatvault completion zsh)
words=(chatvault "$@") CURRENT=$#words
_chatvault; true`},
	{"fish", "", `
chatvault completion fish | source
complete -C "chatvault $argv" | string replace -r '\t.*' ''; true`},
}

// The real shells complete commands, values of settings, and arguments of commands.
func TestShellCompletion(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	if err := os.Symlink(ptytest.Build(t, "."), filepath.Join(bin, "chatvault")); err != nil {
		t.Fatal(err)
	}
	for _, sh := range shells {
		t.Run(sh.name, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(sh.name)
			if err != nil {
				t.Skip("this shell is not here")
			}
			if _, err := os.Stat(sh.needs); sh.needs != "" && err != nil {
				t.Skipf("it completes with %s, which is not here", sh.needs)
			}
			for typed, offers := range map[string]string{
				"conv":               "conversations",
				"conversations ex":   "export",
				"--approval de":      "destructive",
				"ask --theme light":  "light",
				"completion po":      "powershell",
				"mcp config claude-": "claude-code",
				"help rec":           "recipes",
			} {
				words := strings.Fields(typed)
				args := append([]string{"-c", sh.script, "sh"}, words...)
				if sh.name == "fish" { // has no name before its arguments
					args = append([]string{"--no-config", "-c", sh.script, "--"}, words...)
				}
				c := exec.Command(path, args...)
				c.Dir = t.TempDir()
				c.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + c.Dir, "TERM=dumb"}
				out, err := c.CombinedOutput()
				if err != nil || !slices.Contains(strings.Fields(string(out)), offers) {
					t.Errorf("%q offers %q, not %s: %v", typed, out, offers, err)
				}
			}
		})
	}
}
