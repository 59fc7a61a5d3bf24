// Package ranked ranks the notes of a vault for natural-language questions, for the offline engine and the tool
// find_notes. It sees only notes that a search of the vault shows.
package ranked

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/vault"
	"chatvault/vault/pathname"
	"chatvault/vault/walk"
)

// corpus is the set of ranked notes: all except protected, private and excluded ones. They are read through any of the
// open vaults.
type corpus struct {
	*readers
	aside string // a folder to omit, folded, with a trailing slash; "" if none
}

// ignored returns a function that reports whether a note of v is omitted.
func (c corpus) ignored(v *vault.Vault) func(path string) bool {
	excluded := v.Source().IgnoredFiles()
	return func(path string) bool { return excluded(path) || c.isAside(path) }
}

// isAside reports whether a path is the omitted folder or below it.
func (c corpus) isAside(path string) bool {
	return c.aside != "" && strings.HasPrefix(pathname.Fold(path)+"/", c.aside)
}

type readers struct {
	mu   sync.Mutex
	open []*reader
}

type reader struct {
	vault *vault.Vault
	users sync.WaitGroup
}

func (c *readers) join(v *vault.Vault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = append(c.open, &reader{vault: v})
}

// alone reports whether at most one vault is open.
func (c *readers) alone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) <= 1
}

// leave waits until no read uses v any more. last reports whether no vault remains open.
func (c *readers) leave(v *vault.Vault) (last bool) {
	c.mu.Lock()
	i := slices.IndexFunc(c.open, func(r *reader) bool { return r.vault == v })
	if i < 0 {
		c.mu.Unlock()
		return false
	}
	r := c.open[i]
	c.open = slices.Delete(c.open, i, i+1)
	last = len(c.open) == 0
	c.mu.Unlock()
	r.users.Wait()
	return last
}

var errClosed = errors.New("the vault is closed")

// with calls do with one of the vaults, preferably one with an index in memory.
func (c *readers) with(do func(v *vault.Vault) error) error {
	c.mu.Lock()
	if len(c.open) == 0 {
		c.mu.Unlock()
		return errClosed
	}
	r := c.open[max(slices.IndexFunc(c.open, func(r *reader) bool { return r.vault.Index.State().Ready }), 0)]
	r.users.Add(1)
	c.mu.Unlock()
	defer r.users.Done()
	return do(r.vault)
}

// Notes implements retrieval.Corpus.
func (c corpus) Notes(ctx context.Context) iter.Seq2[retrieval.Note, error] {
	return func(yield func(retrieval.Note, error) bool) {
		err := c.with(func(v *vault.Vault) error {
			ignored, template := c.ignored(v), v.Obsidian.IsTemplate()
			for e, err := range v.Source().Notes(ctx) {
				if err == nil && ignored(e.Path) {
					continue
				}
				if !yield(retrieval.Note{Path: e.Path, Size: e.Size, Modified: e.Modified, Template: template(e.Path)}, err) {
					break
				}
			}
			return nil
		})
		if err != nil {
			yield(retrieval.Note{}, err)
		}
	}
}

// Read implements retrieval.Corpus.
func (c corpus) Read(ctx context.Context, path string) (data []byte, err error) {
	err = c.with(func(v *vault.Vault) error {
		f, err := v.Read(ctx, path)
		if err == nil {
			data = f.Data
		}
		return err
	})
	return data, err
}

// Mark implements retrieval.Corpus.
func (c corpus) Mark(ctx context.Context) (mark any) {
	_ = c.with(func(v *vault.Vault) error { mark = v.Index.Mark(ctx); return nil })
	return mark
}

// Head implements retrieval.Corpus.
func (c corpus) Head(ctx context.Context, path string, max int) (data []byte, err error) {
	err = c.with(func(v *vault.Vault) error { data, err = v.Head(ctx, path, max); return err })
	return data, err
}

// Workers implements retrieval.Texts.
func (c corpus) Workers() int { return walk.Workers() }

// EachText implements retrieval.Texts.
func (c corpus) EachText(ctx context.Context, max int, visit func(worker int, n retrieval.Note, text []byte)) error {
	return c.with(func(v *vault.Vault) error {
		ignored, template := c.ignored(v), v.Obsidian.IsTemplate()
		return v.Source().Heads(ctx, "", max, func(worker int, t walk.Text) bool {
			if !ignored(t.Path) {
				visit(worker, retrieval.Note{Path: t.Path, Size: t.Stat.Size, Modified: t.Stat.Modified, Template: template(t.Path)}, t.Data[:min(len(t.Data), max)])
			}
			return true
		}, nil)
	})
}

var _ retrieval.Texts = corpus{}
