package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/tui/dialog"
)

// wholly returns a one-line edit with its context.
func wholly(id string) event.Request {
	r := edit(id)
	r.Change.Path, r.Text = "Home.md", "Every change waits (approval = writes)."
	r.Change.Diff = "--- a/Home.md\n+++ b/Home.md\n@@ -4,7 +4,7 @@\n one\n two\n three\n-## Standing\n+## Standing things\n four\n five\n six\n"
	return r
}

// A change to be approved is visible on any screen with enough space; otherwise the first key approves nothing.
func TestApprovalTakesSpaceFromTheTranscript(t *testing.T) {
	t.Parallel()
	for _, size := range []tea.WindowSizeMsg{{Width: 120, Height: 40}, {Width: 80, Height: 24}, {Width: 80, Height: 16}, {Width: 40, Height: 15}, {Width: 40, Height: 12}} {
		s := newScreen(t)
		s.send(size)
		s.ask("tidy my notes")
		s.deliver(steps(t, 1, 9))
		s.queue("and the plums", "enter")
		s.queue("and the pears", "enter")
		s.deliver(event.StateChanged{State: event.StateWaitingDecision}, event.Requested{Request: wholly("r1")})
		s.later()
		s.wants("Change this note?", "Home.md", "- ## Standing", "› Allow once", "(r)")
		s.lacks("step 2")
		checkFrame(t, s.m)
		s.key("enter")
		s.answers(answered{ID: "r1", Answer: event.Answer{Decision: event.AllowOnce}})
	}
	for _, size := range []tea.WindowSizeMsg{{Width: 20, Height: 6}, {Width: 30, Height: 6}, {Width: 10, Height: 5}} {
		s := newScreen(t)
		s.send(size)
		s.asked(wholly("r1"))
		s.lacks("› Allow")
		s.m.View()
		s.key("enter")
		s.answers(answered{ID: "r1", Answer: event.Answer{Decision: event.Deny}})
	}
}

// Typing below a request does not lead to consent: ↑ is not offered for taking a message back, and an arrow marks
// "Deny".
func TestTypedTextNeverApproves(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.asked(deletion("r1"))
	s.queue("stop, not that one", "enter")
	s.wants("stop, not that one", "→ this turn")
	s.lacks("takes it back")
	s.key("up")
	s.wants("› Deny")
	s.lacks("› Deny with")
	s.later()
	s.key("enter")
	s.answers(answered{ID: "r1", Answer: event.Answer{Decision: event.Deny}})
	s.wants("takes it back")
}

// The keys for clearing and quitting work below a request; Ctrl+C stops the turn if there is nothing to clear.
func TestClearingAndLeavingBelowAnApproval(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.asked(deletion("r1"))
	s.typeText("and the plums")
	s.key("down", "ctrl+c") // a choice is marked
	s.answers()
	if got := s.m.composer.Value(); got != "" {
		t.Errorf("the composer holds %q", got)
	}
	s.wants("Delete this?")
	s.key("ctrl+c")
	if s.answers(); s.quit || s.f.stopped() != 1 {
		t.Errorf("it quits: %v, or it is stopped %d times", s.quit, s.f.stopped())
	}
	s = newScreen(t)
	s.asked(deletion("r1"))
	s.key("ctrl+d")
	s.wants("Delete this?", "Press Ctrl+D again to quit")
	s.key("ctrl+d")
	if s.answers(); !s.quit {
		t.Error("Ctrl+D twice does not quit")
	}
	s = newScreen(t)
	s.asked(deletion("r1"))
	s.key("ctrl+c")
	if s.answers(); s.f.stopped() != 1 {
		t.Error("Ctrl+C does not stop the turn")
	}
	s = newScreen(t)
	s.asked(secret("r1"))
	s.typeText("sk")
	s.key("home", "ctrl+d") // deletes, in a field
	s.wants("A key is needed", "› •")
	if text := s.text(); strings.Contains(text, "••") || s.quit {
		t.Errorf("Ctrl+D in a field:\n%s", text)
	}
}

// A request gets its keys back as soon as the text below it is sent, cleared or deleted. An accidental extra Enter
// does not deny.
func TestApprovalGetsKeysBackAfterTyping(t *testing.T) {
	t.Parallel()
	denied := answered{ID: "r1", Answer: event.Answer{Decision: event.Deny}}
	for name, clear := range map[string]func(s *screen){
		"sent":    func(s *screen) { s.key("enter") },
		"cleared": func(s *screen) { s.key("ctrl+c") },
		"deleted": func(s *screen) { s.key("ctrl+u") },
	} {
		for key, again := range map[string]string{"ctrl+c": "Enter decides · Esc stops", "enter": "› Deny"} {
			s := newScreen(t)
			s.asked(deletion("r1"))
			s.typeText("note to the agent")
			s.wants("Enter to send your text")
			s.lacks("› Allow", "› Deny")
			clear(s)
			s.lacks("Enter to send your text")
			s.wants(again)
			for range 5 { // held down
				s.key("enter")
				s.now = s.now.Add(dialog.Settle / 2)
			}
			s.answers()
			s.later()
			s.key(key)
			if key == "enter" {
				s.answers(denied)
			} else if s.answers(); s.f.stopped() != 1 {
				t.Errorf("%s, %s: not stopped", name, key)
			}
			if s.quit {
				t.Errorf("%s, %s: it quits", name, key)
			}
		}
	}
}

// A request does not trap the user: Ctrl+C stops the turn, and twice it quits.
func TestCtrlCTwiceInARequest(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]event.Request{
		"a value":  {ID: "r1", Kind: event.RequestSetting, Name: "town", Text: "The server asks."},
		"a secret": secret("r1"), "a deletion": deletion("r1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			s.asked(r)
			s.key("ctrl+c")
			s.wants("Press Ctrl+C again to quit")
			if s.quit || s.f.stopped() != 1 {
				t.Fatalf("it quits: %v, or it is stopped %d times", s.quit, s.f.stopped())
			}
			s.key("ctrl+c")
			if !s.quit {
				t.Error("twice does not quit")
			}
		})
	}
}
