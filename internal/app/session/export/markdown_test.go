package export

import (
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// inlines returns the text of a document's only block, which must be a heading, with code marked.
func inlines(t *rapid.T, markdown string) string {
	source := []byte(markdown)
	doc := goldmark.DefaultParser().Parse(text.NewReader(source))
	if doc.ChildCount() != 1 || doc.FirstChild().Kind() != ast.KindHeading {
		t.Fatalf("%q is no heading alone", markdown)
	}
	var b strings.Builder
	for n := doc.FirstChild().FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Value(source))
		case *ast.String:
			b.Write(n.Value)
		case *ast.CodeSpan:
			b.WriteByte('<')
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				b.Write(c.(*ast.Text).Value(source))
			}
			b.WriteByte('>')
		default:
			t.Fatalf("%q holds a %s", markdown, n.Kind())
		}
	}
	return b.String()
}

// wording generates a line as a note may contain it.
func wording(t *rapid.T) string {
	hostile := rapid.SampledFrom([]string{"*", "_", "`", "``", "[a](b)", "[[Note]]", "<b>", "&amp;", "\\", "#", "~~", "|", "![x](y)", "https://x.y", "word", "ß", "日本", "-", "1."})
	s := rapid.OneOf(rapid.String(), rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(hostile, 1, 8).Draw(t, "parts"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
	})).Draw(t, "text")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// TestEscapedIsText checks that escaped text renders unchanged and contains no Markdown.
func TestEscapedIsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := wording(t)
		source := "# a " + Escaped(want)
		got := strings.ReplaceAll(inlines(t, source), "\\", "")
		if plain := strings.ReplaceAll("a "+want, "\\", ""); strings.TrimSpace(got) != strings.TrimSpace(plain) {
			t.Fatalf("%q reads %q, not %q", source, got, plain)
		}
	})
}

// TestCodeSpan checks that any text becomes a single code span.
func TestCodeSpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := wording(t)
		if want == "" {
			return
		}
		if got := inlines(t, "# "+CodeSpan(want)); got != "<"+want+">" {
			t.Fatalf("%q reads %q, not %q", CodeSpan(want), got, want)
		}
	})
}

// TestContained checks that the paragraph after an answer in a note is not part of it, and that the answer is
// complete.
func TestContained(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                         "plain",
		"a\r\nb\n\n":                    "a\nb",
		"```\ncode":                     "```\ncode\n```",
		"```\ncode\n```":                "```\ncode\n```",
		"````go\n```\n":                 "````go\n```\n````",
		"~~~\ncode":                     "~~~\ncode\n~~~",
		"- a\n  ```\n  code":            "- a\n  ```\n  code",
		"<!-- begun":                    "<!-- begun\n-->",
		"<script>\nx":                   "<script>\nx\n</script>",
		strings.Repeat("`", 12) + "\nx": strings.Repeat("`", 12) + "\nx\n" + strings.Repeat("`", 12),
		"":                              "",
	} {
		if got := Contained(in); got != want {
			t.Errorf("contained(%q) = %q, want %q", in, got, want)
		}
	}
}
