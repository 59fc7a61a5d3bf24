package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
)

func TestUsageOnTheScreen(t *testing.T) {
	s := newScreen(t)
	turn := event.Totals{Calls: 1, Prompt: 12_000, Completion: 400, Estimated: true}
	s.ask("x")
	s.deliver(event.UsageReported{Turn: turn, Conversation: event.Totals{Calls: 3, Prompt: 40_000, Estimated: true}})
	s.wants("~40k tokens")
	s.deliver(event.TurnFinished{})
	s.wants("~40k tokens")
	s.ask("y")
	s.wants("~40k tokens")
}

// The usage before this session is shown from the start.
func TestUsageOfAnEarlierStart(t *testing.T) {
	s := newScreen(t, func(o *Options) {
		usageOf(o).usage = func() (conversation, day event.Totals, err error) {
			return event.Totals{Calls: 3, Prompt: 40_000}, event.Totals{}, nil
		}
	})
	s.wants("40k tokens")
}

// The context percentage is visible whenever nothing runs: on narrow screens, after short and long turns, and after a
// restart.
func TestContextPercentageIsShown(t *testing.T) {
	paid := func(s *screen) {
		for range 2 {
			s.ask("x")
			s.now = s.now.Add(95 * time.Second)
			s.deliver(event.UsageReported{
				Turn: event.Totals{Calls: 2, Prompt: 24_000, Completion: 600, Cost: 0.02, Priced: true}, Conversation: event.Totals{Calls: 5, Prompt: 60_000, Completion: 1_500, Cost: 0.06, Priced: true},
				Context: 12_300, Window: 100_000,
			}, event.ReasoningDelta{Text: "well"}, event.TextDelta{Text: "y"}, event.TurnFinished{})
		}
	}
	for _, tt := range []struct {
		width int
		want  string
	}{{120, "61.5k tokens · $0.06 · context 12%"}, {80, "context 12%"}, {60, "context 12%"}, {40, "context 12%"}, {30, " 12%"}} {
		s := newScreen(t)
		s.send(tea.WindowSizeMsg{Width: tt.width, Height: 24})
		paid(s)
		s.wants(tt.want, "12%")
	}
}
