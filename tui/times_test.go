package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
)

// The exact time of the selected item is shown.
func TestSelectedItemShowsItsTime(t *testing.T) {
	s := newScreen(t)
	s.ask("which plums are ripe?")
	s.now = s.now.Add(2 * time.Minute)
	s.deliver(event.ToolStarted{ID: "1", Name: "read_file", Target: "Plums.md"}, event.ToolFinished{ID: "1", Name: "read_file", Summary: "9 lines"},
		event.TextDelta{Text: "None."}, event.TurnFinished{})
	s.key("ctrl+up")
	s.wants("─ Sat, Nov 21, 12:02 PM ─")
	s.key("ctrl+up", "ctrl+up")
	s.wants("─ Sat, Nov 21, 12:00 PM ─")
	s.key("esc")
	s.lacks("Nov")
	s.wants("which plums are ripe?                                             12:00 PM")
	s.send(tea.WindowSizeMsg{Width: 30, Height: 15}) // no space next to the message
	s.key("ctrl+up", "ctrl+up", "ctrl+up")
	s.wants("Sat, Nov 21, 12:00 PM")
}

// On a narrow screen the selected item's time is complete, and the amount of content below is dropped.
func TestSelectedItemShowsItsTimeNextToMore(t *testing.T) {
	s := newScreen(t)
	s.ask("which plums are ripe?")
	s.deliver(event.TextDelta{Text: strings.Repeat("- none\n", 40)}, event.TurnFinished{})
	for width, want := range map[int]string{
		44: "↓ more below · End · Sat, Nov 21, 12:00 PM",
		40: "── ↓ more · Sat, Nov 21, 12:00 PM ──",
		26: "↓ · Sat, Nov 21, 12:00 PM",
	} {
		s.send(tea.WindowSizeMsg{Width: width, Height: 15})
		s.key("ctrl+up", "ctrl+up", "ctrl+up", "up")
		s.wants(want)
		s.key("esc")
	}
}
