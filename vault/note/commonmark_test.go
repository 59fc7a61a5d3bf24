package note

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

// referenceHeadings returns the headings of a text outside quotes and lists according to a CommonMark parser.
func referenceHeadings(src []byte) string {
	doc := goldmark.New().Parser().Parse(text.NewReader(src))
	var b strings.Builder
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Lines().Len() == 0 {
			continue
		}
		var lines []string
		for i := range h.Lines().Len() {
			s := h.Lines().At(i)
			lines = append(lines, strings.Fields(string(s.Value(src)))...)
		}
		fmt.Fprintf(&b, "h%d@%d %s\n", h.Level, lineAt(src, h.Lines().At(0).Start), strings.Join(lines, " "))
	}
	return b.String()
}

func lineAt(src []byte, at int) int { return 1 + bytes.Count(src[:at], []byte("\n")) }

// referenceTasks returns the lines of tasks according to a parser of GitHub's Markdown.
func referenceTasks(src []byte) []int {
	doc := goldmark.New(goldmark.WithExtensions(extension.TaskList)).Parser().Parse(text.NewReader(src))
	var lines []int
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor returns no error
		if box, ok := n.(*extast.TaskCheckBox); ok && entering {
			lines = append(lines, lineAt(src, box.Parent().Lines().At(0).Start))
		}
		return ast.WalkContinue, nil
	})
	slices.Sort(lines)
	return lines
}

// TestParseMatchesCommonMark: headings and tasks agree with a CommonMark parser for any nesting of blocks. The text
// begins with a paragraph, so that it has no front matter.
func TestParseMatchesCommonMark(t *testing.T) {
	headings := rapid.SliceOfN(rapid.SampledFrom([]string{
		"# A", "## B ##", "text", "- item", "  more", "    deep", "> quote", "", "", "```", "~~~", "===", "---", "\tcode", "1. one", "   # C", "    # D", "***", "- # E", "* * *", "-", "   text",
		"- - x", "10) y", "> # F", "  ```", "> ```", "+ z", "\t- t", "      six", "- [ ] task", "<!-- c", "-->", "<div>", "</div>", "<pre>", "</pre>", "- ```", "- <div>", "> <div>", "1. > x",
		"> - y", ">   z", ">", "> ===", "  ===", "- ~~~", "\t```", "> > n", "   - d", "2. two", "       - far",
	}), 1, 12)
	tasks := rapid.SliceOfN(rapid.SampledFrom([]string{
		"# A", "text", "- item", "  more", "    deep", "> quote", "", "", "```", "===", "---", "\t- [ ] tab", "1. [x] one", "***", "- - [ ] x", "10) [ ] y", "  ```", "> ```", "+ [ ] z", "\t- t",
		"  - [ ] two", "    - [ ] four", "      - [ ] six", "        - [ ] eight", "- [ ] task", "> - [ ] q", "> text", "   - [x] three", "<div>", "> > - [ ] qq", "2. two", "   1. [ ] nested",
	}), 1, 10)
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			src := []byte("p\n\n" + strings.Join(headings.Draw(t, "blocks"), "\n") + "\n")
			var got strings.Builder
			for _, h := range Parse(src).Headings {
				if h.Text != "" {
					fmt.Fprintf(&got, "h%d@%d %s\n", h.Level, h.Line, h.Text)
				}
			}
			if want := referenceHeadings(src); got.String() != want {
				t.Fatalf("%q\ngot\n%swant\n%s", src, got.String(), want)
			}
			src = []byte("p\n\n" + strings.Join(tasks.Draw(t, "lists"), "\n") + "\n")
			var lines []int
			for _, task := range Parse(src).Tasks {
				lines = append(lines, task.Line)
			}
			if want := referenceTasks(src); !slices.Equal(lines, want) {
				t.Fatalf("%q\ngot %v\nwant %v", src, lines, want)
			}
		}
	})
}
