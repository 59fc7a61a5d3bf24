package tui

import (
	"strings"
	"testing"

	"chatvault/agent/event"

	"chatvault/tui/keys"
)

// A sentence typed while choosing parts is sent completely by Enter and decides nothing, whatever its letters.
func TestASentenceDecidesNoParts(t *testing.T) {
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
		if got := s.f.sent[len(s.f.sent)-1].Text; got != text {
			t.Errorf("sent %q, want %q", got, text)
		}
		s.wants("Choose parts…")
	}
}

// The accepted parts are reported after the change was made, and not if it was refused.
func TestPartsOfARefusedChangeAreNotTaken(t *testing.T) {
	t.Parallel()
	for name, nest := range map[string]func(event.ToolFinished) event.Event{
		"of the turn":      func(e event.ToolFinished) event.Event { return e },
		"of the sub-agent": func(e event.ToolFinished) event.Event { return event.Nested{CallID: "d1", Event: e} },
	} {
		s := newScreen(t)
		s.asked(rewriting("r1"))
		s.key("down", "down", "enter", "y", "enter")
		s.deliver(event.RequestEnded{ID: "r1", Decision: event.AllowOnce, Hunks: []int{0}},
			nest(event.ToolFinished{ID: "t1", Name: "write_file", IsError: true, Summary: "changed on disk"}))
		if s.lacks("of 4 parts"); strings.Contains(s.text(), "taken.") {
			t.Errorf("%s: said of a change that was refused:\n%s", name, s.text())
		}
		s.deliver(event.Requested{Request: rewriting("r2")})
		s.later()
		s.key("down", "down", "enter", "y", "enter")
		s.deliver(event.RequestEnded{ID: "r2", Decision: event.AllowOnce, Hunks: []int{0}},
			nest(event.ToolFinished{ID: "t2", Name: "write_file", Summary: "written"}))
		s.wants("Accepted 1 of 4 parts of the change to Plans/House.md.")
	}
}
