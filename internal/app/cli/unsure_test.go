package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"chatvault/internal/app/session/home"
	"chatvault/internal/base/terminal/output"
)

// TestDoubtfulVault checks that the chat asks before creating anything in a folder whose notes are all in subfolders.
func TestDoubtfulVault(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for answer, taken := range map[string]bool{"y\n": true, "Yes\r\n": true, "\n": false, "n\n": false, "": false} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "below"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "below", "a.md"), []byte("a"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Chdir(dir)
		var out bytes.Buffer
		s := Streams{In: strings.NewReader(answer), Out: output.New(&out, true), Err: output.New(&out, true), LookupEnv: func(string) (string, bool) { return "", false }}
		_, found, err := loadConfig(s, &globals{flags: pflag.NewFlagSet("", pflag.ContinueOnError)})
		if err == nil && found.Unsure != "" {
			err = askUnsure(s, found)
		}
		var e *exitError
		switch {
		case taken && (err != nil || filepath.Base(found.Dir) != filepath.Base(dir)):
			t.Errorf("%q: %q, %v", answer, found, err)
		case !taken && (!errors.As(err, &e) || e.Status != exitUsage || !strings.Contains(e.Text, "--vault DIR")):
			t.Errorf("%q is taken for a yes: %v", answer, err)
		case !strings.Contains(out.String(), "only folders that do"):
			t.Errorf("asked %q", out.String())
		}
		if _, err := os.Lstat(filepath.Join(dir, home.InVault)); err == nil {
			t.Errorf("%q: the state folder was made", answer)
		}
	}
}
