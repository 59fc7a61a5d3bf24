package retrieval

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCounterMatchesTokenizer: text that the counter skips must contain no word of the question.
func TestCounterMatchesTokenizer(t *testing.T) {
	stems := map[string]bool{}
	for _, w := range []string{"cafe", "happy", "go", "c", "tea", "invoices", "写真", "über", "b2b", "whaling"} {
		stems[Stem(Fold(w))] = true
	}
	terms := newWantedTerms(stems, map[string]bool{"dragn": true})
	words := []string{
		"Café", "CAFE", "cafés", "happy", "happier", "went", "Go", "c", "cc", "tea", "te", "teas", "Tee", "invoice", "INVOICING",
		"写真", "私の写真です", "Über", "uber", "b2b", "whale", "whaling", "dragon", "drag", "a", "the", "naïve", "“tea", "go”", "it's", "tea's", "x_tea", "[[go|Café]]",
	}
	gaps := []string{" ", "\n", "—", ", ", "…", "/", "é", "\n# ", "\u00a0", strings.Repeat(" ", 61)}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		var b strings.Builder
		for range r.IntN(1 + n/8) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString(gaps[r.IntN(len(gaps))])
		}
		b.WriteString(words[r.IntN(len(words))])
		text := b.String()
		want := map[string]uint32{}
		eachToken([]byte(text), func(tok []byte) {
			if stem := Stem(string(tok)); terms.holds(stem) {
				want[stem]++
			}
		})
		c := newCounter(&lexicon{}, terms)
		c.count([]byte(text), 1, 0)
		for stem, id := range c.terms.ids {
			if got := c.counts[id].body; got != want[stem] {
				t.Fatalf("%q: %d times %q, the tokenizer finds %d", text, got, stem, want[stem])
			}
			delete(want, stem)
		}
		if len(want) > 0 {
			t.Fatalf("%q: not found: %v", text, want)
		}
	}
}
