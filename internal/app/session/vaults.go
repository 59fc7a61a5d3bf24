package session

import (
	"time"

	"chatvault/internal/app/config"
)

// Vault is a vault in a list.
type Vault struct {
	Name, Dir string
	About     string    // a few words: "open in Obsidian"
	Last      time.Time // last use; zero if unknown
	Here      bool      // it is the current one
	Missing   bool      // its folder does not exist
}

// SameFolder reports whether two paths lead to the same folder.
func SameFolder(a, b string) bool { return config.RealDir(a) == config.RealDir(b) }

// KnownVaults lists the vaults for the screen; here is the current one.
func KnownVaults(here string) ([]Vault, error) {
	uses, err := config.Recent() // on an error there is still Obsidian's list
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
