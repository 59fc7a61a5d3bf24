package vi

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

// Any keys leave a valid text, and the cursor at the beginning of a character in it.
func TestAnyKeys(t *testing.T) {
	keys := []rune("iaIAoOvVgvxXDCsSYydcpPu.~Jrft;,wWbBeEgG(){}0$^%jkhl129/nN\"+><gu gU~ipiwaw\"asis\x1b\x1b\x1b\x1b\r\b\x12né日👍 .\x1b")
	texts := []string{"one two\nthree", "", "a", "foo (bar) \"x y\".\n\n  two. Three!\n\nlast", "日本 e\u0301\n👩‍👩‍👧‍👦 x\n"}
	for seed := range uint64(30_000) {
		rng := rand.New(rand.NewPCG(1, seed))
		s := sequence{Text: texts[rng.IntN(len(texts))]}
		for range 25 {
			s.Keys += string(keys[rng.IntN(len(keys))])
		}
		if got, _ := play(s); !utf8.ValidString(got.Text) || got.At > len(got.Text) || text(got.Text).begin(got.At) != got.At {
			t.Fatalf("%q, keys %q: %v", s.Text, s.Keys, got)
		}
	}
}

// Commands of Vim that are not here take their characters with them, and do nothing.
func TestOthersOfVim(t *testing.T) {
	for _, keys := range []string{
		"ma", "'a", "`a", "d'a", "d`i", "qa", "@a", "@o", "zt", "zo", "ZZ", "[(", "]x", "gqip", "gqq", "gwap", "vgq", "Vgw", "==", "=ip", "v=", "!ip",
		"g?iw", "g??", ":wq\r", ":s/a/o/\r", ":i\bx\r",
	} {
		e := New()
		e.Reset("one. two\nthree", func(t string) string { return t })
		b := e.Escape(Buffer{"one. two\nthree", 6})
		for _, k := range keys {
			name := string(k)
			if names[k] != "" {
				name = names[k]
			}
			b = e.Key(b, name)
		}
		if b.Text != "one. two\nthree" || e.Mode() != Normal || e.Pending() != "" {
			t.Errorf("%q: %q, %s, waiting %q", keys, b.Text, e.Mode(), e.Pending())
		}
	}
}
