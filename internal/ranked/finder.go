package ranked

import (
	"context"
	"sync"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/routine"
	"chatvault/tools"
	"chatvault/vault"
)

// Finder ranks the notes of a vault for the tool find_notes. A process that stays keeps an index from the
// first question on; until it is made, and where the process ends soon, all texts are gone through.
type Finder struct {
	corpus Corpus
	stays  bool
	begin  sync.Once
	index  *retrieval.Index

	ctx   context.Context // ends with the process that stays
	stop  context.CancelFunc
	works sync.WaitGroup
}

var _ tools.NoteFinder = (*Finder)(nil)

// NewFinder returns a finder over v. stays says that the process does.
func NewFinder(v *vault.Vault, stays bool) *Finder {
	c := Corpus{v}
	f := &Finder{corpus: c, stays: stays, index: retrieval.NewIndex(c)}
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// Close ends what is done in the background.
func (f *Finder) Close() {
	f.stop()
	f.works.Wait()
}

// Index makes the index now, for whoever cannot wait for it to be made beside the first question.
func (f *Finder) Index(ctx context.Context) error { return f.index.Refresh(ctx) }

// FindNotes implements tools.NoteFinder.
func (f *Finder) FindNotes(ctx context.Context, query, under string, limit int) ([]tools.FoundNote, error) {
	q := retrieval.Query{Text: query, Under: under}
	var hits []retrieval.Hit
	var err error
	if f.index.Filled() {
		if err = f.index.Refresh(ctx); err == nil {
			hits, err = f.index.Search(ctx, q, limit)
		}
	} else {
		hits, err = retrieval.Once(ctx, f.corpus, q, limit)
		if f.stays {
			f.begin.Do(func() {
				routine.Join(&f.works, "index the notes", func() { _ = f.index.Refresh(f.ctx) }) // what failed, the next question goes without
			})
		}
	}
	if err != nil {
		return nil, err
	}
	ignored := f.corpus.vault.Ignored()
	var out []tools.FoundNote
	for _, h := range hits {
		if ignored(h.Path) {
			continue
		}
		p := h.Passages[0]
		n := tools.FoundNote{Path: h.Path, Line: p.Line, Passage: h.Text}
		if len(p.Headings) > 0 {
			n.Heading = p.Headings[len(p.Headings)-1]
		}
		out = append(out, n)
	}
	return out, nil
}
