package linematch

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// naive is the reference for Scanner: package regexp on each line.
func naive(t interface{ Fatal(...any) }, expr string, caseSensitive bool, text []byte) []string {
	if !caseSensitive {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for n, line := range bytes.SplitAfter(text, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if re.Match(line) {
			found = append(found, fmt.Sprintf("%d:%s", n+1, line))
		}
	}
	return found
}

func scan(p *Pattern, text []byte) []string {
	var found []string
	for line := range p.Lines(text, HasSpecial(text), new(atomic.Bool)) {
		if line.At < line.Start || line.At > line.End {
			panic(fmt.Sprintf("At %d outside %d..%d", line.At, line.Start, line.End))
		}
		n := bytes.Count(text[:line.Start], []byte("\n")) + 1
		found = append(found, fmt.Sprintf("%d:%s", n, text[line.Start:line.End]))
	}
	n := 0
	for range p.Lines(text, p.Special(text), nil) {
		n++
	}
	if n != len(found) || p.Special(text) && !HasSpecial(text) {
		panic(fmt.Sprintf("%s in %q: %d lines without a look at every line, %d with it", p.re, text, n, len(found)))
	}
	return found
}

func TestAgreesWithRegexpByLine(t *testing.T) {
	texts := []string{
		"", "\n", "\n\n", "a", "a\n", "\r\n", "a\r", "a\r\nb\r\n", "a\rb\n",
		"The quick brown fox\njumps\n\nover the lazy dog\n",
		"no newline at end: needle-A\nneedle-b\r\nNEEDLE-C",
		"3\u212a and \u017fun\nmass\nMASK\nma\u017fk\nkelvin K\n",
		"caf\u00e9 CAF\u00c9\nПривет\nпРИВЕТ мир\n会议记录\nstra\u00dfe\n",
		"bad \xff bytes \xe4\xbc\n\xf0\x9f\nok\n",
		"\ufeff# title\nfoo_bar foo-bar\n  - [ ] task\n",
	}
	exprs := []string{
		"a", "quick", "QUICK", "needle-A|needle-B", "needle-[A-D]", "^", "$", "^$", "a$", "^a", `\bthe\b`, `\Bo`,
		`\W`, `\s`, `[^x]`, `.`, `.*`, `fox$`, `^The.*fox$`, "k", "s", "mask", "sun", "café", "привет", "会议", "会.记",
		`\d+`, `x*`, `(?:ab|cd)+e`, `q.*k`, `\x{FFFD}`, `[\x{FFFD}]`, `[^a-z]`, `(?i)THE|dog`, `(?-i)The`, `(?s).x`, `(?m)^j`,
		`\Aa\z`, `\pL+`, `[[:upper:]]{2}`, `a\r`, `foo\b`, `\bfoo\b`, `- \[ \]`, `(a{0,100}){0,9}z`, `[^\x00-\x{10FFFF}]`,
		`(|a)b`, `(?:)`, `\b`, `^\b`, `\b$`, `\B`, `(quick|lazy|jumps) (brown|dog)`, `ß`, `[k-s]u`, `ſ`, `K`,
	}
	for _, expr := range exprs {
		for _, sensitive := range []bool{false, true} {
			p, err := Compile(expr, sensitive)
			if err != nil {
				t.Fatalf("Compile(%q): %v", expr, err)
			}
			for _, text := range texts {
				want := naive(t, expr, sensitive, []byte(text))
				if got := scan(p, []byte(text)); !slices.Equal(got, want) {
					t.Errorf("%q (case sensitive %v) in %q: found %q, want %q; finder %+v", expr, sensitive, text, got, want, p.find)
				}
			}
		}
	}
}

// drawExpr draws an expression over a small alphabet, so that matches are frequent.
func drawExpr(t *rapid.T, depth int) string {
	atom := rapid.SampledFrom([]string{
		"a", "b", "K", "s", "é", "ß", "x", "ab", "kas", "ſ", "\u212a", "-", " ", "的", "É",
		".", "[ab]", "[^a]", "[a-k]", `\w`, `\W`, `\s`, `\S`, `\b`, `\B`, "^", "$", `\A`, `\z`, "[é-ü]", `\d`, "(?i:aB)", "(?-i:Ks)",
	})
	if depth == 0 {
		return atom.Draw(t, "atom")
	}
	switch rapid.IntRange(0, 7).Draw(t, "form") {
	case 0, 1, 2:
		return drawExpr(t, depth-1) + drawExpr(t, depth-1)
	case 3:
		return "(?:" + drawExpr(t, depth-1) + "|" + drawExpr(t, depth-1) + ")"
	case 4:
		return "(?:" + drawExpr(t, depth-1) + ")" + rapid.SampledFrom([]string{"*", "+", "?", "{2}", "{1,3}", "{0,2}", "+?"}).Draw(t, "count")
	case 5:
		return "(" + drawExpr(t, depth-1) + ")"
	default:
		return atom.Draw(t, "atom")
	}
}

func TestPropertyAgreesWithRegexp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		expr := drawExpr(t, rapid.IntRange(0, 4).Draw(t, "depth"))
		sensitive := rapid.Bool().Draw(t, "sensitive")
		part := rapid.SampledFrom([]string{
			"a", "b", "k", "K", "s", "S", "x", "ab", "AB", "kas", "é", "É", "ß", "ſ", "\u212a", "-", " ", "的", "\n", "\n", "\r\n", "\r", "\xff", "\xe7\x9a", "1", "_",
		})
		text := []byte(strings.Join(rapid.SliceOfN(part, 0, 40).Draw(t, "text"), ""))
		p, err := Compile(expr, sensitive)
		if err != nil {
			t.Fatalf("Compile(%q): %v", expr, err)
		}
		want := naive(t, expr, sensitive, text)
		if got := scan(p, text); !slices.Equal(got, want) {
			t.Fatalf("%q in %q: found %q, want %q; finder %+v", expr, text, got, want, p.find)
		}
	})
}

