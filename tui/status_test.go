package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// On a narrow screen the countdown of a retry and the hint for Esc remain.
func TestRetriesOnNarrowScreens(t *testing.T) {
	for width, want := range map[int]string{
		100: "Trying again in 5s · Too many requests (attempt 2) · Esc stops",
		60:  "Trying again in 5s · Too many requests (a… · Esc stops",
		40:  "Trying again in 5s · To… · Esc stops",
		36:  "Trying again in 5s … · Esc stops",
	} {
		s := newScreen(t)
		s.send(tea.WindowSizeMsg{Width: width, Height: 15})
		s.ask("hello")
		s.deliver(event.Retry{Attempt: 2, Delay: 5 * time.Second, Code: llm.KindRateLimit})
		s.wants(want)
	}
}

// The growing size of a call is visible on a narrow screen.
func TestGrowthOnNarrowScreens(t *testing.T) {
	for width, want := range map[int]string{80: "writing Note · 512 B", 40: "· 512 B"} {
		s := newScreen(t)
		s.send(tea.WindowSizeMsg{Width: width, Height: 15})
		s.ask("hello")
		s.deliver(event.ToolCallDelta{ID: "1", Name: "write_file", Target: "Long/Note.md", Bytes: 512})
		s.wants("⠋ writing", want)
	}
}

// The status line follows the events of a turn.
func TestStatusShowsTheActivity(t *testing.T) {
	s := newScreen(t)
	s.typeText("x")
	s.key("enter")
	s.deliver(event.Received{Message: s.f.sent[0]}, event.TurnStarted{MessageIDs: []string{"m1"}})
	s.wants("Starting…")
	s.now = s.now.Add(3 * time.Second)
	s.send(tickMsg{})
	s.lacks("Thinking…")
	s.deliver(event.StateChanged{State: event.StateThinking})
	s.wants("Thinking… 3s")
	s.deliver(event.TextDelta{Text: "An answer"})
	s.wants("Writing… 3s")
	s.deliver(event.StateChanged{State: event.StateActing}, event.ToolStarted{ID: "1", Name: "read_file", Target: "a.md"})
	s.wants("Reading a.md… 3s")
	s.deliver(event.ToolStarted{ID: "2", Name: "read_file", Target: "b.md"})
	s.wants("Running 2 tools… 3s")
	s.deliver(event.ToolFinished{ID: "1", Name: "read_file"})
	s.wants("Reading b.md… 3s")
	s.deliver(event.ToolFinished{ID: "2", Name: "read_file"}, event.StateChanged{State: event.StateObserving})
	s.wants("Reading the results… 3s")
	s.deliver(event.StateChanged{State: event.StateThinking})
	s.wants("Thinking… 3s")
	s.now = s.now.Add(9 * time.Second)
	s.deliver(event.StateChanged{State: event.StateCompleted})
	s.wants("Finishing… 12s")
	s.deliver(event.TurnFinished{})
	s.wants("Done in 12s · Enter sends")
	s.ask("y")
	s.lacks("Done in")
	s.deliver(event.TurnFailed{Text: "It failed"})
	s.lacks("Failed after 0s")
}

// The countdown is updated every second, and the failed attempt's text is gone.
func TestRetryCountsDown(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.ReasoningDelta{Text: "hm"}, event.TextDelta{Text: "Half an ans"},
		event.ToolCallDelta{ID: "1", Name: "write_file", Bytes: 600, Target: "a.md"}, event.ToolCallDelta{ID: "2", Name: "write_file", Bytes: 600},
		event.StateChanged{State: event.StateRetrying}, event.Retry{Attempt: 3, Delay: 4 * time.Second, Code: llm.KindRateLimit})
	s.lacks("Half an ans", "⠋ writing", "Thought for", "hm")
	for left := 4; left >= 1; left-- {
		s.send(tickMsg{})
		s.wants(fmt.Sprintf("Trying again in %ds · Too many requests (attempt 3) · Esc stops", left))
		s.now = s.now.Add(time.Second)
	}
	s.send(tickMsg{})
	s.wants("Trying again… · Too many requests (attempt 3)")
	s.deliver(event.StateChanged{State: event.StateThinking}, event.TextDelta{Text: "Whole."})
	s.wants("Whole.", "Writing…")
}

// Calls written in parallel grow on separate lines, with their targets.
func TestCallShowsBytesWhileWritten(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.ToolCallDelta{ID: "1", Name: "write_file", Bytes: 1})
	s.wants("⠋ writing · 1 B")
	s.deliver(event.ToolCallDelta{ID: "1", Name: "write_file", Bytes: 40, Target: "Alpha.md"},
		event.ToolCallDelta{ID: "2", Name: "write_file", Bytes: 30, Target: "Beta.md"},
		event.ToolCallDelta{ID: "1", Name: "write_file", Bytes: 12_400, Target: "Alpha.md"},
		event.ToolCallDelta{ID: "2", Name: "write_file", Bytes: 2_100, Target: "Beta.md"})
	s.wants("writing Alpha · 12.1 KB", "writing Beta · 2.1 KB", "Writing…")
	if n := strings.Count(s.text(), "⠋ writing"); n != 2 {
		t.Errorf("%d lines for two calls:\n%s", n, s.text())
	}
}

// A text cut because of repetition is shown as stored.
func TestTruncatedTextIsShownAsStored(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.TextDelta{Text: "Well, "}, event.TextDelta{Text: strings.Repeat("and on ", 200)}, event.TextDone{Text: "Well, and on"})
	if n := strings.Count(s.text(), "and on"); n != 1 {
		t.Errorf("shown %d times:\n%s", n, s.text())
	}
	s.deliver(event.StateChanged{State: event.StateThinking}, event.TextDelta{Text: "Whole."}, event.TextDone{Text: "Whole."}, event.TurnFinished{})
	s.wants("Well, and on", "Whole.")
}
