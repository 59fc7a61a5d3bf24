package tui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/ptytest/golden"
)

// Golden screens of the dialogs and states that wait for the user.
func TestGoldenRequests(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(*screen){
		"approve-edit":   func(s *screen) { s.asked(edit("r1")) },
		"approve-delete": func(s *screen) { s.asked(deletion("r1")) },
		"approve-move": func(s *screen) {
			r := edit("r1")
			r.Change.Tool, r.Change.Kind, r.Change.Path, r.Change.NewPath, r.Change.Diff = "move_file", "move", "Plans/tart\u202edm.md", "Recipes/Nectarine tart.md", ""
			r.Change.Detail = "4 links in 3 notes are rewritten"
			s.asked(r)
		},
		"approve-early": func(s *screen) {
			s.ask("tidy my recipes")
			s.deliver(event.StateChanged{State: event.StateWaitingDecision}, event.Requested{Request: edit("r1")})
		},
		"approve-writing": func(s *screen) { s.asked(edit("r1")); s.typeText("and the plums") },
		"approve-note":    func(s *screen) { s.asked(deletion("r1")); s.key("up", "enter"); s.typeText("keep it, I") },
		"secret":          func(s *screen) { s.asked(secret("r1")); s.typeText("sk-proj-Vq7") },
		"secret-empty":    func(s *screen) { s.asked(secret("r1")); s.key("enter") },
		"setting": func(s *screen) {
			s.asked(event.Request{ID: "r1", Kind: event.RequestSetting, Name: "OLLAMA_HOST", Text: "No address of the server is known. It is kept in the configuration."})
			s.typeText("http://box:11434")
		},
		"options": func(s *screen) {
			offered(s, "Nectarine tart, the one with almonds that was written down in June", "Plum tart")
			s.key("down")
		},
		"plan": func(s *screen) {
			s.typeText("/plan move all recipes into one folder")
			s.key("enter")
			s.deliver(event.Received{Message: s.f.sent[0]}, event.TurnStarted{MessageIDs: []string{"m1"}},
				event.TextDelta{Text: "1. Make the folder\n2. Move them\n"},
				event.AgentMessage{Content: "Carry out this plan?", IsQuestion: true, Options: []string{"Carry it out", "Leave it"}},
				event.TurnFinished{})
		},
		"goal-turn": func(s *screen) {
			s.ask("tidy my recipes")
			g := event.Goal{Text: "tidy my recipes", Status: event.GoalActive, Why: "the plum tart has no title", Turns: 3, MaxTurns: 10}
			s.deliver(event.TextDelta{Text: "Three are done."}, event.TurnFinished{}, event.GoalChanged{Goal: g},
				event.Received{Message: event.Inbound{ID: "g1", Source: event.SourceGoal, Text: "The goal is not met yet: the plum tart has no title. Go on toward it."}},
				event.TurnStarted{MessageIDs: []string{"g1"}}, event.StateChanged{State: event.StateThinking})
		},
		"goal-met": func(s *screen) {
			s.ask("tidy my recipes")
			g := event.Goal{Text: "tidy my recipes", Status: event.GoalMet, Why: "Every recipe has a title.", Turns: 3, MaxTurns: 10}
			s.deliver(event.TextDelta{Text: "All are done."}, event.TurnFinished{}, event.GoalChanged{Goal: g})
		},
		"goal-paused": func(s *screen) {
			s.ask("tidy my recipes")
			g := event.Goal{Text: "tidy my recipes", Status: event.GoalPaused, Why: "10 turns worked toward it", Turns: 10, MaxTurns: 10}
			s.deliver(event.TextDelta{Text: "All but one are done."}, event.TurnFinished{}, event.GoalChanged{Goal: g})
		},
		"goal-shown": func(s *screen) {
			s.deliver(event.GoalChanged{Goal: event.Goal{Text: "tidy my recipes", Status: event.GoalActive, Why: "The plum tart has no title.", Turns: 3, MaxTurns: 10}})
			s.typeText("/goal")
			s.key("enter")
		},
		"usage": func(s *screen) {
			s.deliver(event.UsageReported{Turn: event.Totals{Calls: 3, Prompt: 12_000, Completion: 400, Cost: 0.03, Priced: true}})
			s.typeText("/usage")
			s.key("enter")
		},
	}
	for name, scene := range scenes {
		for _, look := range []string{"dark", "none"} {
			for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}} {
				file := fmt.Sprintf("%s-%s-%d.golden", name, look, size.Width)
				t.Run(file, func(t *testing.T) {
					t.Parallel()
					var g goals
					s := newScreen(t, g.options, func(o *Options) {
						o.Theme = look
						if name != "usage" {
							return
						}
						usageOf(o).usage = func() (conversation, day event.Totals, err error) {
							return event.Totals{Calls: 12, Prompt: 123_456, Cached: 100_000, Completion: 2345, Reasoning: 345, Cost: 0.41, Priced: true},
								event.Totals{Calls: 30, Prompt: 345_678, Completion: 5000, Estimated: true, Cost: 1.5, Priced: true}, nil
						}
					})
					s.send(size)
					scene(s)
					golden.Check(t, file, s.m.View().Content+"\n")
				})
			}
		}
	}
}
