package find

import (
	"bytes"
	"strings"
	"testing"

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
		p := newPattern(tt.typed)
		if got, _ := p.count([]byte(tt.text), nil); got != tt.want {
			t.Errorf("%q in %q: %d, want %d", tt.typed, tt.text, got, tt.want)
		}
	}
}

// Nothing that is typed, and nothing that was said, confounds it.
func TestPatternsTakeAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		p := newPattern(rapid.String().Draw(t, "typed"))
		n, _ := p.count([]byte(text), nil)
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

// Plain words that are in a text are found as often where it is drawn, at any width.
func TestWhatIsInTheTextIsDrawn(t *testing.T) {
	r := markdown.NewRenderer(theme.New("dark", colorprofile.TrueColor), 24)
	words := []string{"plum", "nectarine", "**bold**", "`code`", "[[Jam]]", "über", "日本語", "well-known", "extraordinarily-long-and-hyphenated", "==marked=="}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 40).Draw(t, "words"), " ")
		typed := rapid.SampledFrom([]string{"plum", "bold", "code jam", "nectarine plum", "über", "本語", "well-known plum", "and-hyphenated", "marked bold"}).Draw(t, "typed")
		p := newPattern(typed)
		n, _ := p.count([]byte(text), nil)
		s := markdown.NewStream(r)
		s.Append(text)
		s.Finish()
		if drawn := p.drawnIn(s.Lines()); len(drawn) != n {
			t.Fatalf("%q: %d in the text, %d drawn:\n%s", typed, n, len(drawn), strings.Join(s.Lines(), "\n"))
		}
	})
}

func TestRepaint(t *testing.T) {
	const on, off = "\x1b[7m", theme.Reset
	for _, tt := range []struct {
		name, line string
		paints     []colouring
		want       string
	}{
		{"plain", "a plum tree", []colouring{{2, 6, on}}, "a " + off + on + "plum" + off + " tree"},
		{"to the end", "a plum", []colouring{{2, 6, on}}, "a " + off + on + "plum" + off},
		{"in a style", "\x1b[1ma plum tree\x1b[0m", []colouring{{2, 6, on}}, "\x1b[1ma " + off + on + "plum" + off + "\x1b[1m tree\x1b[0m"},
		{"a style that begins within", "a p\x1b[1mlum\x1b[0m tree", []colouring{{2, 6, on}}, "a " + off + on + "plum" + off + " tree"},
		{"two", "plum plum", []colouring{{0, 4, on}, {5, 9, on}}, off + on + "plum" + off + " " + off + on + "plum" + off},
		{"side by side", "plumplum", []colouring{{0, 4, on}, {4, 8, on}}, off + on + "plum" + off + off + on + "plum" + off},
		{"wide", "日本語", []colouring{{2, 4, on}}, "日" + off + on + "本" + off + "語"},
		{"a link stays", "\x1b]8;;u\x1b\\plum\x1b]8;;\x1b\\", []colouring{{0, 4, on}}, "\x1b]8;;u\x1b\\" + off + on + "plum\x1b]8;;\x1b\\" + off},
		{"nothing", "plum", nil, "plum"},
	} {
		if got := repaint(tt.line, tt.paints); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	text := bytes.Repeat([]byte("Some **words** about [[Fruit]], of which there are many. "), 18_000)
	p := newPattern("medlar")
	b.SetBytes(int64(len(text)))
	var buf []byte
	for b.Loop() {
		_, buf = p.count(text, buf)
	}
}
