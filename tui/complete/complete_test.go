package complete

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAt(t *testing.T) {
	for _, tt := range []struct {
		line  string // the cursor is at the bar
		more  bool   // other lines
		kind  Kind
		query string
		note  string
		taken string // the text replaced by a candidate
	}{
		{line: "", kind: None},
		{line: "|", kind: None},
		{line: "/|", kind: Command, taken: "/"},
		{line: "/he|", kind: Command, query: "he", taken: "/he"},
		{line: "/goal re|", kind: Command, query: "goal re", taken: "/goal re"},
		{line: "/he|", more: true, kind: None},
		{line: "a /he|", kind: None},
		{line: "see [[|", kind: Note, taken: "[["},
		{line: "see [[nec ta|", kind: Note, query: "nec ta", taken: "[[nec ta"},
		{line: "see [[nec|]] and", kind: Note, query: "nec", taken: "[[nec]]"},
		{line: "see [[a]] b|", kind: None},
		{line: "see [[a|b|", kind: None},
		{line: "[[ a|", kind: None},
		{line: "[[Note#|", kind: Heading, note: "Note", taken: "[[Note#"},
		{line: "[[Note#Hea|]]", kind: Heading, note: "Note", query: "Hea", taken: "[[Note#Hea]]"},
		{line: "[[#|", kind: None},
		{line: "@|", kind: File, taken: "@"},
		{line: "look (@Pro|", kind: File, query: "Pro", taken: "@Pro"},
		{line: `look @"A no|" x`, kind: File, query: "A no", taken: `@"A no"`},
		{line: `look @"A no" x|`, kind: None},
		{line: "me@home|", kind: None},
		{line: "@a@b|", kind: None},
		{line: "#|", kind: Tag, taken: "#"},
		{line: "all #pro/a|", kind: Tag, query: "pro/a", taken: "#pro/a"},
		{line: "## x|", kind: None},
		{line: "##|", kind: None},
		{line: "issue #12|", kind: None},
		{line: "#ä|", kind: Tag, query: "ä", taken: "#ä"},
		{line: "C#|", kind: None},
	} {
		col := strings.LastIndexByte(tt.line, '|')
		line := tt.line
		if col >= 0 {
			line = line[:col] + line[col+1:]
		}
		got := At(line, col, !tt.more)
		if got.Kind != tt.kind || got.Query != tt.query || got.Note != tt.note {
			t.Errorf("%q: %+v", tt.line, got)
		} else if got.Kind != None && line[got.From:got.To] != tt.taken {
			t.Errorf("%q takes the place of %q", tt.line, line[got.From:got.To])
		}
	}
}

func TestAtStaysInTheLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`[a/#@"\[\]| é😀]{0,20}`).Draw(t, "line")
		col := rapid.IntRange(0, len(line)).Draw(t, "col")
		g := At(line, col, rapid.Bool().Draw(t, "only"))
		if g.Kind != None && (g.From < 0 || g.From > col || g.To < col || g.To > len(line)) {
			t.Fatalf("%q at %d: %+v", line, col, g)
		}
	})
}

func TestMentions(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                nil,
		"read @a.md, and @b/c.md.":        {"a.md", "b/c.md"},
		`@"A note.md" (@Projects/) @a @a`: {"A note.md", "Projects/", "a"},
		"mail me@home.org or @":           nil,
		`@"never closed`:                  nil,
		"@\"over\nlines\" x":              nil,
		"say “@Plan.md”":                  {"Plan.md"},
		"@a@b":                            nil,
		`@"it's \"quoted\".md" and`:       {`it's "quoted".md`},
		`@"  lead.md" @"a\\b c.md"`:       {"  lead.md", `a\b c.md`},
		`@"a\\"`:                          {`a\`},
		`@"never \"closed`:                nil,
		`@"esc\u001b[31mred.md"`:          {"esc\x1b[31mred.md"},
	} {
		if got := Mentions(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Mentions finds what Mention writes, in any position.
func TestMentionIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.StringMatching(`[A-Za-zé "][A-Za-z0-9é .,'()\[\]"@\\-]{0,10}(/[A-Za-z][A-Za-z .u0]{0,8})?[a-z./"]`).Draw(t, "path")
		text := "please read " + Mention(path) + " and tell"
		if got := Mentions(text); len(got) != 1 || got[0] != path {
			t.Fatalf("%q: %q", text, got)
		}
		if got := At(text, strings.LastIndex(text, " and tell"), false); got.Kind == File && got.Query != path {
			t.Fatalf("%q: %+v", text, got)
		}
	})
}

func items(names ...string) []Item {
	out := make([]Item, len(names))
	for i, n := range names {
		out[i] = Item{Text: n}
	}
	return out
}

func texts(hits []Hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.Text
	}
	return out
}

