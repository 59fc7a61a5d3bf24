//go:build unix

package background_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chatvault/internal/ptytest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		ptytest.RemoveBuilt()
		os.Exit(code)
	}))
}

// start measures how long a program takes in a terminal that answers nothing,
// and returns what it wrote before its first line.
func start(t *testing.T, name string, timeout time.Duration) (before []byte, took time.Duration) {
	t.Helper()
	bin := ptytest.Build(t, "internal/terminal/background/testdata/"+name)
	began := time.Now()
	x := ptytest.Start(t, ptytest.Options{Path: bin, Mute: true})
	x.WaitFor("started enter", timeout)
	took = time.Since(began)
	before, _, _ = bytes.Cut(x.Raw(), []byte("started"))
	return before, took
}

func TestNothingIsAskedAtStart(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: make test runs it")
	}
	before, took := start(t, "with", 5*time.Second)
	if len(before) != 0 {
		t.Errorf("written while packages initialised: %q", before)
	}
	if took > time.Second {
		t.Errorf("the start took %v", took)
	}
	t.Logf("the start took %v", took)
}

// TestTheTrapIsReal is the control: it fails when the package has become needless.
func TestTheTrapIsReal(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long: make test runs it")
	}
	bin := ptytest.Build(t, "internal/terminal/background/testdata/without")
	x := ptytest.Start(t, ptytest.Options{Path: bin, Mute: true})
	x.WaitUntil("the query", 5*time.Second, func(string) bool {
		return bytes.Contains(x.Raw(), []byte("\x1b]11;?"))
	})
	time.Sleep(300 * time.Millisecond)
	if screen := x.Screen(); screen != "" {
		t.Errorf("it did not wait for an answer: %s", screen)
	}
}

// TestModulePath holds the one constraint on the module's path. The owner may choose any other
// (make rename).
func TestModulePath(t *testing.T) {
	out, err := exec.Command("go", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	if path := strings.TrimSpace(string(out)); path >= "github.com/charmbracelet/bubbletea" {
		t.Errorf("%s sorts after github.com/charmbracelet/bubbletea and is initialised after it: every command would wait for the terminal; choose a module path that sorts before it", path)
	}
}

func TestOneImport(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "background.go", nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Imports) != 1 || f.Imports[0].Path.Value != `"github.com/charmbracelet/lipgloss"` {
		t.Errorf("imports %v: whatever is imported here must be ready before Bubble Tea is", f.Imports)
	}
}
