package session

import (
	"time"
)

// Vault is a vault as a list shows it.
type Vault struct {
	Name, Dir string
	About     string    // in a few words: "open in Obsidian"
	Last      time.Time // when it was used last; zero: not known
	Here      bool      // it is the one on the screen
	Missing   bool      // its folder is not there
}
