package tui

import (
	"strings"
	"testing"

	"chatvault/tui/keys"
)

// A sentence typed while choosing parts decides nothing, whatever its letters: its first letter without an effect, and
// the rest, go to the composer.
func TestTypedSentenceAcceptsNoParts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"make it green instead", "any of them, but green", "nay: I want all", "yes all"} {
		s := newScreen(t)
		s.asked(rewriting("r1"))
		s.key("down", "down", "enter")
		s.wants("Part 1 of 4")
		for _, r := range text {
			if r == ' ' {
				s.send(keys.Press("space"))
				continue
			}
			s.key(string(r))
		}
		s.lacks("Part 1 of 4")
		s.wants("Enter to send your text")
		s.key("enter")
		s.answers()
		if got := s.f.sent[len(s.f.sent)-1].Text; got == "" || !strings.HasSuffix(text, got) {
			t.Errorf("sent %q of %q", got, text)
		}
		s.wants("Choose parts…")
	}
}
