package retrieval_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/agent/llm/offline/retrieval"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"The cat's pyjamas, at 7:05!": {"the", "cat", "pyjamas", "at", "7", "05"},
		"Crème brûlée NAÏVE":          {"creme", "brulee", "naive"},
		"東京旅行と4の":                     {"東京", "京旅", "旅行", "行と", "4", "の"},
		"e\u0301t\u00e9":              {"ete"},
		"it’s James’s":                {"it", "james"},
		"":                            nil,
	} {
		if got := retrieval.Words(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for _, pair := range [][2]string{
		{"ran", "running"}, {"bought", "buying"}, {"children", "child"}, {"knives", "knife"}, {"color", "colours"}, {"recipes", "recipe"}, {"married", "marriage"},
	} {
		if a, b := retrieval.Stem(pair[0]), retrieval.Stem(pair[1]); a != b {
			t.Errorf("%s is %q, %s is %q", pair[0], a, pair[1], b)
		}
	}
}

func TestPlainText(t *testing.T) {
	for text, want := range map[string]string{
		"see [[Alpha|the plan]] and [[Folder/Beta#Part]]": "see the plan and Beta Part",
		"**bold**, ==marked==, ~~struck~~, *soft*":        "bold, marked, ~~struck~~, *soft*",
		"[label](https://example.com) ![alt](x.png)":      "label alt",
		"text %%hidden%% more <!-- gone --> end ^block-1": "text  more  end",
		"an [open bracket and [[an open link":             "an [open bracket and [[an open link",
		"a_b [x] done":                                    "a_b [x] done",
	} {
		if got := retrieval.PlainText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestFences: a fence is closed only by one that is at least as long; everything in between is code.
func TestFences(t *testing.T) {
	var kinds []retrieval.LineKind
	for _, l := range retrieval.Lines([]byte("````md\n```\n# no heading\n```\n````\n# Head\n")) {
		kinds = append(kinds, l.Kind)
	}
	code := retrieval.LineCode
	if want := []retrieval.LineKind{code, code, code, code, code, retrieval.LineHeading}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}

func TestBlocks(t *testing.T) {
	note := "---\ntitle: T\nrating: 7\n---\n# Head\nfirst line\nsecond line\n\n- [ ] open\n  nested\n- [x] done\n\n> quoted\n> more\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n## Sub\nlast"
	type block struct {
		line, end int
		kind      retrieval.LineKind
		text      string
		head      string
	}
	var got []block
	for _, b := range retrieval.Blocks([]byte(note)) {
		got = append(got, block{b.Line, b.End, b.Kind, b.Text, strings.Join(b.Headings, "/")})
	}
	want := []block{
		{2, 2, retrieval.LineProperty, "title: T", ""},
		{3, 3, retrieval.LineProperty, "rating: 7", ""},
		{6, 7, retrieval.LineText, "first line\nsecond line", "Head"},
		{9, 10, retrieval.LineItem, "open\nnested", "Head"},
		{11, 11, retrieval.LineItem, "done", "Head"},
		{13, 14, retrieval.LineQuote, "quoted\nmore", "Head"},
		{16, 16, retrieval.LineTable, "| a | b |", "Head"},
		{18, 18, retrieval.LineTable, "| 1 | 2 |", "Head"},
		{20, 22, retrieval.LineCode, "\ncode\n", "Head"},
		{24, 24, retrieval.LineText, "last", "Head/Sub"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestParseMeta(t *testing.T) {
	m := retrieval.ParseMeta([]byte("---\naliases:\n  - One\n  - \"Two\"\ntags: [a, b/c]\ndate: 2026-11-03\n---\n# Title\n\nwith #inline and #7 no tag\n"))
	if m.Title != "Title" || !slices.Equal(m.Aliases, []string{"One", "Two"}) || !slices.Equal(m.Tags, []string{"a", "b/c", "inline"}) {
		t.Errorf("%+v", m)
	}
}

func TestThesaurus(t *testing.T) {
	th := retrieval.ParseThesaurus("# comment\nsofa, couch\nfruit > apple, drupe, soft fruit\ndrupe > peach\n")
	weight := func(from, to string) float64 {
		for _, r := range th.Related(from) {
			if r.Stem == to {
				return r.Weight
			}
		}
		return 0
	}
	if s, n, b := weight("sofa", "couch"), weight("fruit", "appl"), weight("appl", "fruit"); s == 0 || n == 0 || b == 0 || b >= n {
		t.Errorf("synonym %v, narrower %v, broader %v", s, n, b)
	}
	if weight("appl", "drupe") != 0 {
		t.Error("siblings are taken for synonyms")
	}
	if weight("fruit", "peach") == 0 || weight("fruit", "soft fruit") != 0 {
		t.Error("a term over two relations, or a phrase")
	}
	if !retrieval.DefaultThesaurus().Has(retrieval.Stem("dessert")) {
		t.Error("the built-in thesaurus is empty")
	}
}

// TestAnyText: no text makes the readers panic or miscount lines.
func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"\n", "# ", "- [ ] ", "---\n", "```\n", "[[", "]]", "|", "> ", "word", "é", "東京", "\xff", "%%", "[a](", ")", "#tag", "key: [a, b]\n", "\r\n", " ", "^id"})).Draw(t, "parts")
		text := strings.Join(parts, "")
		lines := 0
		for i, l := range retrieval.Lines([]byte(text)) {
			if l.Number != i+1 {
				t.Fatalf("line %d has number %d", i+1, l.Number)
			}
			lines++
		}
		if want := strings.Count(text, "\n"); lines != want && lines != want+1 {
			t.Fatalf("%d lines of %d", lines, want)
		}
		for _, b := range retrieval.Blocks([]byte(text)) {
			if b.Line < 1 || b.End < b.Line || b.End > lines {
				t.Fatalf("block %+v of %d lines", b, lines)
			}
		}
		_ = retrieval.ParseMeta([]byte(text))
	})
}

// TestTopics: a note on the query's topic ranks above one that only shares a word with it.
func TestTopics(t *testing.T) {
	s := newMemoryCorpus(map[string]string{
		"A.md": "Oats, pecans, coconut oil and maple syrup on a tray.\n",
		"B.md": "The invoice for the server is overdue; the contract ends in May.\n",
		"C.md": "Deploy failed, rollback of the database took an hour.\n",
	})
	x := retrieval.NewIndex(s)
	refresh(t, x)
	for question, want := range map[string]string{"breakfast to prepare at home": "A.md", "software trouble": "C.md"} {
		if got := best(t, x, question); got != want {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}
