package linematch

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// TestForms: letters and digits match in every form, and other characters only in their own.
func TestForms(t *testing.T) {
	for _, c := range []struct {
		expr, text string
		want       bool
	}{
		{"brûlée", "cre\u0300me bru\u0302le\u0301e", true},
		{"bru\u0302le\u0301e", "crème brûlée", true},
		{"BR[uû]LÉE$", "crème bru\u0302le\u0301e", true},
		{"abc 2024", "ＡＢＣ ２０２４", true},
		{"ＡＢＣ ２０２４", "abc 2024", true},
		{`\d{4}`, "２０２４年", true},
		{"ガイド", "ｶﾞｲﾄﾞ", true},
		{"ｶﾞｲﾄﾞ", "ガイド", true},
		{"ガイド", "カ\u3099イト\u3099", true},
		{"한글", norm.NFD.String("한글"), true},
		{"（a）", "（Ａ）", true},
		{`\(a\)`, "（a）", false},
		{"（a）", "(a)", false},
		{"cafe", "café", false},
		{`\p{Mn}`, "e\u0301", true},
		{"ﬁ", "fi", false},
	} {
		p, err := Compile(c.expr, false)
		if err != nil {
			t.Fatalf("%q: %v", c.expr, err)
		}
		if got := len(scan(p, []byte("x\n"+c.text+"\ny\n"))) == 1; got != c.want {
			t.Errorf("%q in %q: %v", c.expr, c.text, got)
		}
		if got := p.MatchString(c.text); got != c.want {
			t.Errorf("%q in the name %q: %v", c.expr, c.text, got)
		}
	}
}

// TestPropertyForms: a text finds the lines that contain it, whatever form the two are in.
func TestPropertyForms(t *testing.T) {
	forms := []func(string) string{
		norm.NFC.String, norm.NFD.String,
		func(s string) string {
			return strings.NewReplacer("a", "ａ", "b", "ｂ", "1", "１", "カ", "ｶ").Replace(s)
		},
	}
	part := rapid.SampledFrom([]string{"a", "b", "1", "é", "û", "カ", "ガ", "한", "，", "-", " ", "K"})
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), "") })
		lines := rapid.SliceOfN(word, 1, 6).Draw(t, "lines")
		sought := word.Draw(t, "sought")
		form := rapid.SampledFrom(forms)
		p, err := Compile(form.Draw(t, "its form")(sought), true)
		if err != nil {
			t.Fatal(err)
		}
		var want, text []string
		for _, line := range lines {
			given := form.Draw(t, "form")(line)
			text = append(text, given)
			if strings.Contains(line, sought) || strings.Contains(given, sought) { // the latter without a mark that follows
				want = append(want, line)
			}
		}
		whole := []byte(strings.Join(text, "\n"))
		var got []string
		for line := range p.Lines(whole, HasSpecial(whole), nil) {
			got = append(got, usual(string(whole[line.Start:line.End])))
		}
		scan(p, whole)
		if !slices.Equal(got, want) {
			t.Fatalf("%q in %q: %q, want %q", sought, text, got, want)
		}
		if f := NewFilter(whole); p.Excludes(f) && len(want) > 0 {
			t.Fatalf("the filter of %q excludes %q", text, sought)
		}
	})
}

func BenchmarkSpecial(b *testing.B) {
	text := []byte(strings.Repeat("The quick brown fox jumps over the „lazy“ dog, and so on.\n", 80))
	p, err := Compile("needle-A", true)
	if err != nil {
		b.Fatal(err)
	}
	for name, special := range map[string]func([]byte) bool{"any pattern": HasSpecial, "literal": p.Special} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				special(text)
			}
		})
	}
}
