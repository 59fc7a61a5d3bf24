package linematch

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPropertyFiltersExcludeNoMatch: a filter never excludes a text with a matching line.
func TestPropertyFiltersExcludeNoMatch(t *testing.T) {
	words := []string{"quick", "Quick", "fern", "KELVIN", "\u212aelvin", "glas\u017f", "glass", "Straße", "日本語", "a", "ab", " ", "\n", "\r\n", "x.y", "\x00", "\xff", "12"}
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 30).Draw(t, "words"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
	})
	patterns := []string{"quick", "kelvin", "glass", "fern|quick", "fe?rn", "q.ick", "^fern$", "straße", "日本", "ab", "a", `x\.y`, "[qf]uick", "quick fern", "glas+", "12 fern", "(kelvin|glass) a"}
	excluded := 0
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(text.Draw(t, "text"))
		p, err := Compile(rapid.SampledFrom(patterns).Draw(t, "pattern"), rapid.Bool().Draw(t, "case"))
		if err != nil {
			t.Fatal(err)
		}
		if !p.Excludes(NewFilter(text)) {
			return
		}
		excluded++
		for line := range p.Lines(text, HasSpecial(text), nil) {
			t.Fatalf("excluded although it matches: %q", text[line.Start:line.End])
		}
	})
	if excluded == 0 {
		t.Error("nothing was excluded")
	}
}

// TestFiltersExcludeMost: a filter is small, and excludes most texts that lack a word.
func TestFiltersExcludeMost(t *testing.T) {
	text := []byte(strings.Repeat("A note tells what was bought at the market, who came along, and how the weather was. ", 3) +
		"Potatoes, leeks, two loaves; Henrik brought the basket back. It rained from eleven on, so we waited under the arches.\n")
	f := NewFilter(text)
	if f.Size() > 200 {
		t.Errorf("the filter has %d bytes", f.Size())
	}
	hits := 0
	for _, word := range strings.Fields("budget invoice dragon zyxqvrare quick meeting window garden plumber kettle violin harbour") {
		p, err := Compile(word, false)
		if err != nil {
			t.Fatal(err)
		}
		if !p.Excludes(f) {
			hits++
		}
	}
	if hits > 2 {
		t.Errorf("%d of 12 words pass the filter", hits)
	}
	for _, word := range []string{"MARKET", "so we waited", "potato"} {
		p, _ := Compile(word, false)
		if p.Excludes(f) {
			t.Errorf("%q is excluded", word)
		}
	}
	if p, _ := Compile("zyxqvrare", false); p.Excludes(nil) {
		t.Error("a text without a filter is excluded")
	}
}
