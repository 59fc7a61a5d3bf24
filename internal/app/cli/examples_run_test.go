package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chatvault/internal/app/session/examples"
	"chatvault/internal/base/terminal/output"
	"chatvault/vault"
)

// The questions that the first screen offers for the sample vault are answered from its notes, without a model.
func TestExamplesAreAnswered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vault")
	if err := os.CopyFS(dir, os.DirFS("../../../testdata/vault")); err != nil {
		t.Fatal(err)
	}
	v, err := vault.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = v.Close() }()
	questions := examples.Questions(t.Context(), v)
	if len(questions) == 0 {
		t.Fatal("there are none")
	}
	for _, q := range questions {
		var out, said bytes.Buffer
		status := Main([]string{"--vault", dir, "--config", os.DevNull, "--offline", "ask", q}, Streams{
			In: strings.NewReader(""), Out: output.New(&out, false), Err: output.New(&said, false), LookupEnv: noServers, InIsTerminal: true,
		})
		if status != exitOK || !strings.Contains(out.String(), ".md") {
			t.Errorf("%q gives %d:\n%s\n%s", q, status, out.String(), said.String())
		}
	}
}
