package session

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"chatvault/internal/app/config"
)

// Vault is a vault in a list.
type Vault struct {
	Name, Dir string
	About     string    // a few words: "open in Obsidian"
	Last      time.Time // last use; zero if unknown
	Here      bool      // it is the current one
}

// SameFolder reports whether two paths lead to the same folder.
func SameFolder(a, b string) bool { return config.RealDir(a) == config.RealDir(b) }

// KnownVaults lists the vaults for the screen; here is the current one.
func KnownVaults(here string) ([]Vault, error) {
	list, err := config.KnownVaults()
	if len(list) == 0 && err != nil {
		return nil, err
	}
	out := make([]Vault, len(list))
	for i, k := range list {
		v := Vault{Name: k.Name, Dir: ShortPath(k.Dir), Last: k.Last(), Here: !k.Missing && SameFolder(k.Dir, here)}
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

// VaultActions list and open other vaults. Without List and Find there is no such command.
type VaultActions struct {
	List func(ctx context.Context) ([]Vault, error) // most recently used first
	// Find returns the folder of a vault given by the user or by List; Make creates it. Their errors are sentences
	// for the user. A nil Make disables creating vaults.
	Find, Make func(dir string) (string, error)
	// First reports that no vault is open yet, so the list opens at once.
	First bool
	// Sample copies the sample vault and returns its folder. Nil if it is not offered.
	Sample func() (string, error)
}

// ListVaults returns the list of vaults.
func ListVaults(ctx context.Context, v VaultActions) (*List, error) {
	all, err := v.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("the vaults could not be listed: %w", err)
	}
	list := &List{Name: "vault", Title: "Vaults", None: "No other vault is known: /vault FOLDER opens one", Main: "open", Items: listItems(all, v.item)}
	if v.Sample != nil {
		try := SwitchVault("", func(string) (string, error) { return v.Sample() })
		list.Items = append(list.Items, Item{Name: "The sample vault", Facts: []string{"a copy to try things in"}, Do: &try})
	}
	if v.Make != nil {
		ask := func(label, question string, find func(string) (string, error)) Item {
			a := SwitchVault("", find)
			a.Asks = &Asking{Title: label, About: question + " A path, such as ~/Notes."}
			return Item{Name: label + "…", Do: &a}
		}
		list.Items = append(list.Items, ask("Another folder", "Which folder holds the notes?", v.Find), ask("A new vault", "Which folder is to be made for its notes?", v.Make))
	}
	if v.First {
		list.Title = "There are no notes here. Which vault do you want to open?"
	}
	return list, nil
}

func (v VaultActions) item(x Vault) Item {
	open := SwitchVault(x.Dir, v.Find)
	it := Item{Name: x.Name, Time: x.Last, Below: []string{x.Dir}, Here: x.Here, Find: x.Dir, Do: &open}
	if x.About != "" {
		it.Facts = []string{x.About}
	}
	return it
}

// SwitchVault returns the action that opens the vault in a folder, or in one given as text.
func SwitchVault(dir string, find func(dir string) (string, error)) Action {
	return Action{Verb: "open", Effect: EffectLeave, Do: func(_ context.Context, typed string) (Done, error) {
		folder, err := find(cmp.Or(typed, dir))
		return Done{Vault: folder}, err
	}}
}
