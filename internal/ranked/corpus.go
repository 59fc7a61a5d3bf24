// Package ranked ranks the notes of a vault for questions in plain words: for the offline engine, and
// for the tool find_notes. It sees what a search of the vault shows.
package ranked

import (
	"context"
	"iter"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/vault"
	"chatvault/vault/walk"
)

// Corpus is the notes of a vault that are ranked: nothing protected, private or excluded, no file but
// notes.
type Corpus struct{ vault *vault.Vault }

// NewCorpus returns the notes of v.
func NewCorpus(v *vault.Vault) Corpus { return Corpus{v} }

// Notes yields every note.
func (c Corpus) Notes(ctx context.Context) iter.Seq2[retrieval.Note, error] {
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
func (c Corpus) Read(ctx context.Context, path string) ([]byte, error) {
	f, err := c.vault.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	return f.Data, nil
}

// Mark implements retrieval.Marked.
func (c Corpus) Mark(ctx context.Context) any { return c.vault.Mark(ctx) }

// Head implements retrieval.Heads.
func (c Corpus) Head(ctx context.Context, path string, max int) ([]byte, error) {
	return c.vault.Head(ctx, path, max)
}

// Workers implements retrieval.Texts.
func (c Corpus) Workers() int { return c.vault.TextWorkers() }

// EachText implements retrieval.Texts.
func (c Corpus) EachText(ctx context.Context, _ int, visit func(worker int, n retrieval.Note, text []byte)) error {
	ignored := c.vault.Ignored()
	return c.vault.Texts(ctx, "", func(worker int, t walk.Text) bool {
		if !ignored(t.Path) {
			visit(worker, retrieval.Note{Path: t.Path, Size: t.Stat.Size, Modified: t.Stat.Modified}, t.Data)
		}
		return true
	}, nil)
}

var (
	_ retrieval.Marked = Corpus{}
	_ retrieval.Heads  = Corpus{}
	_ retrieval.Texts  = Corpus{}
)
