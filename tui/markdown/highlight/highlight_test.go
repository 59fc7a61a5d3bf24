package highlight

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// shown writes spans with a letter for each class: "k{func}".
func shown(spans []Span) string {
	var b strings.Builder
	for _, s := range spans {
		if s.Class == Plain {
			b.WriteString(s.Text)
			continue
		}
		b.WriteString(string("pcks0#+-"[s.Class]) + "{" + s.Text + "}")
	}
	return b.String()
}

func TestCode(t *testing.T) {
	for _, c := range []struct{ language, code, want string }{
		{"go", "func f(x int) string { // say\n\treturn \"a\\\"b\" + `c\nd` + 'e'\n}", "k{func} #{f}(x k{int}) k{string} { c{// say}\n\tk{return} s{\"a\\\"b\"} + s{`c\nd`} + s{'e'}\n}"},
		{" Go ", "x := 0x1F + 1_000.5e-3 /* two\nlines */", "x := 0{0x1F} + 0{1_000.5e-3} c{/* two\nlines */}"},
		{"go", "a.b.c1 = funcs", "a.b.c1 = funcs"},
		{"python", "@memo\ndef f(s):  # why\n    return '''a\n'b'''", "#{@memo}\nk{def} #{f}(s):  c{# why}\n    k{return} s{'''a\n'b'''}"},
		{"python", "x = 'open ended\ny = 1", "x = 'open ended\ny = 0{1}"},
		{"js", "const $a = `x ${1}`; f()", "k{const} $a = s{`x ${1}`}; #{f}()"},
		{"sh", "echo \"$HOME\" ${x} a#b # c", "k{echo} s{\"$HOME\"} ${x} a#b c{# c}"},
		{"sh", "for f in $list; do", "k{for} f k{in} #{$list}; k{do}"},
		{"sql", "Select 'it''s' FROM t -- all", "k{Select} s{'it''s'} k{FROM} t c{-- all}"},
		{"json", "{\"a\": [1, \"b\", true]}", "{#{\"a\"}: [0{1}, s{\"b\"}, k{true}]}"},
		{"yaml", "a: b # c\n- d: \"e\"\nf:\n  - 1", "#{a}: b c{# c}\n- #{d}: s{\"e\"}\n#{f}:\n  - 0{1}"},
		{"yaml", "url: http://x", "#{url}: http://x"},
		{"toml", "[a.b]\nc = true\nd = [1, 2]", "#{[a.b]}\n#{c }= k{true}\n#{d }= [0{1}, 0{2}]"},
		{"html", "<p class=\"a\">x &lt; y</p><!-- z -->", "#{<p} class=s{\"a\"}#{>}x &lt; y#{</p>}c{<!-- z -->}"},
		{"html", "a < b", "a < b"},
		{"css", ".a { color: #fff; } /* b */", "#{.a} { color: #{#fff}; } c{/* b */}"},
		{"diff", "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same", "#{--- a}\n#{+++ b}\n#{@@ -1 +1 @@}\n-{-old}\n+{+new}\n same"},
		{"markdown", "# T\ntext `code` and ` that\n> said\n```\n# no\n```\n", "#{# T}\ntext s{`code`} and ` that\nc{> said}\ns{```}\ns{# no}\ns{```}\n"},
		{"tex", "\\section{A} % b", "#{\\section}{A} c{% b}"},
		{"bat", "REM a\nset x=REM", "c{REM a}\nk{set} x=REM"},
	} {
		spans, ok := Code(c.language, c.code)
		if got := shown(spans); !ok || got != c.want {
			t.Errorf("%s %q:\n%s\nwant\n%s", c.language, c.code, got, c.want)
		}
	}
	if _, ok := Code("no such language", "x"); ok {
		t.Error("an unknown language is known")
	}
}

// No name stands for two languages.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for i := range languages {
		for name := range strings.FieldsSeq(languages[i].names) {
			if seen[name] || name != strings.ToLower(name) {
				t.Errorf("%q is there twice, or not in lower case", name)
			}
			seen[name] = true
		}
		if len(languages[i].quotes) > len(scanner{}.loose) {
			t.Errorf("%q has too many quotes", languages[i].names)
		}
	}
}

// What comes out is what went in, whatever it is.
func TestPropertyCodeStaysAsItIs(t *testing.T) {
	var names []string
	for name := range byName() {
		names = append(names, name)
	}
	part := rapid.OneOf(rapid.SampledFrom([]string{
		"\"", "'", "`", "\"\"\"", "'''", "/*", "*/", "//", "#", "--", "{-", "-}", "<!--", "-->", "<", ">", "</", "\\", "\n", " ", "$", "@", "if", "x", "1", "1e-", "0x", "é", "\xff", ":", "=", "- ", "[", "]", "+", "```",
	}), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(names).Draw(rt, "language")
		code := strings.Join(rapid.SliceOfN(part, 0, 30).Draw(rt, "code"), "")
		spans, ok := Code(name, code)
		var b strings.Builder
		for i, s := range spans {
			b.WriteString(s.Text)
			if s.Text == "" || i > 0 && s.Class == spans[i-1].Class {
				rt.Fatalf("%s %q: span %d of %q", name, code, i, spans)
			}
		}
		if !ok || b.String() != code {
			rt.Fatalf("%s %q became %q", name, code, b.String())
		}
	})
}

// Time grows with the code, not with its square.
func TestHostileCode(t *testing.T) {
	once := func(language, part string, size int) time.Duration {
		code := strings.Repeat(part, size/len(part))
		begin := time.Now()
		Code(language, code)
		return time.Since(begin)
	}
	for _, part := range []string{"\"", "`", "/*", "<a ", "\"\"\" ", "a:", "x ", "    ", "\\\"", "REM"} {
		for _, language := range []string{"go", "sql", "sh", "html", "yaml", "lua", "bat", "json", "md"} {
			short, long := time.Hour, time.Hour
			for range 30 { // the machine may be busy: the best of many is the code's own
				long = min(long, once(language, part, 16<<10))
				if long < 15*time.Millisecond {
					break // the square of it would take longer
				}
				if short = min(short, once(language, part, 4<<10)); long <= 10*short {
					break
				}
			}
			if long >= 15*time.Millisecond && long > 10*short {
				t.Errorf("%s, %q: %v, and %v for four times as much", language, part, short, long)
			}
		}
	}
}
