package vault

import (
	"bytes"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"chatvault/vault/search"
)

// TestSearchAgreesWithRipgrep: a search finds the same files as ripgrep, for patterns on which both dialects agree.
func TestSearchAgreesWithRipgrep(t *testing.T) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("ripgrep is not installed")
	}
	v := walkVault(t)
	for name, text := range map[string]string{
		"a.md": "alpha\n\nbeta gamma\n", "b/crlf.md": "alpha\r\nbeta\r\n", "b/ü [x].md": "ALPHA-beta 12\n\tend",
		"c/no newline.md": "gamma", "c/words.md": "foo_bar foo-bar\nstraße Straße\nπολύ ΠΟΛΎ\n", "c/empty.md": "", "c/blank.md": "\n",
		"d.markdown": "alpha beta\n", "e.txt": "alpha\n", "f/bom.md": "\ufeffalpha\n", "f/long.md": strings.Repeat("word ", 100000) + "gamma\n",
	} {
		writeTestFile(t, v.dir, name, text)
	}
	for _, pattern := range []string{
		"alpha", "^alpha", "beta$", "alpha|gamma", `\balpha\b`, "^$", `\bfoo\b`, `foo\Wbar`, "[^a-z]12", "a.p", "(alpha|beta) ?(gamma|beta)",
		"straße", "πολύ", `\d+$`, "x{3}", "m+a", `end\s*$`, `\S\s+\S`,
	} {
		for _, sensitive := range []bool{false, true} {
			args := []string{"--no-config", "--crlf", "--files-with-matches", "--glob", "*.{md,markdown}"}
			if !sensitive {
				args = append(args, "--ignore-case")
			}
			c := exec.Command(rg, append(args, "--regexp", pattern, ".")...)
			c.Dir = v.dir
			out, err := c.Output()
			var exit *exec.ExitError
			if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
				t.Fatalf("rg %q: %v", pattern, err)
			}
			want := []string{}
			for line := range bytes.Lines(out) {
				want = append(want, strings.TrimPrefix(strings.TrimRight(string(line), "\r\n"), "./"))
			}
			slices.Sort(want)
			got := []string{}
			for _, f := range mustSearch(t, v, search.Query{Pattern: pattern, CaseSensitive: sensitive, MaxFiles: 100}).Files {
				got = append(got, f.Path)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%q (case sensitive %v): found %q, ripgrep %q", pattern, sensitive, got, want)
			}
		}
	}
}
