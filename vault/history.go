package vault

import (
	"context"

	"chatvault/vault/journal"
)

// History is the part of a Vault that lists and undoes its recorded changes. It is safe for concurrent use.
type History struct {
	vault   *Vault
	journal *journal.Journal                             // records the changes; optional
	guard   func(ctx context.Context, path string) error // see Guard
}

// Version is the effect of a change on one file.
type Version struct {
	Path    string // before the change
	NewPath string // after the change, if it moved
	Same    bool   // its content did not change
	Known   bool   // the old and new texts, where it existed, are available
	Before  []byte
	After   []byte
}

// Version returns the version of one file, with its texts where available: from the journal, or because the vault
// still has them.
func (h *History) Version(_ context.Context, f *journal.File) Version {
	g := h.vault.workTree("")
	defer g.close()
	o := Version{Path: f.Path, NewPath: f.NewPath, Same: f.Before == f.After, Known: true}
	text := func(print, at string) []byte {
		if print == "" {
			return nil
		}
		if data, err := h.journal.Content(print); err == nil {
			return data
		}
		if s, err := g.look(at, readIt); err == nil && s.matches(print) && s.data != nil {
			return s.data
		}
		o.Known = false
		return nil
	}
	o.Before = text(f.Before, f.Path)
	if o.After = o.Before; !o.Same {
		o.After = text(f.After, f.At())
	}
	return o
}
