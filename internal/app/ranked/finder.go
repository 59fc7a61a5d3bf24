package ranked

import (
	"context"
	"slices"
	"sync"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/base/routine"
	"chatvault/tools"
	"chatvault/vault"
	"chatvault/vault/pathname"
)

// Finder ranks the notes of a vault for the tool find_notes. A long-running process builds an index in the background
// at the first question; until it is ready, and in a short-lived process, a question reads all texts.
type Finder struct {
	corpus      corpus
	longRunning bool
	begin       sync.Once
	index       *retrieval.Index

	ctx   context.Context // ends with the finder
	stop  context.CancelFunc
	works sync.WaitGroup
}

var _ tools.NoteFinder = (*Finder)(nil)

// NewFinder returns a finder over v. stays is set in a long-running process. The notes in the folder aside, if it is
// not "", are found only by queries for that folder.
func NewFinder(v *vault.Vault, stays bool, aside string) *Finder {
	f := &Finder{longRunning: stays, corpus: corpus{vault: v}}
	if aside != "" {
		f.corpus.aside = pathname.Fold(aside) + "/"
	}
	f.index = retrieval.NewIndex(f.corpus)
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// Close stops building the index. It must be called before the vault is closed.
func (f *Finder) Close() {
	f.stop()
	f.works.Wait()
}

// Notes returns the index of the notes, for the offline engine.
func (f *Finder) Notes() *retrieval.Index { return f.index }

// Index builds the index now, for callers that cannot wait for the background.
func (f *Finder) Index(ctx context.Context) error { return f.index.Refresh(ctx) }

// FindNotes implements tools.NoteFinder.
func (f *Finder) FindNotes(ctx context.Context, query, under string, limit int) ([]tools.FoundNote, error) {
	q := retrieval.Query{Text: query, Under: under}
	var hits []retrieval.Hit
	var err error
	switch {
	case f.corpus.isAside(under):
		hits, err = retrieval.Once(ctx, corpus{vault: f.corpus.vault}, q, limit)
	case f.index.Filled():
		if err = f.index.Refresh(ctx); err == nil {
			hits, err = f.index.Search(ctx, q, limit)
		}
	default:
		hits, err = retrieval.Once(ctx, f.corpus, q, limit)
		if f.longRunning {
			f.begin.Do(func() {
				routine.Join(&f.works, "index the notes", func() { _ = f.index.Refresh(f.ctx) }) // on an error, the next question continues without it
			})
		}
	}
	if err != nil {
		return nil, err
	}
	ignored := f.corpus.vault.Source().IgnoredFiles() // with the settings of now
	var out []tools.FoundNote
	for _, h := range hits {
		if ignored(h.Path) {
			continue
		}
		p := h.Passages[0]
		n := tools.FoundNote{Path: h.Path, Line: p.Line, Passage: h.Text, Coverage: h.Coverage}
		if len(p.Headings) > 0 {
			n.Heading = p.Headings[len(p.Headings)-1]
		}
		out = append(out, n)
	}
	return out, nil
}

// Called implements tools.NoteFinder.
func (f *Finder) Called(ctx context.Context, name string) ([]string, error) {
	if err := f.index.Refresh(ctx); err != nil {
		return nil, err
	}
	var out []string
	is := func(other string) bool { return pathname.Fold(other) == pathname.Fold(name) }
	for _, e := range f.index.Entries() {
		if is(e.Title) || slices.ContainsFunc(e.Aliases, is) {
			out = append(out, e.Path)
		}
	}
	return out, nil
}
