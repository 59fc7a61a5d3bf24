package block

import (
	"fmt"
	"strings"
	"testing"
)

// TestLines shows the kind of each line as a letter: CommonMark's kinds, and Obsidian's front matter, comments and
// math.
func TestLines(t *testing.T) {
	letters := map[Kind]string{Blank: "_", Text: "t", Heading: "h", Underline: "u", Rule: "r", Fence: "f", Code: "c", Indented: "i", Comment: "%", Math: "$", HTML: "<", Property: "p"}
	for _, test := range []struct{ name, text, want string }{
		{"front matter", "---\na: b\n\n---\nc\n---\n", "p p p p t u"},
		{"front matter, blanks and CRLF", "\ufeff---  \r\na: b\r\n--- \r\nc", "p p p t"},
		{"front matter is not closed by dots", "---\na: b\n...\n", "r t t"},
		{"none, not at the start", "\n---\na\n---", "_ r t u"},
		{"a comment over lines hides", "a\n%%\n# b\n\n```\n%%\n# c", "t % % % % % h"},
		{"text behind a comment", "%% a\n%% b\n# c", "% t h"},
		{"a comment in its line is text", "%% a %% b\n# c", "t h"},
		{"a comment that is not closed", "%%\na\n\n# b", "% % % %"},
		{"math over lines hides", "$$\n# a\n$$\n# b", "$ $ $ h"},
		{"math that is not closed, alone", "$$\n# a", "$ $"},
		{"unclosed math next to text", "$$ a\n# b", "t h"},
		{"a comment leaves its list item", "- %%\n\na\n%%\n  b", "% % % % t"},
		{"no comment in code", "```\n%%\n```\n# a", "f c f h"},
		{"code to the end", "~~~\na\n\n", "f c c"},
		{"an item with nothing in it", "-\n\n      a", "_ _ i"},
		{"an item that begins with code", "-     a\n\n      b\n\n  c", "i _ i _ t"},
		{"lazy text", "> a\nb\n---\n", "t t r"},
		{"HTML to a blank line", "<div>\n# a\n\n# b", "< < _ h"},
		{"an HTML comment to its end", "<!--\n\n# a\n--> b\n# c", "< < < < h"},
	} {
		var got []string
		s := New([]byte(test.text))
		for s.Scan() {
			got = append(got, letters[s.Kind])
		}
		if joined := strings.Join(got, " "); joined != test.want {
			t.Errorf("%s: %q: got %s, want %s", test.name, test.text, joined, test.want)
		}
	}
}

// TestUnclosed lists, for each text, the line and closing marker of the block still open at its end.
func TestUnclosed(t *testing.T) {
	for text, want := range map[string]string{
		"a":              "0 ",
		"a\n````go\nb":   "2 ````",
		"~~~\n~~~":       "0 ",
		"- ```\n  a":     "0 ",
		"%%\na":          "1 %%",
		"%%\na\n%%":      "0 ",
		"a\n\n$$\n":      "3 $$",
		"<!-- a":         "1 -->",
		"<Pre>\na\n":     "1 </Pre>",
		"<div>\na":       "0 ",
		"<!-- a --> b\n": "0 ",
	} {
		s := New([]byte(text))
		for s.Scan() {
		}
		if line, closing := s.Unclosed(); fmt.Sprint(line, " ", closing) != want {
			t.Errorf("%q: got %d %q, want %s", text, line, closing, want)
		}
	}
}
