package frame

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"chatvault/internal/base/cells"
)

// The box keeps its position over any background, and the text on both sides does not move.
func TestOverlayKeepsPositions(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "日", "👩‍🚒", "é", " ", "\x1b[1mb\x1b[0m", "\x1b[31m本", "\x1b]8;;x\x1b\\l\x1b]8;;\x1b\\"})
	rapid.Check(t, func(rt *rapid.T) {
		cells.SetClusters(rapid.Bool().Draw(rt, "terminal draws clusters"))
		defer cells.SetClusters(false)
		width := rapid.IntRange(8, 30).Draw(rt, "width")
		back := cells.Truncate(strings.Join(rapid.SliceOfN(part, 0, 30).Draw(rt, "behind"), ""), width, "")
		box := strings.Repeat("#", rapid.IntRange(1, width).Draw(rt, "box"))
		got := ansi.Strip(Over(Dim(lipgloss.NewStyle().Faint(true), []string{back, back, back}), []string{box}, width)[1])
		left := (width - len(box)) / 2
		before, after, found := strings.Cut(got, box)
		if !found || cells.Width(before) != left || cells.Width(got) > width {
			rt.Fatalf("%q over %q is %q", box, back, got)
		}
		plain := ansi.Strip(back)
		if !strings.HasPrefix(plain, strings.TrimRight(before, " ")) || !strings.HasSuffix(strings.TrimRight(plain, " "), strings.Trim(after, " ")) {
			rt.Fatalf("%q over %q is %q", box, back, got)
		}
	})
}
