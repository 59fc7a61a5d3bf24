package retrieval_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"chatvault/agent/llm/offline/retrieval"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memoryCorpus is a corpus in memory that counts reads.
type memoryCorpus struct {
	mu    sync.Mutex
	notes map[string]string
	times map[string]time.Time
	reads map[string]int
	fail  error
}

func newMemoryCorpus(notes map[string]string) *memoryCorpus {
	s := &memoryCorpus{notes: notes, times: map[string]time.Time{}, reads: map[string]int{}}
	for p := range notes {
		s.times[p] = time.Unix(1, 0)
	}
	return s
}

func (s *memoryCorpus) put(p, text string, at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes[p], s.times[p] = text, time.Unix(at, 0)
}

func (s *memoryCorpus) remove(p string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.notes, p)
}

func (s *memoryCorpus) Notes(context.Context) iter.Seq2[retrieval.Note, error] {
	return func(yield func(retrieval.Note, error) bool) {
		s.mu.Lock()
		var list []retrieval.Note
		for p, text := range s.notes {
			list = append(list, retrieval.Note{Path: p, Size: int64(len(text)), Modified: s.times[p]})
		}
		err := s.fail
		s.mu.Unlock()
		for _, n := range list {
			if !yield(n, nil) {
				return
			}
		}
		if err != nil {
			yield(retrieval.Note{}, err)
		}
	}
}

func (s *memoryCorpus) Read(_ context.Context, p string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads[p]++
	text, ok := s.notes[p]
	if !ok {
		return nil, errors.New("gone")
	}
	return []byte(text), nil
}

func (s *memoryCorpus) Head(ctx context.Context, p string, max int) ([]byte, error) {
	text, err := s.Read(ctx, p)
	return text[:min(len(text), max)], err
}

func (*memoryCorpus) Folder(context.Context, string) string { return "" }

func (*memoryCorpus) Mark(context.Context) any { return nil }

