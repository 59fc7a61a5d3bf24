package markdown

import (
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2/lexers"
	"pgregory.net/rapid"
)

// TestCodeIsColoured: comments, keywords, strings, numbers and names have the theme's colours.
func TestCodeIsColoured(t *testing.T) {
	s := dark()
	letters := map[string]string{"": "", s.CodeComment: "c", s.CodeKeyword: "k", s.CodeString: "s", s.CodeNumber: "0", s.CodeName: "#"}
	r := NewRenderer(s, 80)
	letters[r.open.err] = "-" // added lines are drawn like strings
	for _, c := range []struct{ language, code, want string }{
		{"go", "func f(x int) string { // say\n\treturn \"a\\\"b\" + 'e'\n}", "k{func} #{f}(x k{int}) k{string} { c{// say}\n\tk{return} s{\"a\\\"b\"} + s{'e'}\n}"},
		{"Go", "x := 0x1F + 1_000", "x := 0{0x1F} + 0{1_000}"},
		{"python", "@memo\ndef f(s):  # why", "#{@memo}\nk{def} #{f}(s):  c{# why}"},
		{"sql", "Select 'it' FROM t -- all", "k{Select} s{'it'} k{FROM} t c{-- all}"},
		{"json", "{\"a\": [1, \"b\", true]}", "{#{\"a\"}: [0{1}, s{\"b\"}, k{true}]}"},
		{"yaml", "a: b # c", "#{a}: b c{# c}"},
		{"html", "<p class=\"a\">x</p><!-- z -->", "<#{p} #{class}=s{\"a\"}>x</#{p}>c{<!-- z -->}"},
		{"diff", "-old\n+new\n same", "-{-old\n}s{+new\n} same"},
		{"no such language", "func", "func"},
	} {
		got := ""
		for range 5 { // retries, since lexing may time out on a busy machine
			got = ""
			for _, sp := range r.colored(c.language, c.code) {
				letter, ok := letters[sp.open]
				switch {
				case !ok:
					t.Fatalf("%s: %q is in %q", c.language, sp.text, sp.open)
				case letter == "":
					got += sp.text
				default:
					got += letter + "{" + sp.text + "}"
				}
			}
			if got == c.want {
				break
			}
		}
		if got != c.want {
			t.Errorf("%s %q:\n%s\nwant\n%s", c.language, c.code, got, c.want)
		}
	}
}

// TestPropertyCodeStaysAsItIs: drawing does not change the code.
func TestPropertyCodeStaysAsItIs(t *testing.T) {
	r := NewRenderer(dark(), 80)
	part := rapid.OneOf(rapid.SampledFrom([]string{
		"\"", "'", "`", "\"\"\"", "/*", "*/", "//", "#", "<!--", "-->", "<", "</", "<script>", "\\", "\n", "\r", " ", "$", "@", "if", "x", "1e-", "0x", "é", "\xff", ":", "=", "- ", "[", "+", "```",
	}), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(lexers.GlobalLexerRegistry.Names(true)).Draw(rt, "language")
		code := strings.Join(rapid.SliceOfN(part, 0, 30).Draw(rt, "code"), "")
		var b strings.Builder
		for _, s := range r.colored(name, code) {
			b.WriteString(s.text)
		}
		if b.String() != code {
			rt.Fatalf("%s %q became %q", name, code, b.String())
		}
	})
}

// TestHostileCode: no code takes long.
func TestHostileCode(t *testing.T) {
	for _, part := range []string{"\"", "/*", "<a ", "\"\"\" ", "x ", "    "} {
		for _, language := range []string{"go", "html", "yaml", "lua", "json", "md"} {
			took := time.Hour
			for i := 0; i < 5 && took > 4*maxLexing; i++ { // retries, since the machine may be busy
				begin := time.Now()
				NewRenderer(dark(), 80).colored(language, strings.Repeat(part, maxHighlight/len(part)))
				took = min(took, time.Since(begin))
			}
			if took > 4*maxLexing {
				t.Errorf("%s, %q: %v", language, part, took)
			}
		}
	}
}
