package tui

import (
	"context"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/ptytest/golden"
)

// paletteOptions adds some commands, two of them the vault's own, and usage.
func paletteOptions(o *Options) {
	conversationOf(o).begin = func(context.Context) error { return nil }
	conversationOf(o).export = func(_ context.Context, file string) (string, error) { return "/home/ann/" + file, nil }
	conversationOf(o).compact = func() error { return nil }
	o.Custom = func(context.Context) (session.Custom, error) {
		return session.Custom{Commands: []session.Command{
			{Name: "weekly", Args: "TOPIC [DAYS]", Does: "Sum up what I noted about something in the last days", Needs: true, Expand: echo},
			{Name: "inbox-zero", Does: "Sort the Inbox", Expand: echo},
		}}, nil
	}
	day := event.Totals{Calls: 41, Prompt: 1_204_000, Cached: 800_000, Completion: 31_000, Cost: 1.84, Priced: true}
	usageOf(o).usage = func() (conversation, today event.Totals, err error) {
		return event.Totals{Calls: 7, Prompt: 92_000, Cached: 40_000, Completion: 2400, Reasoning: 900, Cost: 0.21, Priced: true}, day, nil
	}
}

func echo(words string) (string, error) { return "Expanded: " + words, nil }

// twoTurns runs two turns with usage.
func twoTurns(s *screen) {
	for i, text := range []string{"what do I know about the nectarine tart?", "and the plum jam"} {
		s.typeText(text)
		s.key("enter")
		id := s.f.sent[i].ID
		meta := event.Meta{TurnID: id, Time: s.now}
		turn := event.Totals{Calls: 3 + i, Prompt: 40_000 + i*11_000, Completion: 1200, Cost: 0.1, Priced: true}
		s.deliver(event.Received{Message: s.f.sent[i]}, event.TurnStarted{Meta: meta, MessageIDs: []string{id}},
			event.UsageReported{Meta: meta, Turn: turn, Conversation: event.Totals{Calls: 7, Prompt: 92_000, Completion: 2400, Cost: 0.21, Priced: true}, Context: 12_800, Window: 128_000},
			event.TextDelta{Meta: meta, Text: "It is a summer tart."}, event.TurnFinished{Meta: meta})
	}
}

// Golden screens of the palette, its filter, the usage, and the context percentage.
func TestGoldenPalette(t *testing.T) {
	t.Parallel()
	scenes := map[string]func(*screen){
		"palette":        func(s *screen) { s.key("ctrl+p") },
		"palette-narrow": func(s *screen) { s.key("ctrl+p"); s.typeText("we") },
		"cost":           func(s *screen) { twoTurns(s); s.command("/cost") },
		"context":        twoTurns,
	}
	for name, scene := range scenes {
		for _, look := range []string{"dark", "none"} {
			for _, size := range []tea.WindowSizeMsg{{Width: 40, Height: 15}, {Width: 80, Height: 24}, {Width: 120, Height: 40}} {
				file := fmt.Sprintf("%s-%s-%d.golden", name, look, size.Width)
				t.Run(file, func(t *testing.T) {
					t.Parallel()
					s := newScreen(t, paletteOptions, func(o *Options) { o.Theme = look; o.Provider = "openai/gpt-5.2" })
					s.send(size)
					scene(s)
					s.now = s.now.Add(time.Minute)
					golden.Check(t, file, s.m.View().Content+"\n")
				})
			}
		}
	}
}
