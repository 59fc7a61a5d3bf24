package tui

import "testing"

// Words that are the names of keys are text like any other, however fast they are typed:
// several characters arrive at once.
func TestTypedWordsAreNoKeys(t *testing.T) {
	for _, word := range []string{"enter", "esc", "ctrl+c", "ctrl+d", "pgup", "home", "end", "f1", "up", "tab", "ctrl+z", "ctrl+l"} {
		s := newScreen(t)
		s.ask("x")
		s.typeText(word)
		if got := s.m.composer.Value(); got != word {
			t.Errorf("%q became %q", word, got)
		}
		s.typeText(word) // also after other text
		if got := s.m.composer.Value(); got != word+word {
			t.Errorf("%q after %q: %q", word, word, got)
		}
		if s.f.stopped() != 0 || s.quit || len(s.f.sent) != 1 || !s.m.dialogs.Empty() {
			t.Errorf("%q stopped, sent, left or opened the help", word)
		}
	}
}

func TestTheQuestionMarkOpensTheHelpOnlyAlone(t *testing.T) {
	s := newScreen(t)
	s.typeText("??")
	if got := s.m.composer.Value(); got != "??" || !s.m.dialogs.Empty() {
		t.Errorf("“??” wrote %q, help open: %v", got, !s.m.dialogs.Empty())
	}
	s.key("ctrl+u", "?")
	s.wants("While you write")
}
