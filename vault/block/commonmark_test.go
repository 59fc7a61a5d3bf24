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

// reference returns what a CommonMark parser finds in a text: headings with their levels and the lines of fenced
// code, in any quotes and list items. Empty headings are omitted because the parser gives no position for them.
func reference(src []byte) []string {
	var out []string
	add := func(what string, at int) {
		out = append(out, fmt.Sprintf("%03d %s", 1+bytes.Count(src[:at], []byte("\n")), what))
	}
	doc := goldmark.DefaultParser().Parse(text.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor returns no error
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

// scanned returns the same for the scanner.
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

// lines are the parts of random texts. They contain no comments, math or front matter, which CommonMark lacks.
var lines = []string{
	"# A", "## B ##", "### C", "   # D", "    # E", "#f", "####### g", "text", "more", "", "", "", "===", "---", "--", "  ===", "***", "* * *", "_ _ _", "- - -",
	"```", "```", "~~~", "````", "``` go", "``` a`b", "~~~ a`b", "  ```", "   ~~~", "    ```", "``````", "~~~~", "```  ", "~~~ x",
	"- item", "- # G", "- ```", "-", "* x", "+ y", "1. one", "2. two", "10) ten", "- - deep", "  - in", "    - far", "-     code", "  more", "    four", "      six", "\tcode", "- \ttab",
	"> quote", "> # H", "> ```", "> ~~~", "> > n", ">", "> ===", "> - z", ">     code", ">text", "- > q", "  > r", "1. > - s",
	"<div>", "</div>", "<pre>", "</pre>", "<!-- c", "-->", "<!-- d -->", "<?php", "?>", "<![CDATA[", "]]>", "<!X", "<span>", `<a href="x">`, "</b>", "<span> t", "<script>", "</script>", "- <div>", "> <pre>", "<br/>",
}

// goldmarkErrs reports whether goldmark parses a text differently from the CommonMark reference implementation: an
// empty list item that has further items in it, or is in an item itself ("- -", an empty line, "    # E": goldmark
// finds code, commonmark.js a heading).
func goldmarkErrs(src []byte) bool {
	s := New(src)
	for bare := false; s.Scan(); bare = s.BeginsItem && s.Kind == Blank {
		if s.Items > 1 && (bare || s.BeginsItem && s.Kind == Blank) {
			return true
		}
	}
	return false
}

func TestPropertyBlocksMatchCommonMark(t *testing.T) {
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
