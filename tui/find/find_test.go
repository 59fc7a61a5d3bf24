package find

import (
	"bytes"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"chatvault/tui/markdown"
	"chatvault/tui/theme"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func TestPatternCounts(t *testing.T) {
	for _, tt := range []struct {
		typed, text string
		want        int
	}{
		{"plum", "Plums and plums, a PLUM", 3},
		{"Plum", "Plums and plums, a PLUM", 1},
		{"six nectarines", "**Six** nectarines", 1},
		{"six nectarines", "six\n   nectarines", 1},
		{"six  nectarines", "six nectarines", 1},
		{"nectarine tart is", "The [[Nectarine tart]] is", 1},
		{"snake_case", "a snake_case name, snakecase", 1},
		{"snakecase", "a snake_case name, snakecase", 2},
		{"**", "**bold**", 2},
		{"a|b", "| a|b |", 1},
		{"über", "ÜBER über u\u0308ber", 3},
		{"日本", "日本語と日本", 2},
		{"straße", "STRASSE Straße", 1},
		{"", "anything", 0},
		{"   ", "a   b", 0},
		{"aa", "aaaa", 2},
		{"x", strings.Repeat("x", 1000), 1000},
		{"\u202e", "a\u202eb", 1},
	} {
		p := newPattern(tt.typed, tt.typed)
		if got, _ := p.count([]byte(tt.text)); got != tt.want {
			t.Errorf("%q in %q: %d, want %d", tt.typed, tt.text, got, tt.want)
		}
	}
}

// Any pattern works on any text.
func TestPatternsTakeAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		typed := rapid.String().Draw(t, "typed")
		p := newPattern(typed, typed)
		n, _ := p.count([]byte(text))
		if n > 0 && p.empty() {
			t.Fatal("nothing was found")
		}
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = ansi.Strip(lines[i])
		}
		for _, m := range p.drawnIn(lines) {
			for _, s := range m {
				if s.from >= s.to || s.to > ansi.StringWidth(lines[s.row])+1 {
					t.Fatalf("%+v is not in %q", s, lines[s.row])
				}
			}
		}
	})
}

// Words of a text are found equally often in its drawing, at any width.
func TestTextMatchesAreFoundInTheDrawing(t *testing.T) {
	r := markdown.NewRenderer(theme.New("dark", colorprofile.TrueColor), 24)
	words := []string{"plum", "nectarine", "**bold**", "`code`", "[[Jam]]", "über", "日本語", "well-known", "extraordinarily-long-and-hyphenated", "==marked=="}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 40).Draw(t, "words"), " ")
		typed := rapid.SampledFrom([]string{"plum", "bold", "code jam", "nectarine plum", "über", "本語", "well-known plum", "and-hyphenated", "marked bold"}).Draw(t, "typed")
		p := newPattern(typed, typed)
		n, _ := p.count([]byte(text))
		s := markdown.NewStream(r)
		s.Append(text)
		s.Finish()
		if drawn := p.drawnIn(s.Lines()); len(drawn) != n {
			t.Fatalf("%q: %d in the text, %d drawn:\n%s", typed, n, len(drawn), strings.Join(s.Lines(), "\n"))
		}
	})
}

func TestRepaint(t *testing.T) {
	at := func(from, to int) lipgloss.Range {
		return lipgloss.NewRange(from, to, lipgloss.NewStyle().Reverse(true))
	}
	const on, off = "\x1b[7m", "\x1b[m"
	for _, tt := range []struct {
		name, line string
		ranges     []lipgloss.Range
		want       string
	}{
		{"plain", "a plum tree", []lipgloss.Range{at(2, 6)}, "a " + on + "plum" + off + " tree"},
		{"in a style", "\x1b[1ma plum tree\x1b[0m", []lipgloss.Range{at(2, 6)}, "\x1b[1ma \x1b[0m" + on + "plum" + off + "\x1b[1m tree\x1b[0m"},
		{"two, out of order", "plum plum", []lipgloss.Range{at(5, 9), at(0, 4)}, on + "plum" + off + " " + on + "plum" + off},
		{"overlapping", "plumplum", []lipgloss.Range{at(0, 4), at(3, 8)}, on + "plum" + off + "plum"},
		{"wide", "日本語", []lipgloss.Range{at(2, 4)}, "日" + on + "本" + off + "語"},
		{"nothing", "plum", nil, "plum"},
	} {
		if got := repaint(tt.line, tt.ranges); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	text := bytes.Repeat([]byte("Some **words** about [[Fruit]], of which there are many. "), 18_000)
	p := newPattern("medlar", "medlar")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		p.count(text)
	}
}
