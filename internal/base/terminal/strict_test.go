package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestInvisibleCharactersAreShown: text shown for approval has no invisible characters.
func TestInvisibleCharactersAreShown(t *testing.T) {
	for _, r := range []rune{
		0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x202a, 0x202e, 0x2060, 0x2064,
		0x2066, 0x2069, 0x206f, 0x3164, 0xfe00, 0xfe0e, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0x1d173, 0x1d159, 0x16fe4,
		0xe0001, 0xe0020, 0xe0041, 0xe007f, 0xe0100, 0xe01ef, 0xa0, 0x1680, 0x2000, 0x2007, 0x200a, 0x202f, 0x205f, 0x2800, 0x2028, 0x2029, 0x85,
	} {
		for _, around := range []string{"a%b", "%", "1%2", "%%", "\n%\n", "é%é"} {
			in := strings.ReplaceAll(around, "%", string(r))
			for name, out := range map[string]string{"Strict": Strict(in), "StrictLine": StrictLine(in)} {
				if strings.ContainsRune(out, r) || strings.Count(out, "<U+") != strings.Count(in, string(r)) {
					t.Errorf("%s(%q) = %q", name, in, out)
				}
			}
			if n := strings.Count(in, string(r)); !strings.HasPrefix(Unseen("a", in), map[int]string{1: "1 invisible character,", 2: "2 invisible characters,"}[n]) {
				t.Errorf("Unseen(%q) = %q", in, Unseen("a", in))
			}
		}
	}
}

// TestLongRunsAreCounted: runs that would push text out of view are shown by length; ordinary text is unchanged.
func TestLongRunsAreCounted(t *testing.T) {
	lines := strings.Repeat("\n", 1000)
	for _, c := range []struct{ in, strict, line, unseen string }{
		{"a" + strings.Repeat(" ", 1600) + "b", "a␣×1,600b", "a␣×1,600b", ""},
		{"a" + lines + "b", "a␊×1,000\nb", "a␊×1,000b", ""},
		{"a" + strings.Repeat(" \t\n", 500) + "b", "a␣×500 ␉×500 ␊×500\nb", "a␣×500 ␉×500 ␊×500b", ""},
		{strings.Repeat("\u3000", 100), "<U+3000>×100", "<U+3000>×100", "100 invisible characters, shown as <U+…>"},
		{"a" + strings.Repeat(" \u00a0", 100), "a␣×100 <U+00A0>×100", "a␣×100 <U+00A0>×100", "100 invisible characters, shown as <U+…>"},
		{strings.Repeat("\u200b", 1600), "<U+200B>×1,600", "<U+200B>×1,600", "1,600 invisible characters, shown as <U+…>"},
		{strings.Repeat(" ", 32) + "code\n\n\nb", strings.Repeat(" ", 32) + "code\n\n\nb", strings.Repeat(" ", 32) + "code␊␊␊b", ""},
		{"👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 🇩🇪 1\ufe0f\u20e3 ❤\ufe0f", "👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 🇩🇪 1\ufe0f\u20e3 ❤\ufe0f", "👨\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 🇩🇪 1\ufe0f\u20e3 ❤\ufe0f", ""},
		{"می\u200cخواهم क्\u200dष 日本　語", "می\u200cخواهم क्\u200dष 日本　語", "می\u200cخواهم क्\u200dष 日本　語", ""},
		{"❤\ufe0f a\u200bb", "❤\ufe0f a<U+200B>b", "❤\ufe0f a<U+200B>b", "1 invisible character, shown as <U+…>"},
		{"1\ufe0f2", "1<U+FE0F>2", "1<U+FE0F>2", "1 invisible character, shown as <U+…>"},
		{"e" + strings.Repeat("\u0301", 11), "e" + strings.Repeat("\u0301", 8) + strings.Repeat("<U+0301>", 3), "e" + strings.Repeat("\u0301", 8) + strings.Repeat("<U+0301>", 3), "3 invisible characters, shown as <U+…>"},
	} {
		if got := Strict(c.in); got != c.strict || !utf8.ValidString(got) {
			t.Errorf("Strict(%.60q) = %q, want %q", c.in, got, c.strict)
		}
		if got := StrictLine(c.in); got != c.line {
			t.Errorf("StrictLine(%.60q) = %q, want %q", c.in, got, c.line)
		}
		if got := Unseen(c.in); got != c.unseen {
			t.Errorf("Unseen(%.60q) = %q, want %q", c.in, got, c.unseen)
		}
	}
}
