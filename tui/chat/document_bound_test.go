package chat

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"chatvault/tui/theme"
)

// Only the beginning of a huge text is drawn, with the size of the rest; copying and searching use all of it.
func TestAHugeTextIsDrawnWithinBounds(t *testing.T) {
	t.Parallel()
	const paragraph = "Some words of an answer that goes on and on, *without* an end.\n\n"
	text := strings.Repeat(paragraph, 8<<20/len(paragraph))
	for _, streamed := range []bool{true, false} {
		a := NewAssistant(NewEnv(theme.New(theme.Dark, colorprofile.TrueColor)))
		for rest := text; rest != ""; {
			piece := rest[:min(1<<20, len(rest))]
			rest = rest[len(piece):]
			a.Append(piece)
			if streamed {
				a.Lines(80)
			}
		}
		began := time.Now()
		a.Finish()
		a.Lines(80)
		if took := time.Since(began); took > 60*time.Second { // much less on an idle machine
			t.Errorf("its end took %v", took)
		}
		lines := a.Lines(80)
		if most := 2 * maxDrawn / len(paragraph); len(lines) < most/2 || len(lines) > 2*most {
			t.Errorf("%d lines are drawn", len(lines))
		}
		if last := lines[len(lines)-1]; !strings.Contains(plain(lines[len(lines)-2:]), "too long to show") {
			t.Errorf("the last line is %q", last)
		}
		if raw := a.Raw(); raw != text {
			t.Errorf("%d bytes are kept of %d", len(raw), len(text))
		}
	}
}
