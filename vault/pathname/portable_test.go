package pathname

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPortable(t *testing.T) {
	for given, want := range map[string]string{
		"A title": "A title", "a/b: c?": "a b c", ".hidden": "hidden", "x.": "x", "nul": "_nul", "": "", "...": "", "\u202eabc": "abc",
		"Über": "Über", "e\u0301": "é", "a\xffb": "a b", "[[link]]#^": "link", "1234567890123": "1234567890", "∕etc": "etc",
	} {
		if got := Portable(given, 10); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.String().Draw(t, "name")
		if got := Portable(name, 60); got != "" && (NewNameFault(got) != "" || Protected(got)) {
			t.Fatalf("%q is %q: %s", name, got, NewNameFault(got))
		}
	})
}