// best returns the path of the first hit, "" if there is none.
func best(t *testing.T, x *retrieval.Index, question string) string {
	t.Helper()
	hits, err := x.Search(context.Background(), retrieval.Query{Text: question}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(hits) == 0 {
		return ""
	}
	return hits[0].Path
}

func refresh(t *testing.T, x *retrieval.Index) {
	t.Helper()
	if err := x.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestSearchFinds(t *testing.T) {
	s := newMemoryCorpus(map[string]string{
		"Kitchen/Nectarine tart.md": "# Nectarine tart\n\nBake for 35 minutes.\n",
		"Kitchen/Leek soup.md":      "# Leek soup\n\nSimmer for an hour. Café style.\n",
		"Home/Woodburner.md":        "---\naliases: [stove]\ntags: [heating]\n---\nSwept in October by Mr Lugg.\n",
		"People/Ana.md":             "---\nphone: 555-0199\n---\nAnchors the evening news on television.\n",
		"Log/2026-11-02.md":         "Rain all day; repaired the gutter.\n",
		"東京.md":                     "# 東京旅行\n\n来年の春に行きます。\n",
	})
	x := retrieval.NewIndex(s)
	refresh(t, x)
	for question, want := range map[string]string{
		"dessert with stone fruit":    "Kitchen/Nectarine tart.md", // hypernyms
		"nectarin tarte":              "Kitchen/Nectarine tart.md", // misspelt
		"the nectarines":              "Kitchen/Nectarine tart.md", // stem
		"broth":                       "Kitchen/Leek soup.md",      // synonym
		"cafe":                        "Kitchen/Leek soup.md",      // accents
		"wood burner":                 "Home/Woodburner.md",        // two words for one
		"stove":                       "Home/Woodburner.md",        // alias
		"what about #heating":         "Home/Woodburner.md",        // tag
		"what is Ana's phone number?": "People/Ana.md",             // property
		"東京":                          "東京.md",
		"2026-11-02":                  "Log/2026-11-02.md",
		"xylograph quasar":            "",
	} {
		if got := best(t, x, question); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

func TestGenericWordsAreSearched(t *testing.T) {
	s := newMemoryCorpus(map[string]string{
		"Accepted formats.md": "# Accepted formats\n\nA vault takes these files: images, sound and text files.\n",
		"Paint.md":            "# Paint\n\nWhat I can add to it: water.\n\n[files]: https://example.com/files \"Files\"\n",
		"Tea.md":              "# Tea\n\nAdd milk.\n",
	})
	x := retrieval.NewIndex(s)
	refresh(t, x)
	hits, err := x.Search(context.Background(), retrieval.Query{Text: "which files can I have?"}, 3)
	if err != nil || len(hits) == 0 || hits[0].Path != "Accepted formats.md" {
		t.Errorf("%+v, %v", hits, err)
	}
	for _, h := range hits {
		if strings.Contains(h.Text, "example.com") {
			t.Errorf("the passage contains a link's destination: %q", h.Text)
		}
	}
}

func TestRefreshFollowsCorpus(t *testing.T) {
	s := newMemoryCorpus(map[string]string{"a.md": "red apples", "b.md": "green pears"})
	x := retrieval.NewIndex(s)
	refresh(t, x)
	before := s.reads["a.md"]
	refresh(t, x)
	if s.reads["a.md"] != before {
		t.Error("an unchanged note was read again by a refresh")
	}
	s.put("a.md", "blue whales", 2)
	s.put("c.md", "yellow submarines", 2)
	s.remove("b.md")
	refresh(t, x)
	for question, want := range map[string]string{"whales": "a.md", "submarines": "c.md", "apples": "", "pears": ""} {
		if got := best(t, x, question); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
	if n := len(x.Entries()); n != 2 {
		t.Errorf("%d notes", n)
	}
	for i := range 40 { // many small segments are merged
		s.put("d.md", fmt.Sprintf("version number%d", i), int64(10+i))
		refresh(t, x)
	}
	if got := best(t, x, "number39"); got != "d.md" {
		t.Errorf("after many refreshes: %q", got)
	}
	if got := best(t, x, "number38"); got == "d.md" && len(x.Entries()) != 3 {
		t.Errorf("an old version is still found, %d notes", len(x.Entries()))
	}
}

func TestRefreshReportsWalkError(t *testing.T) {
	s := newMemoryCorpus(map[string]string{"a.md": "x"})
	s.fail = errors.New("the disk is gone")
	if err := retrieval.NewIndex(s).Refresh(context.Background()); !errors.Is(err, s.fail) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := retrieval.NewIndex(newMemoryCorpus(map[string]string{"a.md": "x"})).Refresh(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("with a canceled context: %v", err)
	}
}

func TestIndexIsSafeForConcurrentUse(t *testing.T) {
	s := newMemoryCorpus(map[string]string{})
	for i := range 200 {
		s.put(fmt.Sprintf("n%d.md", i), fmt.Sprintf("# Note %d\n\nabout topic%d and apples\n", i, i%7), 1)
	}
	x := retrieval.NewIndex(s)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 10 {
				s.put(fmt.Sprintf("w%d-%d.md", w, i), "fresh pears", int64(i))
				if err := x.Refresh(context.Background()); err != nil {
					t.Error(err)
				}
				if _, err := x.Search(context.Background(), retrieval.Query{Text: "apples topic3"}, 3); err != nil {
					t.Error(err)
				}
				_ = x.Entries()
			}
		})
	}
	wg.Wait()
	refresh(t, x)
	if n := len(x.Entries()); n != 240 {
		t.Errorf("%d notes", n)
	}
}

func TestBestPassage(t *testing.T) {
	s := newMemoryCorpus(map[string]string{"Van.md": strings.Join([]string{
		"# The van", "", "Bought in 2016. The van is red.", "", "## Repairs", "", "- new [[Tyres|tyres]] in May", "- the clutch costs 540 pounds", "",
		"## Trips", "", "To Wales and back.",
	}, "\n")})
	x := retrieval.NewIndex(s)
	refresh(t, x)
	hits, err := x.Search(context.Background(), retrieval.Query{Text: "how much is the clutch of the van?"}, 1)
	if err != nil || len(hits) != 1 {
		t.Fatal(hits, err)
	}
	p := hits[0].Passages[0]
	if p.Line != 8 || p.Text != "the clutch costs 540 pounds" || !slices.Equal(p.Headings, []string{"The van", "Repairs"}) {
		t.Errorf("%+v", p)
	}
}
