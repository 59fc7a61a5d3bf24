// Package ranked ranks the notes of a vault for natural-language questions, for the offline engine and the tool
// find_notes. It sees only notes that a search of the vault shows.
package ranked

import (
	"context"
	"iter"
	"strings"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/vault"
	"chatvault/vault/glob"
	"chatvault/vault/note"
	"chatvault/vault/pathname"
	"chatvault/vault/walk"
)

// corpus is the set of ranked notes: all except protected, private and excluded ones.
type corpus struct {
	vault *vault.Vault
	aside string // a folder to omit, folded, with a trailing slash; "" if none
}

var _ retrieval.Texts = corpus{}

// ignored returns a function that reports whether a note is omitted.
func (c corpus) ignored() func(path string) bool {
	excluded := c.vault.Source().IgnoredFiles()
	return func(path string) bool { return excluded(path) || c.isAside(path) }
}

// isAside reports whether a path is the omitted folder or below it.
func (c corpus) isAside(path string) bool {
	return c.aside != "" && strings.HasPrefix(pathname.Fold(path)+"/", c.aside)
}

// readable returns at most max bytes of what can be searched in a text.
func readable(t walk.Text, max int) []byte {
	data := note.Readable(t.Path, t.Data)
	return data[:min(len(data), max)]
}

// Notes implements retrieval.Corpus.
func (c corpus) Notes(ctx context.Context) iter.Seq2[retrieval.Note, error] {
	return func(yield func(retrieval.Note, error) bool) {
		ignored, template := c.ignored(), c.vault.Obsidian.IsTemplate()
		for e, err := range c.vault.Source().Files(ctx, glob.Readable) {
			if err == nil && ignored(e.Path) {
				continue
			}
			if !yield(retrieval.Note{Path: e.Path, Size: e.Size, Modified: e.Modified, Template: template(e.Path)}, err) {
				return
			}
		}
	}
}

// Read implements retrieval.Corpus.
func (c corpus) Read(ctx context.Context, path string) ([]byte, error) {
	f, err := c.vault.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	return note.Readable(path, f.Data), nil
}

// Folder implements retrieval.Corpus.
func (c corpus) Folder(ctx context.Context, path string) string {
	if i, err := c.vault.Stat(ctx, path); err == nil && i.Folder {
		return i.Path
	}
	return ""
}

// Mark implements retrieval.Corpus.
func (c corpus) Mark(ctx context.Context) any { return c.vault.Index.Mark(ctx) }

// Head implements retrieval.Corpus.
func (c corpus) Head(ctx context.Context, path string, max int) ([]byte, error) {
	if note.IsDrawing(path) {
		return c.Read(ctx, path) // JSON is read whole
	}
	text, err := c.vault.Head(ctx, path, max)
	return note.Readable(path, text), err
}

// Workers implements retrieval.Texts.
func (c corpus) Workers() int { return walk.Workers() }

// EachText implements retrieval.Texts.
func (c corpus) EachText(ctx context.Context, max int, visit func(worker int, n retrieval.Note, text []byte)) error {
	ignored, template := c.ignored(), c.vault.Obsidian.IsTemplate()
	return c.vault.Source().Heads(ctx, "*.{md,markdown,canvas,excalidraw}", max, func(worker int, t walk.Text) bool {
		if !ignored(t.Path) {
			visit(worker, retrieval.Note{Path: t.Path, Size: t.Stat.Size, Modified: t.Stat.Modified, Template: template(t.Path)}, readable(t, max))
		}
		return true
	}, nil)
}
