package cli

import (
	"bytes"
	"testing"

	"chatvault/internal/base/terminal/output"
)

func TestVersionFlag(t *testing.T) {
	said := map[string]string{}
	for _, arg := range []string{"version", "--version"} {
		var out, errs bytes.Buffer
		s := Streams{Out: output.New(&out, false), Err: output.New(&errs, false), LookupEnv: func(string) (string, bool) { return "", false }}
		if status := Main([]string{arg}, s); status != exitOK || out.Len() == 0 {
			t.Errorf("%s: status %d, %q", arg, status, errs.String())
		}
		said[arg] = out.String()
	}
	if said["version"] != said["--version"] {
		t.Errorf("%q", said)
	}
}