func TestErrors(t *testing.T) {
	for expr, part := range map[string]string{
		"":                          "is empty",
		"a\nb":                      "one line at a time",
		`a\nb`:                      "one line at a time",
		"(":                         "missing closing )",
		"[a":                        "missing closing ]",
		"*":                         "missing argument to repetition",
		`(?=x)`:                     "Look-ahead",
		`(a)\1`:                     "back-references",
		"a{1001}":                   "invalid repeat count",
		strings.Repeat("a", 5000):   "at most 4096",
		"\xff":                      "not valid UTF-8",
		strings.Repeat(".{900}", 9): "too large",
	} {
		p, err := Compile(expr, false)
		if err == nil {
			t.Errorf("Compile(%.40q) = %v, want an error", expr, p)
			continue
		}
		if !strings.Contains(err.Error(), part) {
			t.Errorf("Compile(%.40q): %v, want a message with %q", expr, err, part)
		}
	}
}

func TestRequired(t *testing.T) {
	for _, c := range []struct {
		expr      string
		sensitive bool
		want      string
		exact     bool
	}{
		{"quick", true, "[q u i c k]", true},
		{"Quick", false, "[Qq Uu Ii Cc Kk]", true},
		{"needle-[A-D]", true, "[n e e d l e - ABCD]", true},
		{"budget|invoice", true, "[b u d g e t] [i n v o i c e]", true},
		{`quick\s+brown`, true, "[q u i c k \t\f\r ]", false},
		{`\d{4}-\d{2}`, true, strings.Repeat("0123456789 ", 4) + "- 0123456789 0123456789", true},
		{`.ing$`, true, "[i n g]", false},
		{`(?:foo|bar)?qux`, true, "[q u x]", false},
		{`ab+c`, true, "[b c]", false},
		{`\w*`, false, "", false},
		{`x*`, false, "", false},
		{`a|.`, false, "", false},
		{"(a{0,100}){0,9}z", true, "[z]", false},
	} {
		p, err := Compile(c.expr, c.sensitive)
		if err != nil {
			t.Fatal(err)
		}
		got, exact := "", false
		if p.find != nil {
			got, exact = strings.Trim(fmt.Sprint(p.find.need), "[]"), p.find.exact
		}
		if got != strings.Trim(c.want, "[]") || exact != c.exact {
			t.Errorf("%q: finder %+v exact %v, want %q exact %v", c.expr, got, exact, c.want, c.exact)
		}
	}
}

func TestStop(t *testing.T) {
	if testing.Short() {
		t.Skip("slow; run by make test")
	}
	p, err := Compile(`[a-z ]*a[a-z ]{900}(é|z)`, true)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, 4<<20) // a full scan takes minutes
	for i := range text {
		text[i] = "abcdefg "[random.IntN(8)]
	}
	for name, text := range map[string][]byte{"one line": text, "lines": bytes.ReplaceAll(text, []byte("g"), []byte("\n"))} {
		var stop atomic.Bool
		time.AfterFunc(20*time.Millisecond, func() { stop.Store(true) })
		begin := time.Now()
		for range p.Lines(text, HasSpecial(text), &stop) {
			t.Fatal("found a line that does not exist")
		}
		if d := time.Since(begin); d > time.Second {
			t.Errorf("%s: ended after %v, stopped %v", name, d, stop.Load())
		}
	}
}

func BenchmarkScan(b *testing.B) {
	var text []byte
	words := strings.Fields("The project notes say that budget planning and design reviews happen on Monday; see [[Alpha]] for what was decided about it")
	x := uint32(7)
	for len(text) < 1<<20 {
		x = x*1664525 + 1013904223
		text = append(text, words[int(x>>16)%len(words)]...)
		text = append(text, " \n      "[x>>28&7])
	}
	for _, expr := range []string{"zyxqvrare", "mondaz", "thing", "needle-A|needle-B", "invoice|receipt|ledger", `\w+\s\d{4}x`, `\w+\s\d{4}\b`, `[a-z]+@[a-z]+\.com`} {
		for _, sensitive := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/%v", expr, sensitive), func(b *testing.B) {
				p, err := Compile(expr, sensitive)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(text)))
				special := HasSpecial(text) // kept with the text in the index
				for b.Loop() {
					for l := range p.Lines(text, special, nil) {
						b.Fatalf("%q", text[l.Start:l.End])
					}
				}
			})
		}
	}
}
