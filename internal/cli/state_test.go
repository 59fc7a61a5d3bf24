package cli

import (
	"os"
	"testing"

	"github.com/adrg/xdg"

	"chatvault/internal/session/home"
)

// Tests keep no state in the home of whoever runs them.
func init() {
	if os.Getenv(asProgram) != "" { // what a test started has its home
		return
	}
	dir, err := os.MkdirTemp("", "chatvault-state")
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("XDG_STATE_HOME", dir); err != nil {
		panic(err)
	}
	xdg.Reload()
}

// stateOf is where the state of a vault is kept.
func stateOf(t testing.TB, vault string) string {
	t.Helper()
	root, err := home.Open(vault)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	return root.Name()
}

func testState(t *testing.T) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}
