package cli

import (
	"context"
	"iter"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/vault"
)

// corpus lets the offline engine rank the vault's notes: it sees what a search of the vault
// shows, nothing protected, private or excluded, no file but notes.
type corpus struct{ vault *vault.Vault }

// Notes yields every note.
func (c corpus) Notes(ctx context.Context) iter.Seq2[retrieval.Note, error] {
	return func(yield func(retrieval.Note, error) bool) {
		ignored := c.vault.Ignored()
		for e, err := range c.vault.Notes(ctx) {
			if err == nil && ignored(e.Path) {
				continue
			}
			if !yield(retrieval.Note{Path: e.Path, Size: e.Size, Modified: e.Modified}, err) {
				return
			}
		}
	}
}

// Read returns the text of a note.
func (c corpus) Read(ctx context.Context, path string) ([]byte, error) {
	f, err := c.vault.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	return f.Data, nil
}

// Mark implements retrieval.Marked.
func (c corpus) Mark(ctx context.Context) any { return c.vault.Mark(ctx) }

// Workers implements retrieval.Texts.
func (c corpus) Workers() int { return c.vault.TextWorkers() }

// EachText implements retrieval.Texts.
func (c corpus) EachText(ctx context.Context, _ int, visit func(worker int, n retrieval.Note, text []byte)) error {
	ignored := c.vault.Ignored()
	return c.vault.Texts(ctx, "", func(worker int, t vault.Text) bool {
		if !ignored(t.Path) {
			visit(worker, retrieval.Note{Path: t.Path, Size: t.Stat.Size, Modified: t.Stat.Modified}, t.Data)
		}
		return true
	}, nil)
}

var (
	_ retrieval.Marked = corpus{}
	_ retrieval.Texts  = corpus{}
)
