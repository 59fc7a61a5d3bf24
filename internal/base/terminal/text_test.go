package terminal

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "a b\n\tc\n", "a b\n\tc\n"},
		{"languages", "héllo Ελλάδα שלום 日本語 한국어 ภาษาไทย हिन्दी", "héllo Ελλάδα שלום 日本語 한국어 ภาษาไทย हिन्दी"},
		{"decomposed", "e\u0301 \u1112\u1161\u11ab\u1100\u116e\u11a8", "e\u0301 \u1112\u1161\u11ab\u1100\u116e\u11a8"},
		{"escape", "\x1b[31mred\x1b]0;t\x07", "␛[31mred␛]0;t␇"},
		{"unterminated", "\x1b]52;c;QUJD", "␛]52;c;QUJD"},
		{"controls", "\x00\x08\x0b\x0c\x0e\x7f", "␀␈␋␌␎␡"},
		{"C1", "\u009b2J\u0090", "�2J�"},
		{"line ends", "a\r\nb\rc\u0085d\u2028e\u2029f", "a\nb␍c\nd\ne\nf"},
		{"a return at the end", "a\r", "a␍"},
		{"returns", "a\r\r\nb", "a␍\nb"},
		{"bidi", "a\u202eb\u2066c\u200ed\u061ce", "abcde"},
		{"invisible", "a\u200bb\u2060c\ufeffd\u00ade\u034ff\u180eg\u3164h", "abcdefgh"},
		{"tags", "a\U000e0069\U000e0067b", "ab"},
		{"flag of England", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\U0001f3f4"},
		{"selectors as data", "a\U000e0173\ufe01\ufe0f", "a"},
		{"selector of an emoji", "❤\ufe0f 1\ufe0f\u20e3 ☎\ufe0e", "❤\ufe0f 1\ufe0f\u20e3 ☎\ufe0e"},
		{"selectors of an emoji", "❤\ufe0f\ufe0f\ufe0e\ufe0f", "❤\ufe0f"},
		{"family", "👨\u200d👩\u200d👧\u200d👦", "👨\u200d👩\u200d👧\u200d👦"},
		{"kiss", "👩🏻\u200d❤\ufe0f\u200d💋\u200d👨🏿", "👩🏻\u200d❤\ufe0f\u200d💋\u200d👨🏿"},
		{"rainbow", "🏳\ufe0f\u200d🌈", "🏳\ufe0f\u200d🌈"},
		{"a joiner between letters", "pay\u200dpal\u200c.com", "paypal.com"},
		{"a joiner at the end", "👨\u200d", "👨"},
		{"joiners", "👨\u200d\u200d\u200c\u200d👩", "👨\u200d👩"},
		{"Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"Sinhala", "ශ්\u200dරී", "ශ්\u200dරී"},
		{"emoji without end", strings.Repeat("👨\u200d", 12) + "👨", strings.Repeat("👨\u200d", 8) + "👨" + strings.Repeat("👨\u200d", 3) + "👨"},
		{"family with skin tones", "👨🏻\u200d👩🏼\u200d👧🏽\u200d👦🏿", "👨🏻\u200d👩🏼\u200d👧🏽\u200d👦🏿"},
		{"marks without end", "Z" + strings.Repeat("\u0300", 99) + "a\u0301", "Z" + strings.Repeat("\u0300", 8) + "a\u0301"},
		{"a mark without base", "\u0301a\n\u0301", "◌\u0301a\n◌\u0301"},
		{"invalid", "a\xffb\xc2", "a�b�"},
		{"surrogate", "\xed\xa0\x80", "���"},
		{"beyond Unicode", "\xf5\x80\x80\x80", "����"},
		{"noncharacters", "a\ufffe\U0010ffff\ufdd0b", "ab"},
		{"icons", "\ue0b0 \U000f0001", "\ue0b0 \U000f0001"},
	} {
		if got := Text(c.in); got != c.want {
			t.Errorf("%s: Text(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestLineAndStrict(t *testing.T) {
	for _, c := range []struct{ in, line, strict, strictLine string }{
		{"a\nb\tc", "a b c", "a\nb\tc", "a␊b␉c"},
		{"a\r\nb\u2028c", "a b c", "a\nb<U+2028>c", "a␊b<U+2028>c"},
		{"gpj\u202eexe", "gpjexe", "gpj<U+202E>exe", "gpj<U+202E>exe"},
		{"a\x1b[2K", "a␛[2K", "a␛[2K", "a␛[2K"},
		{"\u009b\x9b", "��", "<U+009B><0x9B>", "<U+009B><0x9B>"},
		{"pay\u200dpal", "paypal", "pay<U+200D>pal", "pay<U+200D>pal"},
		{"👨\u200d👩", "👨\u200d👩", "👨\u200d👩", "👨\u200d👩"},
		{"a" + strings.Repeat("\u0300", 20), "a" + strings.Repeat("\u0300", 8), "a" + strings.Repeat("\u0300", 8) + strings.Repeat("<U+0300>", 12), "a" + strings.Repeat("\u0300", 8) + strings.Repeat("<U+0300>", 12)},
		{"\U000e0041", "", "<U+E0041>", "<U+E0041>"},
	} {
		if got := Line(c.in); got != c.line {
			t.Errorf("Line(%q) = %q, want %q", c.in, got, c.line)
		}
		if got := Strict(c.in); got != c.strict {
			t.Errorf("Strict(%q) = %q, want %q", c.in, got, c.strict)
		}
		if got := StrictLine(c.in); got != c.strictLine {
			t.Errorf("StrictLine(%q) = %q, want %q", c.in, got, c.strictLine)
		}
	}
	if got := Title(strings.Repeat("é", 500) + "\x1b"); utf8.RuneCountInString(got) != maxTitle+1 {
		t.Errorf("a title of %d characters", utf8.RuneCountInString(got))
	}
}

// hostile generates text in which the cases handled by this package are frequent.
func hostile() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"\x1b", "\x1b[", "\x1b[31m", "\x1b[0m", "\x1b[8m", "\x1b]0;t\x07", "\x1b\\", "\x1b]8;;http://e.example\x1b\\", "\x1b]8;;\x1b\\", "\x07",
			"\r", "\n", "\r\n", "\t", "\u0085", "\u2028", "\x9b", "\xc2", "\xe2\x80", "\xf0\x9f\x91", "\u202e", "\u200b", "\U000e0041",
			"\u200d", "\u200c", "\ufe0f", "\ufe0e", "👨", "👩🏽", "❤", "1", "\u20e3", "\u0300", "\u0300\u0301", "e", "क", "्", "م",
			"\u1100", "\u1161", "\u11a8", "\u3164", "\ufffe", "🇩", "🏽", "\u0600", "&#x1b;", "&#155;", "> ", "- ", " ",
		}),
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 30), func(p []string) string { return strings.Join(p, "") })
}

func TestTextIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostile().Draw(t, "text")
		for name, f := range map[string]func(string) string{"Text": Text, "Line": Line, "Strict": Strict, "StrictLine": StrictLine} {
			out := f(s)
			checkSafe(t, name, out, name == "Text" || name == "Strict")
			if again := f(out); again != out {
				t.Fatalf("%s is not idempotent: %q, then %q", name, out, again)
			}
		}
	})
}

type failer interface{ Fatalf(string, ...any) }

func checkSafe(t failer, name, out string, multiline bool) {
	if !utf8.ValidString(out) {
		t.Fatalf("%s: not UTF-8: %q", name, out)
	}
	marks := 0
	for _, r := range out {
		switch {
		case multiline && (r == '\n' || r == '\t'):
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), unicode.Is(unicode.Noncharacter_Code_Point, r),
			r == 0x2028, r == 0x2029, r == 0x200b, r == 0x2060, r == 0xfeff, r >= 0xe0000 && r < 0xe1000:
			t.Fatalf("%s: %U in %q", name, r, out)
		}
		if unicode.Is(unicode.Mn, r) && r != textSelector && r != emojiSelector {
			if marks++; marks > maxExtending {
				t.Fatalf("%s: more than %d marks in %q", name, maxExtending, out)
			}
		} else {
			marks = 0
		}
	}
}

func TestPrintableASCIIIsNotCopied(t *testing.T) {
	s := strings.Repeat("plain text, nothing else\n\t", 100)
	if n := testing.AllocsPerRun(10, func() { _ = Text(s); _ = Rendered(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[ -~\n\t]*`).Draw(t, "text")
		if Text(s) != s || Rendered(s) != s {
			t.Fatalf("%q was changed", s)
		}
	})
}

func TestSanitizerInAnySplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostile().Draw(t, "text")
		var sanitizer Sanitizer
		var out strings.Builder
		for rest := s; rest != ""; {
			n := rapid.IntRange(1, min(len(rest), 7)).Draw(t, "cut")
			piece := sanitizer.Write(rest[:n])
			checkSafe(t, "Write", piece, true)
			out.WriteString(piece)
			rest = rest[n:]
		}
		out.WriteString(sanitizer.Flush())
		if got, want := out.String(), Text(s); got != want {
			t.Fatalf("in pieces %q, whole %q", got, want)
		}
		if again := sanitizer.Write("x") + sanitizer.Flush(); again != "x" {
			t.Fatalf("after Flush: %q", again)
		}
	})
}

func TestSanitizerBuffersLittle(t *testing.T) {
	var s Sanitizer
	for i, c := range []struct{ in, want string }{
		{"abc", "abc"}, {"\x1b", "␛"}, {"]52;c;", "]52;c;"}, {"é"[:1], ""}, {"é"[1:], "é"}, {"\r", ""}, {"\n", "\n"}, {"\u200d", ""}, {"x", "x"},
	} {
		if got := s.Write(c.in); got != c.want {
			t.Errorf("piece %d, %q: %q, want %q", i, c.in, got, c.want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, row := range corpus(f) {
		f.Add(row.text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkSafe(t, "Text", Text(s), true)
		checkSafe(t, "StrictLine", StrictLine(s), false)
		checkRendered(t, Rendered(s))
	})
}

func BenchmarkText(b *testing.B) {
	for name, s := range map[string]string{
		"ascii": strings.Repeat("It was a plain line of an ordinary answer.\n", 2500),
		"latin": strings.Repeat("Über Äpfel, naïve café – “quoted” text…\n", 2500),
		"mixed": strings.Repeat("日本語 Ελλάδα עברית العربية 👩\u200d👧 \x1b[31m\n", 2000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				Text(s)
			}
		})
		b.Run(name+"/stream", func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				var x Sanitizer
				for i := 0; i < len(s); i += 5 {
					x.Write(s[i:min(i+5, len(s))])
				}
			}
		})
	}
}
