package block

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// reference is what a CommonMark parser finds in a text, a line each: the headings with their
// levels and the lines of fenced code, in whatever quotes and list items they are. Headings that
// say nothing are left out, since it does not tell where they are.
func reference(src []byte) []string {
	var out []string
	add := func(what string, at int) {
		out = append(out, fmt.Sprintf("%03d %s", 1+bytes.Count(src[:at], []byte("\n")), what))
	}
	doc := goldmark.DefaultParser().Parse(text.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // no node of ours fails
		if !entering || n.Type() != ast.TypeBlock {
			return ast.WalkContinue, nil
		}
		lines := n.Lines()
		switch n := n.(type) {
		case *ast.Heading:
			if lines.Len() > 0 {
				add(fmt.Sprintf("heading %d", n.Level), lines.At(0).Start)
			}
		case *ast.FencedCodeBlock:
			for i := range lines.Len() {
				add("code", lines.At(i).Start)
			}
		}
		return ast.WalkContinue, nil
	})
	slices.Sort(out)
	return out
}

// scanned is the same, as the scanner finds it.
func scanned(src []byte) []string {
	var out []string
	s := New(src)
	paragraph := 0
	for s.Scan() {
		switch {
		case s.Kind == Text && !s.Continues:
			paragraph = s.Number
		case s.Kind == Heading && HeadingText(src[s.Text:s.End]) != "":
			out = append(out, fmt.Sprintf("%03d heading %d", s.Number, s.Level))
		case s.Kind == Underline:
			out = append(out, fmt.Sprintf("%03d heading %d", paragraph, s.Level))
		case s.Kind == Code:
			out = append(out, fmt.Sprintf("%03d code", s.Number))
		}
	}
	slices.Sort(out)
	return out
}

// lines are what a random text is put together from. Comments and math are no part of CommonMark, so
// there are none, and neither is front matter: the text begins with a paragraph.
var lines = []string{
	"# A", "## B ##", "### C", "   # D", "    # E", "#f", "####### g", "text", "more", "", "", "", "===", "---", "--", "  ===", "***", "* * *", "_ _ _", "- - -",
	"```", "```", "~~~", "````", "``` go", "``` a`b", "~~~ a`b", "  ```", "   ~~~", "    ```", "``````", "~~~~", "```  ", "~~~ x",
	"- item", "- # G", "- ```", "-", "* x", "+ y", "1. one", "2. two", "10) ten", "- - deep", "  - in", "    - far", "-     code", "  more", "    four", "      six", "\tcode", "- \ttab",
	"> quote", "> # H", "> ```", "> ~~~", "> > n", ">", "> ===", "> - z", ">     code", ">text", "- > q", "  > r", "1. > - s",
	"<div>", "</div>", "<pre>", "</pre>", "<!-- c", "-->", "<!-- d -->", "<?php", "?>", "<![CDATA[", "]]>", "<!X", "<span>", `<a href="x">`, "</b>", "<span> t", "<script>", "</script>", "- <div>", "> <pre>", "<br/>",
}

// goldmarkErrs says whether a text has what goldmark takes otherwise than the reference
// implementation of CommonMark does: an item with nothing in its first line, and then more items in it,
// or in an item itself ("- -", an empty line, "    # E": goldmark finds code there, commonmark.js a heading).
func goldmarkErrs(src []byte) bool {
	s := New(src)
	for bare := false; s.Scan(); bare = s.BeginsItem && s.Kind == Blank {
		if s.Items > 1 && (bare || s.BeginsItem && s.Kind == Blank) {
			return true
		}
	}
	return false
}

func TestPropertyFencesAndHeadingsAreCommonMarks(t *testing.T) {
	marks := rapid.StringOfN(rapid.SampledFrom([]rune("``~~##-=>>  *+1.)xy")), 0, 8, -1)
	texts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(lines), rapid.SampledFrom(lines), marks), 1, 12)
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			src := []byte("p\n\n" + strings.Join(texts.Draw(t, "lines"), "\n") + "\n")
			if goldmarkErrs(src) {
				continue
			}
			if got, want := scanned(src), reference(src); !slices.Equal(got, want) {
				t.Fatalf("%q\n%s\ngot\n%s\nwant\n%s", src, src, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	})
}
