package cli

import (
	"os"

	"github.com/adrg/xdg"
)

// Tests keep no state in the real home.
func init() {
	if os.Getenv(asProgram) != "" { // a test's child process has the test's home
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
