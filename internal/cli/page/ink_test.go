package page

import (
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/internal/terminal/output"
)

func TestOccurrences(t *testing.T) {
	for _, c := range []struct{ text, query, want string }{
		{"The garden Fence, the FENCE post", "fence", "The garden [Fence], the [FENCE] post"},
		{"fencepost", "post fence", "[fencepost]"},
		{"aaaa", "aa", "[aaaa]"},
		{"Café au lait", "CAFE\u0301", "[Café] au lait"},
		{"Cafe\u0301 au lait", "café", "[Café] au lait"},
		{"İstanbul", "stanbul", "İ[stanbul]"},
		{"nothing", "else", "nothing"},
		{"", "x", ""},
	} {
		var b strings.Builder
		_, _ = io.WriteString(output.New(&b, true), Ink(true).Emphasised(c.text, c.query))
		got := strings.NewReplacer("\x1b[1;4m", "[", "\x1b[22;24m", "]").Replace(b.String())
		if got != c.want {
			t.Errorf("%q in %q: %q", c.query, c.text, got)
		}
		if Ink(false).Emphasised(c.text, c.query) != c.text {
			t.Errorf("%q was changed without ink", c.text)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text, query := rapid.String().Draw(t, "text"), rapid.String().Draw(t, "query")
		found := occurrences(text, query)
		if !slices.IsSortedFunc(found, func(a, b stretch) int { return a.from - b.from }) {
			t.Fatal("not in order")
		}
		for _, s := range found {
			if s.from >= s.to || s.to > len(text) {
				t.Fatalf("%v in %q", s, text)
			}
		}
	})
}
