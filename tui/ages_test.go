package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/session"
)

// A screen on which nothing happens draws anew when what it says of a time is true no longer, and
// does not wake before.
func TestTimesAgeOnAnIdleScreen(t *testing.T) {
	s := newScreen(t)
	var waits []time.Duration
	s.m.tick = func(d time.Duration, _ func(time.Time) tea.Msg) tea.Cmd {
		waits = append(waits, d)
		return nil
	}
	s.ask("which plums are ripe?")
	s.deliver(event.TextDelta{Text: "None."}, event.TurnFinished{})
	s.lacks("ago")
	due := func() int { return s.m.ages.id }
	s.send(nil)
	before, id := s.m.View().Content, due()
	s.now = s.now.Add(30 * time.Second)
	s.send(nil)
	if s.m.View().Content != before || due() != id {
		t.Error("it draws anew before a minute has passed")
	}
	s.now = s.now.Add(30 * time.Second)
	waits = nil
	s.send(agedMsg{id})
	s.wants("1 min ago")
	if !slices.Contains(waits, time.Minute) || due() != id+1 {
		t.Errorf("after a minute it waits %v", waits)
	}
	after := s.m.View().Content
	s.send(agedMsg{id}) // one that was overtaken
	s.send(struct{}{})
	if s.m.View().Content != after || due() != id+1 {
		t.Error("it waits twice")
	}
	if n := differing(before, after); n != 1 {
		t.Errorf("%d lines are written for it", n)
	}
}

// A message that is newer than what is waited for is waited for instead.
func TestTheNewestTimeIsDueFirst(t *testing.T) {
	s := newScreen(t)
	s.m.say(s.m.item(session.HistoryItem{Role: session.HistoryUser, Content: "long ago", Time: s.now.Add(-5*time.Hour - 10*time.Minute)}))
	s.send(nil)
	if got := s.m.ages.due.Sub(s.now); got != 50*time.Minute {
		t.Fatalf("due in %v", got)
	}
	s.ask("now")
	s.deliver(event.TurnFinished{})
	s.send(nil)
	if got := s.m.ages.due.Sub(s.now); got != time.Minute {
		t.Errorf("due in %v", got)
	}
	s.wants("5 h ago")
}

// What is selected says when it was, exactly.
func TestSelectedTellsItsTime(t *testing.T) {
	s := newScreen(t)
	s.ask("which plums are ripe?")
	s.now = s.now.Add(2 * time.Minute)
	s.deliver(event.ToolStarted{ID: "1", Name: "read_file", Target: "Plums.md"}, event.ToolFinished{ID: "1", Name: "read_file", Summary: "9 lines"},
		event.TextDelta{Text: "None."}, event.TurnFinished{})
	s.key("ctrl+up")
	s.wants("─ Sat, Nov 21, 12:02 PM ─")
	s.key("ctrl+up", "ctrl+up")
	s.lacks("─ Sat", "ago")
	s.wants("which plums are ripe?                                Sat, Nov 21, 12:00 PM")
	s.key("esc")
	s.lacks("Nov")
	s.wants("2 min ago")
	s.send(tea.WindowSizeMsg{Width: 30, Height: 15}) // no room beside the message
	s.key("ctrl+up", "ctrl+up", "ctrl+up")
	s.wants("Sat, Nov 21, 12:00 PM")
}

// On a narrow screen the time of what is selected stands whole, and what is below gives way to it.
func TestSelectedTellsItsTimeBesideWhatIsBelow(t *testing.T) {
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

// differing counts the lines in which two frames differ.
func differing(a, b string) int {
	n := 0
	was := strings.Split(a, "\n")
	for i, l := range strings.Split(b, "\n") {
		if i >= len(was) || was[i] != l {
			n++
		}
	}
	return n
}
