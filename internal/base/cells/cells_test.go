package cells

import (
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

var samples = []string{
	"word ", "日本語", "हिन्दी ", "क्षत्रिय", "ไทยภาษาไทย", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇯🇵", "👍🏽", "☑️", "1️⃣", "e\u0301", "Z\u0351\u036b\u0343", "\u0301",
	"\x1b[1mbold\x1b[0m", "\x1b]8;;x\x1b\\link\x1b]8;;\x1b\\",
}

// inBothModes runs a test for a terminal that does not draw grapheme clusters and for one that does.
func inBothModes(t *testing.T, test func(t *testing.T)) {
	for name, on := range map[string]bool{"code points": false, "clusters": true} {
		t.Run(name, func(t *testing.T) {
			SetClusters(on)
			defer SetClusters(false)
			test(t)
		})
	}
}

// drawn returns the number of cells that Bubble Tea's renderer fills with a line.
func drawn(line string) (n int) {
	for _, l := range uv.NewStyledString(line).Lines(Method()) {
		for _, c := range l {
			n += c.Width
		}
	}
	return n
}

func TestWidthIsThatOfTheRenderer(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		for _, s := range samples {
			if s = "a" + s; Width(s) != drawn(s) {
				t.Errorf("%q is %d cells wide, drawn %d", s, Width(s), drawn(s))
			}
		}
	})
}

func TestTruncateFits(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(samples), 0, 12).Draw(t, "text"), "")
			width, tail := rapid.IntRange(0, 30).Draw(t, "width"), rapid.SampledFrom([]string{"", "…"}).Draw(t, "tail")
			got := Truncate(s, width, tail)
			if Width(got) > width || drawn(got) > width {
				t.Fatalf("%q: %d cells of %d", got, drawn(got), width)
			}
			if plain, ok := strings.CutSuffix(ansi.Strip(got), tail); Width(s) > width && width > 0 && (!ok || !strings.HasPrefix(ansi.Strip(s), plain)) {
				t.Fatalf("%q became %q", s, got)
			}
			if Width(s) <= width && got != s {
				t.Fatalf("%q fits and became %q", s, got)
			}
		})
	})
}

// TestTruncateCutsNoMore: a cluster that just fits stays.
func TestTruncateCutsNoMore(t *testing.T) {
	const family = "👩‍👩‍👧‍👦"
	for width, want := range map[int]string{7: "", 8: family, 9: family + "w"} {
		if got := Truncate(family+"words", width, ""); got != want {
			t.Errorf("in %d cells: %q, want %q", width, got, want)
		}
	}
}

func TestPad(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		for _, s := range samples {
			if got := Pad(s, 20); drawn(got) != 20 || strings.TrimRight(got, " ") != strings.TrimRight(s, " ") {
				t.Errorf("%q: %d cells", got, drawn(got))
			}
		}
	})
}
