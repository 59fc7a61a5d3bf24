package search

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chatvault/vault/block"
)

// TestPropertyHeadingsAreTheBlocks: for any order of lines and any slices of the text, isHeading agrees with the
// block scanner on the supported kinds of headings.
func TestPropertyHeadingsAreTheBlocks(t *testing.T) {
	part := rapid.SampledFrom([]string{
		"```\n", "~~~\n", "````\n", "# a\n", "   ## b\n", "    # c\n", "#\n", "text\n", "===\n", "\n", "%%\n", "$$\n", "<div>\n", "<!--\n", "-->\n", "> # d\n", "> e\n",
		"- f\n", "- ```\n", "  ```\n", "  # g\r\n", "$$ x\n",
	})
	rapid.Check(t, func(rt *rapid.T) {
		parts := rapid.SliceOfN(part, 0, 14).Draw(rt, "text")
		text := []byte(strings.Join(parts, ""))
		var want []int
		whole := block.New(text)
		for last := whole.Line; whole.Scan(); last = whole.Line {
			switch line := text[whole.Start:whole.End]; {
			case whole.Kind == block.Heading && !strings.HasPrefix(string(line), "    ") && strings.HasPrefix(strings.TrimLeft(string(line), " "), "#"):
				want = append(want, whole.Start)
			case whole.Kind == block.Underline && whole.Level == 1:
				want = append(want, last.Start)
			}
		}
		cut := 0
		if at := rapid.IntRange(0, len(parts)).Draw(rt, "cut"); !strings.Contains(string(text), "$$ x") {
			cut = len(strings.Join(parts[:at], ""))
		}
		var h headings
		shift := 0
		for i, slice := range [][]byte{text[:cut], text[cut:]} {
			h.begin(slice, i == 0)
			for start := 0; start < len(slice); {
				stop := block.LineStop(slice, start)
				if rapid.IntRange(0, 2).Draw(rt, "asked") == 0 { // only some lines are hits
					end := start + len(strings.TrimRight(string(slice[start:stop]), "\r\n"))
					got := h.isHeading(slice, start, end, stop)
					if got != slices.Contains(want, shift+start) && !cutUnderline(text, shift+stop, cut) {
						rt.Fatalf("%q at %d, cut at %d: heading %v", text, shift+start, cut, got)
					}
				}
				start = stop
			}
			h.end()
			shift += len(slice)
		}
	})
}

// cutUnderline reports whether the underline is in the next slice, which isHeading does not see.
func cutUnderline(text []byte, stop, cut int) bool {
	return stop == cut && stop < len(text) && text[stop] == '='
}
