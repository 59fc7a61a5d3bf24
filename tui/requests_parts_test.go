package tui

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// A sentence that is typed while the parts of a change are chosen among is sent by Enter, whole,
// and decides nothing, whatever its letters.
func TestASentenceDecidesNoParts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"make it green instead", "any of them, but green", "nay: I want all", "yes all"} {
		s := newScreen(t)
		s.asked(rewriting("r1"))
		s.key("down", "down", "enter")
		s.wants("Part 1 of 4")
		for _, r := range text {
			if r == ' ' {
				s.send(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(" ")})
				continue
			}
			s.key(string(r))
		}
		s.lacks("Part 1 of 4")
		s.wants("Enter sends your text")
		s.key("enter")
		s.answers()
		if got := s.f.sent[len(s.f.sent)-1].Text; got != text {
			t.Errorf("sent %q, want %q", got, text)
		}
		s.wants("Choose among its 4 parts…")
	}
}
