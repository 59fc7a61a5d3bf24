package tui

import (
	"context"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/agent/llm"
	"chatvault/internal/app/session"
	"chatvault/internal/ptytest/golden"
)

// Golden screens in each theme at a small, a usual and a wide size.
func TestGoldenScreens(t *testing.T) {
	scenes := map[string]func(*screen){
		"first": func(*screen) {},
		"working": func(s *screen) {
			s.ask("What do I know about nectarines?")
			s.deliver(event.ToolStarted{ID: "1", Name: "search_files", Target: "nectarine"},
				event.ToolFinished{ID: "1", Name: "search_files", Summary: "3 notes"},
				event.AgentMessage{Content: "I found three notes."},
				event.StateChanged{State: event.StateThinking},
				event.TextDelta{Text: "The fullest is [[Nectarine tart]].\n\n- bake it **blind**\n- sli"})
			s.typeText("and plums?")
			s.key("enter")
			s.now = s.now.Add(7 * time.Second)
			s.typeText("a draft")
		},
		"steps":   func(s *screen) { busyTurn(s) },
		"details": func(s *screen) { busyTurn(s); s.key("ctrl+t") },
		"over": func(s *screen) {
			busyTurn(s)
			s.now = s.now.Add(40 * time.Second)
			s.deliver(event.ToolFinished{ID: "d", Name: "delegate", Summary: "report of 2 lines", Result: "Two recipes.", Duration: 12 * time.Second},
				event.StateChanged{State: event.StateThinking}, event.TextDelta{Text: "Both are in [[Recipes]]."}, steps(s.t, 8, 9), event.TurnFinished{},
				event.Compacted{Summary: "We planned a tart.", Before: 92_000, After: 8_140})
		},
		"retrying": func(s *screen) {
			s.ask("hello")
			s.deliver(event.Retry{Attempt: 2, Delay: 4 * time.Second, Code: llm.KindRateLimit})
		},
		"question": func(s *screen) {
			s.ask("open the tart")
			s.deliver(event.AgentMessage{Content: "Which one?\n\n1. Nectarine tart\n2. Plum tart", IsQuestion: true}, event.TurnFinished{})
		},
		"unfinished": func(s *screen) {
			s.send(loadedMsg{Loaded: session.Loaded{Unfinished: []session.Unfinished{{Message: event.Inbound{Text: "move the recipes"}, Attempts: 1, ToolsRan: true, Changes: []string{"moved Bread.md → Recipes/Bread.md", "moved Soup.md → Recipes/Soup.md"}}}}})
			s.later()
			s.key("enter")
		},
		"help": func(s *screen) { s.key("f1") },
	}
	for name, scene := range scenes {
		for _, look := range []string{"dark", "none"} {
			for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}, {Width: 120, Height: 40}} {
				file := fmt.Sprintf("%s-%s-%d.golden", name, look, size.Width)
				t.Run(file, func(t *testing.T) {
					s := newScreen(t, func(o *Options) {
						o.Theme, o.Offline, o.Version = look, true, "0.1.0"
						o.Load = func(context.Context) (session.Loaded, error) {
							return session.Loaded{Examples: []string{"What do I know about nectarines?"}}, nil
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

// busyTurn plays half of a turn with many parts.
func busyTurn(s *screen) {
	s.ask("Which recipes need stone fruit?")
	s.deliver(event.ReasoningDelta{Text: "The recipes are in two folders.\nTwo helpers may look at once."})
	s.now = s.now.Add(12 * time.Second)
	nested := func(e event.Event) event.Event { return event.Nested{CallID: "d", Event: e} }
	usage := event.Totals{Calls: 1, Prompt: 12_000, Completion: 400, Cost: 0.03, Priced: true}
	all := event.Totals{Calls: 4, Prompt: 92_000, Completion: 100, Cost: 0.21, Priced: true}
	s.deliver(
		event.ToolCallDelta{ID: "d", Name: "delegate", Bytes: 90, Target: "find the recipes with plums"},
		event.UsageReported{Turn: usage, Conversation: all},
		event.StateChanged{State: event.StateActing}, steps(s.t, 3, 9),
		event.ToolStarted{ID: "d", Name: "delegate", Target: "find the recipes with plums"},
		nested(event.ToolStarted{ID: "1", Name: "search_files", Target: "plum"}),
		nested(event.ToolFinished{ID: "1", Name: "search_files", Summary: "4 notes"}),
		nested(event.ToolStarted{ID: "2", Name: "read_file", Target: "Recipes/Plum jam.md"}),
		event.ToolCallDelta{ID: "w", Name: "write_file", Bytes: 12_400, Target: "Recipes/Index.md"},
	)
	s.queue("and the cherries, too", "enter")
	s.queue("then tidy the folder", "tab")
}
