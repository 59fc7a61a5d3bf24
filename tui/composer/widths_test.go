package composer

import (
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/base/cells"
	"chatvault/tui/keys"
	"chatvault/tui/theme"
)

// drawn returns the number of cells that Bubble Tea's renderer fills with a row.
func drawn(row string) (n int) {
	for _, line := range uv.NewStyledString(row).Lines(cells.Method()) {
		for _, c := range line {
			n += c.Width
		}
	}
	return n
}

// No character is outside the composer, and the cursor is where the terminal draws the next character.
func TestRowsAndCursorAreAsDrawn(t *testing.T) {
	defer cells.SetClusters(false)
	for _, clusters := range []bool{false, true} {
		cells.SetClusters(clusters)
		for _, text := range []string{
			strings.Repeat("हिन्दी में नमस्ते दुनिया ", 6), strings.Repeat("👩‍👩‍👧‍👦", 24), strings.Repeat("🇩🇪🇯🇵 ", 30),
			strings.Repeat("Z\u0351\u036b\u0343algo e\u0301 ", 20), strings.Repeat("👍🏽 fine ☑️ 1️⃣ ", 12),
		} {
			for _, width := range []int{20, 40, 80} {
				m := newTest()
				m.SetSize(width, 100)
				m.SetValue(text)
				m.editor.goTo(0)
				for at := -1; at < len(text); {
					if m.editor.col <= at {
						t.Fatalf("the cursor stays at %d of %q", at, text)
					}
					at = m.editor.col
					var all strings.Builder
					for _, row := range m.Lines() {
						before, _, here := strings.Cut(row, theme.Cursor)
						if n := drawn(row); n > width {
							t.Fatalf("clusters %v: a row of %d cells at %d: %q", clusters, n, width, row)
						}
						if here && drawn(before) != cells.Width(before) {
							t.Fatalf("clusters %v: the cursor is at %d, drawn %d: %q", clusters, cells.Width(before), drawn(before), row)
						}
						row = strings.TrimPrefix(ansi.Strip(strings.Replace(row, theme.Cursor, "", 1)), prompt)
						all.WriteString(strings.TrimPrefix(row, "  "))
					}
					if all.String() != text {
						t.Fatalf("clusters %v, at %d: %q became %q", clusters, width, text, all.String())
					}
					m.Key(keys.Press("right"))
				}
			}
		}
	}
}
