package session

import (
	"time"

	"chatvault/internal/config"
)

// Vault is a vault as a list shows it.
type Vault struct {
	Name, Dir string
	About     string    // in a few words: "open in Obsidian"
	Last      time.Time // when it was used last; zero: not known
	Here      bool      // it is the one on the screen
	Missing   bool      // its folder is not there
}

// SameFolder says whether two paths lead to one folder.
func SameFolder(a, b string) bool { return config.RealDir(a) == config.RealDir(b) }

// KnownVaults lists the vaults for the screen; here is the one it shows.
func KnownVaults(here string) ([]Vault, error) {
	uses, err := config.Recent() // what it cannot say, Obsidian's list may
	list := config.KnownVaults(uses)
	if len(list) == 0 && err != nil {
		return nil, err
	}
	out := make([]Vault, len(list))
	for i, k := range list {
		v := Vault{Name: k.Name(), Dir: shortPath(k.Dir), Last: k.Last(), Missing: k.Missing, Here: !k.Missing && SameFolder(k.Dir, here)}
		switch {
		case k.Missing:
			v.About = "missing"
		case k.Open:
			v.About = "open in Obsidian"
		}
		out[i] = v
	}
	return out, nil
}
