package cli

import (
	"context"
	"strings"
	"sync"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/routine"
	"chatvault/tools"
	"chatvault/vault"
)

// noteFinder ranks the notes of a vault for find_notes. A process that stays keeps an index from the
// first question on; until it is made, and where the process ends soon, all texts are gone through.
type noteFinder struct {
	corpus corpus
	stays  bool
	begin  sync.Once
	index  *retrieval.Index

	ctx   context.Context // ends with the process that stays
	stop  context.CancelFunc
	works sync.WaitGroup
}

var _ tools.NoteFinder = (*noteFinder)(nil)

func newNoteFinder(v *vault.Vault, stays bool) *noteFinder {
	c := corpus{v}
	f := &noteFinder{corpus: c, stays: stays, index: retrieval.NewIndex(c)}
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// close ends what is done in the background.
func (f *noteFinder) close() {
	f.stop()
	f.works.Wait()
}

// FindNotes implements tools.NoteFinder.
func (f *noteFinder) FindNotes(ctx context.Context, query, under string, limit int) ([]tools.FoundNote, error) {
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
		text, err := f.corpus.Read(ctx, h.Path)
		if err != nil || len(h.Passages) == 0 {
			continue // gone meanwhile
		}
		p := h.Passages[0]
		lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
		n := tools.FoundNote{Path: h.Path, Line: p.Line, Passage: strings.Join(lines[min(p.Line-1, len(lines)):min(p.End, len(lines))], "\n")}
		if len(p.Headings) > 0 {
			n.Heading = p.Headings[len(p.Headings)-1]
		}
		out = append(out, n)
	}
	return out, nil
}
