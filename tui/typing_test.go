package tui

import (
	"testing"

	"chatvault/tui/keys"
)

// Words that are names of keys are text, however fast they are typed: several characters arrive at once.
func TestTypedWordsAreNotKeys(t *testing.T) {
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

// Esc directly followed by a letter, which a terminal sends as Alt with the letter, is both keys; bindings of Alt
// with a letter still work.
func TestEscAndALetterAtOnce(t *testing.T) {
	s := newScreen(t)
	s.typeText("one two")
	s.ask("go on")
	s.send(keys.Press("alt+x"))
	if s.f.stopped() == 0 {
		t.Error("Esc did not stop the turn")
	}
	if got := s.m.composer.Value(); got != "x" {
		t.Errorf("%q is written", got)
	}
	s.typeText(" two three")
	s.send(keys.Press("alt+b"))
	s.typeText("and ")
	if got := s.m.composer.Value(); got != "x two and three" {
		t.Errorf("%q is written", got)
	}
}
