package terminal

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

func TestCapNesting(t *testing.T) {
	spaces := func(n int) string { return strings.Repeat(" ", n) }
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"text\n> > quoted\n- a\n  - b", "text\n> > quoted\n- a\n  - b"},
		{"> > > x", "> > \\> x"},
		{">>>> x\ny", ">>\\>> x\ny"},
		{"- - - x\n", "- - \\- x\n"},
		{"> 1. > x", "> 1. \\> x"},
		{"> - 12) x", "> - 12\\) x"},
		{"- - -\n", "- - \\-\n"}, // a rule, which it is no longer; two is a low limit
		{"a > b > c > d", "a > b > c > d"},
		{"-- -1 *x* 1.5", "-- -1 *x* 1.5"},
		{spaces(16) + "code", spaces(16) + "code"},
		{spaces(40) + "- deep", spaces(16) + "- deep"},
		{"\t\t\t\tx", "\t\t\t\tx"},
		{"\t\t\t\t\t- x", "\t\t\t\t- x"},
	} {
		if got := CapNesting(c.in, 2); got != c.want {
			t.Errorf("CapNesting(%q, 2) = %q, want %q", c.in, got, c.want)
		}
	}
	if rule := "- - - - -\n* * *\n"; CapNesting(rule, maxNesting) != rule {
		t.Error("a rule was taken for a list nested too deep")
	}
}

// depth is how deep goldmark nests quotes and list items.
func depth(markdown string) int {
	deepest := 0
	doc := goldmark.New().Parser().Parse(text.NewReader([]byte(markdown)))
	_ = ast.Walk(doc, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		d := 0
		for p := n; p != nil; p = p.Parent() {
			if p.Kind() == ast.KindBlockquote || p.Kind() == ast.KindListItem {
				d++
			}
		}
		deepest = max(deepest, d)
		return ast.WalkContinue, nil
	})
	return deepest
}

func TestNestingIsCapped(t *testing.T) {
	const limit = 2
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"> ", ">", "- ", "-", "* ", "+\t", "1. ", "2) ", "  ", "    ", "\t", "x", "\n", "\n\n", "x\n", "```\n", "    "})
		s := strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "")
		capped := CapNesting(s, limit)
		// max marks on a line and max*4 levels by its indentation
		if d := depth(capped); d > 5*limit {
			t.Fatalf("%q is still nested %d deep", capped, d)
		}
		if depth(s) <= 1 && strings.Count(s, " ") == 0 && strings.Count(s, "\t") == 0 && strings.Count(s, ">")+strings.Count(s, "-") <= limit && capped != s {
			t.Fatalf("%q became %q", s, capped)
		}
	})
	var deep strings.Builder
	for i := range 100 {
		deep.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	if before, after := depth(deep.String()), depth(CapNesting(deep.String(), limit)); before != 100 || after > 5*limit {
		t.Errorf("nested %d deep, capped %d", before, after)
	}
}

func TestMarkdownReferences(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a &#x1b;[2J &#27; &#7;", "a ␛[2J ␛ ␇"},
		{"&#8238;x&#x200B;&#xE0041;", "x"},
		{"&#65; &#xe9; &#9; &#10; &amp; &#128512;", "&#65; &#xe9; &#9; &#10; &amp; &#128512;"},
		{"&#; &#x; &#xg; &#65 &#99999999999999;", "&#; &#x; &#xg; &#65 &#99999999999999;"},
		{"&#0; &#x110000; &#xd800;", "&#0; &#x110000; &#xd800;"}, // decoded to U+FFFD
		{"&#xD;", "␍"},
		{"&&##x1b;&#x1b;", "&&##x1b;␛"},
		{"no end &#x1b", "no end &#x1b"},
	} {
		if got := Markdown(c.in); got != c.want {
			t.Errorf("Markdown(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// TestMarkdownTakesGlamourNoTime renders what is known to make it slow: eighty
// quotes hang it, a word of 100 KB takes it 40 s.
func TestMarkdownTakesGlamourNoTime(t *testing.T) {
	for name, s := range map[string]string{
		"quotes":      strings.Repeat("> ", 500) + "x",
		"10000 marks": strings.Repeat(">", 10000) + "x",
		"lists":       strings.Repeat("- ", 500) + "x",
		"a word":      strings.Repeat("a", 8000),
		"no spaces":   strings.Repeat("界，", 4000),
		"brackets":    strings.Repeat("[", 3000),
		"links":       strings.Repeat("[a](", 800),
	} {
		start := time.Now()
		safe := Markdown(s)
		glamourRender(t, safe)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s: %v", name, d)
		}
		if d := depth(safe); d > 5*maxNesting {
			t.Errorf("%s: nested %d deep", name, d)
		}
		for _, w := range strings.Fields(safe) {
			if n := utf8.RuneCountInString(w); n > maxWord+maxNesting {
				t.Errorf("%s: a word of %d characters", name, n)
			}
		}
	}
	if long := strings.Repeat("界", 2500); strings.ReplaceAll(Markdown(long), " ", "") != long {
		t.Error("dividing a long word lost some of it")
	}
}
