package search

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/vault/block"
	"chatvault/vault/linematch"
)

// TestPropertyHeadingsMatchBlocks: for any sequence of lines, headings agrees with the block scanner on the supported
// kinds of headings.
func TestPropertyHeadingsMatchBlocks(t *testing.T) {
	part := rapid.SampledFrom([]string{
		"```\n", "~~~\n", "````\n", "# a\n", "   ## b\n", "    # c\n", "#\n", "text\n", "===\n", "\n", "%%\n", "$$\n", "<div>\n", "<!--\n", "-->\n", "> # d\n", "> e\n",
		"- f\n", "- ```\n", "  ```\n", "  # g\r\n", "$$ x\n",
	})
	if text := []byte("text\n    # c\n===\n"); !(&headings{text: text, lines: block.New(text)}).has(linematch.Line{Start: 5, End: 12, Stop: 13}) {
		t.Error("an indented # in a heading of two lines")
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(part, 0, 14).Draw(rt, "text"), ""))
		var want []int
		whole := block.New(text)
		for last := whole.Line; whole.Scan(); last = whole.Line {
			switch line := text[whole.Start:whole.End]; {
			case whole.Kind == block.Heading && strings.HasPrefix(strings.TrimLeft(string(line), " "), "#"):
				want = append(want, whole.Start)
			case whole.Kind == block.Underline && whole.Level == 1:
				want = append(want, last.Start)
			}
		}
		heads := headings{text: text, lines: block.New(text)}
		lines := block.New(text)
		for lines.Scan() {
			if rapid.IntRange(0, 2).Draw(rt, "asked") > 0 { // only some lines are hits
				continue
			}
			if got := heads.has(linematch.Line{Start: lines.Start, End: lines.End, Stop: lines.Next}); got != slices.Contains(want, lines.Start) {
				rt.Fatalf("%q at %d: heading %v", text, lines.Start, got)
			}
		}
	})
}
