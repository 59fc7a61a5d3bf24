package link

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostile are strings that open, close and nest the constructs of the parser.
var hostile = []string{
	"[", "]", "[[", "]]", "![", "](", "](<", "[a](b", "[a](b \"", "[a](b '", "[a](b (", "[a]: b", "\n[a]:", "`", "``", "`a``", "$", "$a ", "$$", "a$",
	"%%", "%", "\\", "\\[", "\n", "\r\n", "\n\n", "> ", "- ", "1. ", "\t", "    ", "```\n", "~~~", "#", "| ", "---\n", "a: \"[[", "'", "&amp;", "%41", "|", "<", ">", "(", ")", "é", "\xff", "\x00",
	"<!--", "-->", "<a ", "<a href=", "<img src=\"", "<p>\n", " src='x'", "=",
}

// checkLinks checks the invariants of the links of any text.
func checkLinks(t *testing.T, text []byte, links []Link) {
	t.Helper()
	for i, l := range links {
		w, d := l.Whole, l.Dest
		if w.Start < 0 || w.End > len(text) || w.Start > d.Start || d.Start > d.End || d.End > w.End {
			t.Fatalf("link %d of %q: destination %v in %v of %d", i, text, d, w, len(text))
		}
		if line := 1 + bytes.Count(text[:w.Start], []byte{'\n'}); l.Line != line {
			t.Fatalf("link %d of %q: line %d, want %d", i, text, l.Line, line)
		}
		if l.Path == "" && l.Anchor == "" {
			t.Fatalf("link %d of %q has no target", i, text)
		}
		if i > 0 && w.Start < links[i-1].Whole.Start {
			t.Fatalf("links of %q are out of order", text)
		}
	}
	spans := make([]Span, len(links))
	for i, l := range links {
		spans[i] = l.Dest
	}
	slices.SortFunc(spans, func(a, b Span) int { return a.Start - b.Start })
	for i := 1; i < len(spans); i++ {
		if spans[i].Start < spans[i-1].End {
			t.Fatalf("destinations %v of %q overlap", spans, text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range hostile {
		f.Add("n.md", []byte(strings.Repeat(p, 20)+"[[x]]"))
	}
	f.Add("n.canvas", []byte(`{"nodes":[{"file":"a","subpath":"#b"},{"text":"[[c\u00e9]]\n"}]}`))
	f.Add("n.md", []byte("---\na: \"[[b]]\"\n---\n- [[c]]\n"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		checkLinks(t, text, Parse(name, text))
	})
}

// TestParseIsLinear parses and prefilters long texts of repeated pairs of hostile strings.
func TestParseIsLinear(t *testing.T) {
	const size, limit = 20_000, time.Second // a quadratic parser takes several seconds
	prefilter := NewPrefilter(Home{}, map[string]string{"some name.md": "another.md"})
	slowest, which := time.Duration(0), ""
	for _, a := range hostile {
		for _, b := range hostile {
			unit := a + b
			text := []byte("[[x]]" + strings.Repeat(unit, size/len(unit)))
			took := limit
			for try := 0; try < 3 && took >= limit; try++ { // a busy machine makes any of them slow once
				begin := time.Now()
				checkOrder(t, Parse("n.md", text))
				checkOrder(t, Parse("n.md", slices.Concat([]byte("---\nx: "), text, []byte("\n---\n"))))
				if !linkingTag().Match(text) && prefilter.Keeps("n.md", text) {
					t.Errorf("the prefilter keeps %q", unit)
				}
				took = time.Since(begin)
			}
			if took > slowest {
				slowest, which = took, unit
			}
		}
	}
	t.Logf("slowest: %q %v", which, slowest)
	if slowest >= limit {
		t.Errorf("%d bytes of %q took %v", size, which, slowest)
	}
}

func checkOrder(t *testing.T, links []Link) {
	t.Helper()
	if !slices.IsSortedFunc(links, func(a, b Link) int { return a.Whole.Start - b.Whole.Start }) {
		t.Error("out of order")
	}
}

func BenchmarkParse(b *testing.B) {
	var text bytes.Buffer
	for text.Len() < 1<<20 {
		text.WriteString("## A heading with words\n\nSome prose that goes on for a while, as notes do, with a [[Link to a note#Heading|name]] now and\nthen, `code`, and [another](Folder/note%20b.md) in the next line.\n\n- [ ] a task of [[Somebody]] 📅 2026-11-21\n  - below it $x^2$ and 5 $ of text\n\n> [!note] A callout\n> of two lines %% hidden %%\n\n```go\nfunc main() { x[[0]] }\n```\n\n")
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		Parse("n.md", text.Bytes())
	}
}
