package markdown

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestWrapFitsEveryTerminal: no line is too long for a terminal of which nothing is known, and no text is lost.
func TestWrapFitsEveryTerminal(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("👩‍👩‍👧", 5) + " ok DELETE all the secret words that nobody must miss here",
		strings.Repeat("हिन्दी में नमस्ते दुनिया ", 12),
		strings.Repeat("👍🏽", 20) + " fine, keep the old rota and never send the second payment to Karin",
		"Plain words, as long as it takes to need a second line and a third one.",
	} {
		for _, width := range []int{20, 36, 112} {
			lines := Wrap(text, "", width)
			for _, l := range lines {
				if n := max(ansi.StringWidth(l), ansi.StringWidthWc(l)); n > width {
					t.Errorf("%d cells of %d: %q", n, width, l)
				}
			}
			if got := strings.Join(strings.Fields(strings.Join(lines, " ")), ""); got != strings.Join(strings.Fields(text), "") {
				t.Errorf("at %d, %q became %q", width, text, lines)
			}
		}
	}
}