func TestRanking(t *testing.T) {
	for _, tt := range []struct {
		query string
		names []string // in the expected order
	}{
		{"tart", []string{"tart", "Recipes/tart", "tartlets", "Plum tart", "Recipes/Plum tart", "startup"}},
		{"alpha", []string{"Alpha.md", "Projects/Alpha.md", "Alphabet.md", "Old alpha.md", "Alpha/notes.md"}},
		{"nt", []string{"nt", "nth", "Nectarine tart", "Recipes/Nectarine tart"}},
		{"tomriv", []string{"tomato river kitchen 99-112", "garden tomato river 99-28"}},
		{"creme", []string{"Crème", "Crème brûlée"}},
		{"plum tart", []string{"Plum tart", "Recipes/Plum tart", "Tart with plum"}},
		{"rec tart", []string{"Recipes/Plum tart", "Recipes/tarts/Plum"}},
	} {
		given := slices.Clone(tt.names)
		slices.Reverse(given) // the given order matters only in ties
		got := texts(NewCorpus(items(given...)).Match(tt.query, 10))
		if !slices.Equal(got, tt.names) {
			t.Errorf("%q: %q, want %q", tt.query, got, tt.names)
		}
	}
	none := NewCorpus(items("Plum tart", "Nectarine"))
	for _, query := range []string{"x", "tartx", "plum nectarine", "mulp"} {
		if got := none.Match(query, 10); len(got) > 0 {
			t.Errorf("%q finds %q", query, texts(got))
		}
	}
}

func TestTiesRankRecentFirst(t *testing.T) {
	got := texts(NewCorpus(items("a/plan", "b/plan", "c/plan")).Match("plan", 2))
	if !slices.Equal(got, []string{"a/plan", "b/plan"}) {
		t.Errorf("%q", got)
	}
	if got := texts(NewCorpus(items("z", "a", "m")).Match("", 2)); !slices.Equal(got, []string{"z", "a"}) {
		t.Errorf("nothing typed: %q", got)
	}
}

func TestTypedLettersAreHighlighted(t *testing.T) {
	for _, tt := range []struct{ name, query, want string }{
		{"Plum tart", "tart", "     ^^^^"},
		{"Recipes/Nectarine tart", "nt", "        ^         ^   "},
		{"Crème brûlée", "cb", "^     ^     "},
		{"Cre\u0300me", "creme", "^^^^^"}, // composed, five runes
	} {
		hit := NewCorpus(items(tt.name)).Match(tt.query, 1)
		if len(hit) == 0 {
			t.Errorf("%q: %q does not fit", tt.name, tt.query)
			continue
		}
		got := []byte(strings.Repeat(" ", len(tt.want)))
		for _, at := range hit[0].At {
			got[at] = '^'
		}
		if strings.TrimRight(string(got), " ") != strings.TrimRight(tt.want, " ") {
			t.Errorf("%q, %q:\n%q\n%q", tt.name, tt.query, got, tt.want)
		}
	}
}

// Every candidate contains the letters at the reported positions, and the limit is respected.
func TestMatchProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[abAB /é.-]{1,12}`), 0, 20).Draw(t, "names")
		query := rapid.StringMatching(`[abé ]{0,5}`).Draw(t, "query")
		limit := rapid.IntRange(0, 10).Draw(t, "limit")
		hits := NewCorpus(items(names...)).Match(query, limit)
		if len(hits) > limit {
			t.Fatalf("%d of %d", len(hits), limit)
		}
		for _, h := range hits {
			folded := []rune(fold(h.Text))
			if len(folded) != len([]rune(Composed(h.Text))) {
				t.Fatalf("%q folds to %q", h.Text, string(folded))
			}
			for _, w := range strings.Fields(fold(query)) {
				rest := string(folded)
				for _, r := range w {
					i := strings.IndexRune(rest, r)
					if i < 0 {
						t.Fatalf("%q is offered for %q", h.Text, query)
					}
					rest = rest[i+len(string(r)):]
				}
			}
			for _, at := range h.At {
				if at < 0 || at >= len(folded) || !strings.ContainsRune(fold(query), folded[at]) {
					t.Fatalf("%q, %q: %v", h.Text, query, h.At)
				}
			}
			if !slices.IsSorted(h.At) {
				t.Fatalf("%v", h.At)
			}
		}
	})
}

// many returns names like those of a large vault.
func many(n int) []Item {
	words := strings.Fields("nectarine plum tart bread garden project alpha beta meeting weekly review notes reading list idea draft crème história 2026 archive home")
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string { return words[r.IntN(len(words))] }
	out := make([]Item, n)
	for i := range out {
		out[i] = Item{Text: fmt.Sprintf("%s/%s %s/%s %s %d.md", word(), word(), word(), word(), word(), i), Size: int64(i)}
	}
	return out
}

var queries = []string{"", "n", "ne", "tart", "garden 2026", "ngt", "zzz", "nectarine tart 777", "project/alpha"}

// frame is the time budget of a key.
const frame = 16 * time.Millisecond

// 50,000 names are matched within a frame for any query. The best of several runs counts, with a margin, since the
// machine may be loaded or running the race detector.
func TestFiftyThousandNames(t *testing.T) {
	c := NewCorpus(many(50_000))
	for _, q := range queries {
		best := time.Hour
		for range 5 {
			began := time.Now()
			c.Match(q, 50)
			best = min(best, time.Since(began))
		}
		if best > 20*frame {
			t.Errorf("%q took %v", q, best)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	c := NewCorpus(many(50_000))
	for _, q := range queries {
		b.Run(strings.ReplaceAll(q, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				c.Match(q, 50)
			}
		})
	}
}

func BenchmarkNewCorpus(b *testing.B) {
	list := many(50_000)
	for b.Loop() {
		NewCorpus(list)
	}
}
