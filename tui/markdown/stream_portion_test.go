package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestStreamDrawsInPortions: of much text that comes at once, little is drawn at a time, so that keys
// are answered between, and in the end all of it is there, as it would be drawn at once.
func TestStreamDrawsInPortions(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "Paragraph %d with **some** words in it.\n\n", i)
	}
	b.WriteString("```\n" + strings.Repeat("a line of code\n", 6000) + "```\n\n") // one block of 90 kB
	b.WriteString(strings.Repeat("word ", 20_000) + "\n\nthe end\n")              // one line of 100 kB
	text := b.String()
	r := NewRenderer(dark(), 80)
	s := NewStream(r)
	s.Append(text)
	calls, at := 0, 0
	for s.Stale() && calls < 100 {
		s.drawnAt = time.Time{} // as if enough time had passed
		s.Lines()
		if calls++; s.start-at > 8*portion {
			t.Errorf("%d bytes were drawn at once", s.start-at)
		}
		at = s.start
	}
	if calls < len(text)/(8*portion) || calls == 100 {
		t.Errorf("it was drawn in %d portions", calls)
	}
	s.Finish()
	if !slices.Equal(s.Lines(), r.Render(text)) {
		t.Error("it is not as it would be drawn at once")
	}
}
