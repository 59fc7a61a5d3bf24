package retrieval_test

import (
	"context"
	"slices"
	"testing"

	"chatvault/agent/llm/offline/retrieval"
)

// folderTexts is a folder that provides all texts at once.
type folderTexts struct{ folder }

func (folderTexts) Workers() int { return 2 }

func (f folderTexts) EachText(ctx context.Context, max int, visit func(int, retrieval.Note, []byte)) error {
	i := 0
	for n, err := range f.Notes(ctx) {
		if err != nil {
			return err
		}
		text, err := f.Read(ctx, n.Path)
		if err != nil {
			return err
		}
		visit(i%f.Workers(), n, text[:min(len(text), max)])
		i++
	}
	return nil
}

// TestSearchWithoutIndexAgrees: a single search without an index finds the same notes as one with it.
func TestSearchWithoutIndexAgrees(t *testing.T) {
	ctx := context.Background()
	dir := folder(repository + "/testdata/vault")
	x := retrieval.NewIndex(dir)
	if err := x.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	same, all := 0, 0
	for _, q := range []string{
		"what was that dessert with stone fruit?", "who coordinates the volunteers against flooding?", "grandmother's cookies",
		"which batteries should I take to the old lady?", "wintr concrt programme", "enclosur moisture", "the whaling novel I gave up on", "zzzyx",
	} {
		a, err := x.Search(ctx, retrieval.Query{Text: q}, 3)
		if err != nil {
			t.Fatal(err)
		}
		b, err := retrieval.Once(ctx, folderTexts{dir}, retrieval.Query{Text: q}, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(a) > 0 && len(b) > 0 && a[0].Path == b[0].Path || len(a)+len(b) == 0 {
			same++
		} else {
			t.Logf("%q: %v, %v", q, paths(a), paths(b))
		}
		all++
	}
	if same < all-1 { // only an index knows words of the same root
		t.Errorf("%d of %d questions find the same note", same, all)
	}
}

func paths(hits []retrieval.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Path)
	}
	return slices.Clip(out)
}
