package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"chatvault/internal/base/text"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"a", "", 1},
		{"recipe", "recpie", 1},
		{"tart", "tarte", 1},
		{"lena", "lenna", 1},
		{"é", "e", 1},
		{"kitten", "sitting", 3},
		{"a", "abcdef", 3},
		{"xx", "help", 3},
	} {
		if got := text.Distance(c.a, c.b, 2); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abé")), 0, 8, -1)
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		x, y := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
		d := text.Distance(a, b, 20)
		if d != text.Distance(b, a, 20) || (d == 0) != (a == b) || d > max(x, y) || d < max(x, y)-min(x, y) {
			t.Fatalf("%d", d)
		}
		if limit := rapid.IntRange(0, 8).Draw(t, "limit"); text.Distance(a, b, limit) != min(d, limit+1) {
			t.Fatalf("with a limit of %d: %d, without %d", limit, text.Distance(a, b, limit), d)
		}
		if r := []rune(a); len(r) > 1 {
			slices.Reverse(r[:2])
			if text.Distance(a, string(r), 20) > 1 {
				t.Fatal("more than a swap")
			}
		}
	})
}

func TestNear(t *testing.T) {
	known := []string{"new", "help", "conversations", "context_window", "contrast"}
	for name, want := range map[string]string{
		"nwe": "new", "HLEP": "help", "conv": "conversations", "contex_windwo": "context_window", "con": "conversations",
		"": "", "x": "", "h": "", "xyz": "", "halo": "", strings.Repeat("help", 1000): "",
	} {
		if got := text.Near(name, known); got != want {
			t.Errorf("%.20q: %q, want %q", name, got, want)
		}
	}
}

func TestCounts(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567", -1000: "-1,000", -999: "-999"} {
		if got := text.Thousands(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	for want, got := range map[string]string{
		"1 note": text.Count(1, "note"), "0 notes": text.Count(0, "note"), "2,000 more files": text.Count(2000, "more file"),
		"2 matches": text.Count(2, "match"), "3 properties": text.Count(3, "property"), "2 entries": text.Count(2, "entry"),
		"2 days": text.Count(2, "day"), "2 branches": text.Count(2, "branch"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestClipped(t *testing.T) {
	for want, got := range map[string]string{
		"one two":    text.OneLine(" one\r\n\t two "),
		"first":      text.FirstLine("\n first \nsecond"),
		"":           text.FirstLine(" \n "),
		"añ…":        text.Clip("añejo", 3),
		"añejo":      text.Clip("añejo", 5),
		"a plum or…": text.Excerpt("a\nplum  or two", 10),
		"a\u00f1":    text.Head("añejo", 3),
		"a":          text.Head("añejo", 2),
		"…":          text.Clip("ab", 1),
		"\xff":       text.Head("\xff\xfe", 1),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestHeadKeepsCharacters(t *testing.T) {
	const s = "aé同𝄞"
	for n := -1; n <= len(s)+1; n++ {
		if got := text.Head(s, n); !utf8.ValidString(got) || !strings.HasPrefix(s, got) || len(got) > max(n, 0) || len(got) < n-3 && len(got) < len(s) {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestShellWords(t *testing.T) {
	for _, c := range []struct {
		line, fault string
		want        []string
	}{
		{line: ""},
		{line: " \t\n"},
		{line: `code --wait`, want: []string{"code", "--wait"}},
		{line: `"My Editor" 'a "b"' c\ d "e\"f" ''`, want: []string{"My Editor", `a "b"`, "c d", `e"f`, ""}},
		{line: `a"b"'c'`, want: []string{"abc"}},
		{line: `'a\' b`, want: []string{`a\`, "b"}},
		{line: `vim "x`, fault: `the quotation mark " is not closed`},
		{line: `vim \`, fault: "it ends with a backslash"},
	} {
		got, err := text.ShellWords(c.line)
		if !slices.Equal(got, c.want) || (err == nil) != (c.fault == "") || err != nil && err.Error() != c.fault {
			t.Errorf("%q: %q, %v", c.line, got, err)
		}
	}
}

func TestSentence(t *testing.T) {
	for given, want := range map[string]string{
		"it failed": "it failed.", "it stays in the inbox..": "it stays in the inbox.", "done.": "done.", "wait…": "wait…", "so...": "so...", "why?\n": "why?", "": "",
	} {
		if got := text.Sentence(given); got != want {
			t.Errorf("Sentence(%q) = %q, want %q", given, got, want)
		}
	}
}
