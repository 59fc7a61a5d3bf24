package cli

import (
	"os"

	"github.com/adrg/xdg"
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
