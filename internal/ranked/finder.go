package ranked

import (
	"context"
	"slices"
	"sync"

	"chatvault/agent/llm/offline/retrieval"
	"chatvault/internal/routine"
	"chatvault/tools"
	"chatvault/vault"
	"chatvault/vault/fold"
)

// Finder ranks the notes of a vault for the tool find_notes. A process that stays keeps an index from the
// first question on; until it is made, and where the process ends soon, all texts are gone through.
type Finder struct {
	corpus corpus
	stays  bool
	begin  sync.Once
	index  *retrieval.Index

	ctx   context.Context // ends with the process that stays
	stop  context.CancelFunc
	works sync.WaitGroup
}

var _ tools.NoteFinder = (*Finder)(nil)

// NewFinder returns a finder over v. stays says that the process does. What is in the folder aside, where one
// is named, is found by who asks for the folder alone.
func NewFinder(v *vault.Vault, stays bool, aside string) *Finder {
	f := &Finder{stays: stays, corpus: corpus{readers: &readers{}}}
	if aside != "" {
		f.corpus.aside = fold.Name(aside) + "/"
	}
	f.corpus.join(v)
	f.index = retrieval.NewIndex(f.corpus)
	f.ctx, f.stop = context.WithCancel(context.Background())
	return f
}

// Leave is told before a vault is closed; the finder ends with the last one.
func (f *Finder) Leave(v *vault.Vault) {
	if f.corpus.leave(v) {
		f.stop()
		f.works.Wait()
	}
}

// Notes is the index of the notes, for the offline engine.
func (f *Finder) Notes() *retrieval.Index { return f.index }

// Finders are those of a process that opens vaults several times: they are in memory once.
type Finders struct {
	mu      sync.Mutex
	finders map[string]*Finder
}

// Of is the finder of a vault that was opened just now, as NewFinder makes it; as says which others show the
// same notes. Without Finders it is one of its own.
func (s *Finders) Of(v *vault.Vault, as string, stays bool, aside string) (f *Finder, leave func()) {
	if s == nil {
		f = NewFinder(v, stays, aside)
		return f, func() { f.Leave(v) }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f = s.finders[as]; f != nil {
		f.corpus.join(v)
	} else {
		if s.finders == nil {
			s.finders = map[string]*Finder{}
		}
		f = NewFinder(v, stays, aside)
		s.finders[as] = f
	}
	return f, func() {
		s.mu.Lock()
		if f.corpus.alone() {
			delete(s.finders, as)
		}
		s.mu.Unlock()
		f.Leave(v)
	}
}

// Index makes the index now, for whoever cannot wait for it to be made beside the first question.
func (f *Finder) Index(ctx context.Context) error { return f.index.Refresh(ctx) }

// FindNotes implements tools.NoteFinder.
func (f *Finder) FindNotes(ctx context.Context, query, under string, limit int) ([]tools.FoundNote, error) {
	q := retrieval.Query{Text: query, Under: under}
	var hits []retrieval.Hit
	var err error
	switch {
	case f.corpus.isAside(under):
		hits, err = retrieval.Once(ctx, corpus{f.corpus.readers, ""}, q, limit)
	case f.index.Filled():
		if err = f.index.Refresh(ctx); err == nil {
			hits, err = f.index.Search(ctx, q, limit)
		}
	default:
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
	ignored := func(string) bool { return false }
	_ = f.corpus.in(func(v *vault.Vault) error { ignored = v.Ignored(); return nil })
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
	is := func(other string) bool { return fold.Name(other) == fold.Name(name) }
	for _, e := range f.index.Entries() {
		if is(e.Title) || slices.ContainsFunc(e.Aliases, is) {
			out = append(out, e.Path)
		}
	}
	return out, nil
}
