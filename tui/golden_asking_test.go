package tui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/base/prosediff"
	"chatvault/internal/ptytest/golden"
)

// removal returns a request to delete a note that others link to.
func removal(id string) event.Request {
	r := event.Request{ID: id, Kind: event.RequestApproval, Text: "Deleting waits (approval = destructive)."}
	r.Change.Tool, r.Change.Kind, r.Change.Path, r.Change.Destructive = "delete_file", "delete", "Recipes/Nectarine tart.md", true
	r.Change.Detail = "file, 48 bytes; 4 notes link here: Home.md, Journal/2026-11-20.md, Plans.md, 1 more; to the trash"
	r.Change.Prose = prosediff.Compare("# Nectarine tart\n\n200 g flour\n100 g butter\n", "")
	return r
}

// working runs a turn that reads, announces its plan, and asks.
func workingTurn(s *screen, r event.Request) {
	s.ask("tidy my recipes: what is there twice can go, and what is left gets a heading")
	s.deliver(event.StateChanged{State: event.StateThinking}, event.TextDelta{Text: "Let me look at all of them first."}, event.StateChanged{State: event.StateActing})
	for i := range 6 {
		id := fmt.Sprint("read", i)
		s.deliver(event.ToolStarted{ID: id, Name: "read_file", Target: fmt.Sprintf("Recipes/%d.md", i)}, event.ToolFinished{ID: id, Name: "read_file", Summary: "12 lines"})
	}
	s.deliver(event.StateChanged{State: event.StateThinking}, event.TextDelta{Text: "The nectarine tart stands in two notes. The newer one has everything that is in this one, so this one can go."},
		event.StateChanged{State: event.StateActing}, event.ToolStarted{ID: "t9", Name: r.Change.Tool, Target: r.Change.Path},
		event.StateChanged{State: event.StateWaitingDecision}, event.Requested{Request: r})
	s.later()
}

// While the agent waits for the user, or the user for the agent, the request, its reason and the choices are visible
// together, even on a small screen.
func TestGoldenWaiting(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(*screen){
		"wait-delete": func(s *screen) { workingTurn(s, removal("r1")) },
		"wait-change": func(s *screen) { workingTurn(s, rewriting("r1")) },
		"wait-reason": func(s *screen) { workingTurn(s, removal("r1")); s.key("r"); s.typeText("Jo wrote it") },
		"wait-question": func(s *screen) {
			s.ask("which of the tarts is the better one?")
			s.deliver(event.TextDelta{Text: "Both use the same crust. They differ in the filling."},
				event.AgentMessage{Content: "Which of the two shall I keep?", IsQuestion: true, Options: []string{"The one with almonds, from June", "The one with plums"}}, event.TurnFinished{})
			s.later()
		},
		"wait-queue": func(s *screen) {
			s.ask("tidy my recipes")
			s.deliver(event.StateChanged{State: event.StateThinking}, event.TextDelta{Text: "I begin with the tarts."})
			s.queue("and the plums", "enter")
			s.queue("then make a list of what is missing", "tab")
		},
	}
	for name, scene := range scenes {
		for _, size := range []tea.WindowSizeMsg{{Width: 50, Height: 18}, {Width: 80, Height: 24}, {Width: 120, Height: 40}} {
			file := fmt.Sprintf("%s-none-%d.golden", name, size.Width)
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				s := newScreen(t, func(o *Options) { o.Theme = "none" })
				s.send(size)
				scene(s)
				golden.Check(t, file, s.m.View().Content+"\n")
				switch name {
				case "wait-delete", "wait-change", "wait-reason":
					s.wants("so this one can go")
					if name != "wait-reason" {
						s.wants("› Allow once", "(n)", "(r)")
					}
				}
				if name == "wait-delete" {
					s.wants("4 notes link")
				}
				checkFrame(t, s.m)
			})
		}
	}
}

// However long the turn and wherever the view, the context of a request is visible.
func TestApprovalKeepsTheChangeVisible(t *testing.T) {
	t.Parallel()
	for _, size := range []tea.WindowSizeMsg{{Width: 50, Height: 18}, {Width: 80, Height: 24}, {Width: 120, Height: 40}} {
		s := newScreen(t)
		s.send(size)
		s.key("home")
		workingTurn(s, rewriting("r1"))
		s.wants("this one can go.")
		for range 30 {
			s.key("pgdown")
			s.wants("this one can go.", "› Allow once")
		}
	}
}
