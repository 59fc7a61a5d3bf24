package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// Every state, whether it is being stopped or not, with and without messages that wait.
func TestStatusText(t *testing.T) {
	states := map[event.State]string{
		event.StateIdle:                 "Starting… 12s",
		event.StateThinking:             "Thinking… 12s",
		event.StateActing:               "Reading Projects/Alpha.md… 12s",
		event.StateObserving:            "Reading the results… 12s",
		event.StateWaitingClarification: "Waiting for your answer 12s",
		event.StateWaitingDecision:      "Waiting for your decision 12s",
		event.StateRetrying:             "Too many requests · trying again in 3s (attempt 2)",
		event.StateCompleted:            "Finishing… 12s",
		event.StateError:                "Failing… 12s",
	}
	for state, says := range states {
		for _, stopping := range []bool{false, true} {
			for queued := range 3 {
				want := says
				switch {
				case stopping && queued == 0:
					want = "Stopping…"
				case stopping && queued == 1:
					want = "Stopping… then on with the queued message (↑ takes one back)"
				case stopping:
					want = "Stopping… then on with 2 queued messages (↑ takes one back)"
				}
				got := statusText(standing{
					running: true, state: state, stopping: stopping, queued: queued, elapsed: 12300 * time.Millisecond,
					doing: "reading Projects/Alpha.md", calls: 1, attempt: 2, retryIn: 2100 * time.Millisecond, reason: "Too many requests",
				})
				if got != want {
					t.Errorf("%s, stopping %v, %d queued: %q, want %q", state, stopping, queued, got, want)
				}
			}
		}
	}
	if len(states) != 9 {
		t.Errorf("%d states", len(states))
	}
}

func TestStatusTextBesideTheStates(t *testing.T) {
	const long = 12 * time.Second
	tests := []struct {
		name string
		s    standing
		want string
	}{
		{"nothing", standing{}, ""},
		{"leaving", standing{leaving: true, running: true, stopping: true}, "Saving what you sent, then leaving…"},
		{"sent", standing{starting: true}, "Sending…"},
		{"sent, a question waits", standing{starting: true, question: true}, "Sending…"},
		{"a question waits", standing{question: true}, "Waiting for your answer"},
		{"with options", standing{question: true, options: true}, "Pick with ↑ ↓ or a number, or type an answer"},
		{"another process's turn", standing{running: true, waiting: true, elapsed: long}, "Waiting for another chatvault… 12s"},
		{"that, stopping", standing{running: true, waiting: true, stopping: true}, "Stopping…"},
		{"writing", standing{running: true, state: event.StateThinking, writing: true, elapsed: long}, "Writing… 12s"},
		{"no time yet", standing{running: true, state: event.StateThinking, elapsed: 900 * time.Millisecond}, "Thinking…"},
		{"several tools", standing{running: true, state: event.StateActing, calls: 3, elapsed: long}, "Running 3 tools… 12s"},
		{"between tools", standing{running: true, state: event.StateActing, elapsed: long}, "Working… 12s"},
		{"trying now", standing{running: true, state: event.StateRetrying, attempt: 3, reason: "Network error"}, "Network error · trying again… (attempt 3)"},
		{"another provider", standing{running: true, state: event.StateRetrying, attempt: 1, reason: "Network error"}, "Network error · going on with another model…"},
		{"summarising in a turn", standing{running: true, compacting: true, state: event.StateThinking, elapsed: long}, "Summarising earlier messages… 12s"},
		{"summarising", standing{compacting: true, elapsed: long}, "Summarising earlier messages… 12s"},
		{"that, stopping", standing{compacting: true, stopping: true}, "Stopping…"},
		{"done", standing{ended: ended{event.StateCompleted, 72 * time.Second}}, "Done in 1m 12s"},
		{"done at once", standing{ended: ended{event.StateCompleted, 900 * time.Millisecond}}, ""},
		{"failed", standing{ended: ended{event.StateError, long}}, "Failed after 12s"},
		{"stopped", standing{ended: ended{event.StateThinking, long}}, ""},
		{"done, and asked", standing{question: true, ended: ended{event.StateCompleted, long}}, "Waiting for your answer"},
	}
	for _, tt := range tests {
		if got := statusText(tt.s); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// On a narrow screen the seconds of a retry stay, and that Esc stops it.
func TestRetriesOnNarrowScreens(t *testing.T) {
	for width, want := range map[int]string{
		100: "Too many requests · trying again in 5s (attempt 2) · Esc stops",
		60:  "Too many requests · again in 5s · Esc stops",
		40:  "Too many requests · 5s · Esc stops",
		32:  "Again in 5s · Esc stops",
	} {
		s := newScreen(t)
		s.send(tea.WindowSizeMsg{Width: width, Height: 15})
		s.ask("hello")
		s.deliver(event.Retry{Attempt: 2, Delay: 5 * time.Second, Code: llm.KindRateLimit})
		s.wants(want)
	}
}

// A call that is written shows how it grows, on a narrow screen too.
func TestGrowthOnNarrowScreens(t *testing.T) {
	for width, want := range map[int]string{80: "write_file Long/Note.md · writing, 512 bytes", 40: "· 512 bytes"} {
		s := newScreen(t)
		s.send(tea.WindowSizeMsg{Width: width, Height: 15})
		s.ask("hello")
		s.deliver(event.ToolCallDelta{ID: "1", Name: "write_file", Target: "Long/Note.md", Bytes: 512})
		s.wants("write_file", want)
	}
}

// A sub-agent that waits for another to end neither spins nor counts its time.
func TestASubAgentThatWaits(t *testing.T) {
	s := newScreen(t)
	s.ask("what was decided?")
	for _, id := range []string{"a", "b"} {
		s.deliver(event.ToolStarted{ID: id, Name: "delegate", Target: "task " + id})
	}
	thinks := func(id string) event.Event {
		return event.Nested{CallID: id, Event: event.StateChanged{State: event.StateThinking}}
	}
	s.deliver(thinks("a"))
	s.now = s.now.Add(20 * time.Second)
	s.send(tickMsg{})
	s.wants("· delegate task b · waiting for another to end", "└ thinking · 20s")
	s.lacks("· delegate task a")
	s.deliver(event.ToolFinished{ID: "a", Name: "delegate", Summary: "1 line", Duration: 20 * time.Second}, thinks("b"))
	s.now = s.now.Add(5 * time.Second)
	s.send(tickMsg{})
	s.wants("└ 1 line · 20s", "└ thinking · 5s")
	s.deliver(event.ToolFinished{ID: "b", Name: "delegate", Summary: "2 lines", Duration: 25 * time.Second})
	s.wants("└ 2 lines · 5s")
}

// The line follows the events of a turn.
func TestStatusSaysWhatHappens(t *testing.T) {
	s := newScreen(t)
	s.typeText("x")
	s.key("enter")
	s.deliver(event.Received{Message: s.f.sent[0]}, event.TurnStarted{MessageIDs: []string{"m1"}})
	s.wants("Starting…")
	s.deliver(event.Waiting{For: "another chatvault (process 7, ask, since 12:00:00)"},
		event.Notice{Text: "Waiting for another chatvault (process 7, ask, since 12:00:00) to end its turn."})
	s.now = s.now.Add(3 * time.Second)
	s.send(tickMsg{})
	s.wants("Waiting for another chatvault… 3s · Esc stops")
	s.lacks("Thinking…")
	s.deliver(event.StateChanged{State: event.StateThinking})
	s.wants("Thinking… 3s")
	s.lacks("chatvault… 3s")
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
	s.deliver(event.Notice{Text: "Waiting for nothing: only a notice."})
	s.wants("Thinking…")
	s.lacks("another chatvault… ")
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

// The countdown is seen every second, and what the failed attempt wrote is gone.
func TestRetryCountsDown(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.ReasoningDelta{Text: "hm"}, event.TextDelta{Text: "Half an ans"},
		event.ToolCallDelta{ID: "1", Name: "write_file", Bytes: 600, Target: "a.md"}, event.ToolCallDelta{ID: "2", Name: "write_file", Bytes: 600},
		event.StateChanged{State: event.StateRetrying}, event.Retry{Attempt: 3, Delay: 4 * time.Second, Code: llm.KindRateLimit})
	s.lacks("Half an ans", "write_file", "Thought for", "hm")
	for left := 4; left >= 1; left-- {
		s.send(tickMsg{})
		s.wants(fmt.Sprintf("Too many requests · trying again in %ds (attempt 3) · Esc stops", left))
		s.now = s.now.Add(time.Second)
	}
	s.send(tickMsg{})
	s.wants("trying again… (attempt 3)")
	s.deliver(event.StateChanged{State: event.StateThinking}, event.TextDelta{Text: "Whole."})
	s.wants("Whole.", "Writing…")
}

// Calls that are written side by side grow each on a line of its own, with what they act on.
func TestCallsAreSeenToGrow(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.ToolCallDelta{ID: "1", Name: "write_file", Bytes: 1})
	s.wants("⠋ write_file · writing, 1 byte")
	s.deliver(event.ToolCallDelta{ID: "1", Name: "write_file", Bytes: 40, Target: "Alpha.md"},
		event.ToolCallDelta{ID: "2", Name: "write_file", Bytes: 30, Target: "Beta.md"},
		event.ToolCallDelta{ID: "1", Name: "write_file", Bytes: 12_400, Target: "Alpha.md"},
		event.ToolCallDelta{ID: "2", Name: "write_file", Bytes: 2_100, Target: "Beta.md"})
	s.wants("write_file Alpha.md · writing, 12.4 KB", "write_file Beta.md · writing, 2.1 KB", "Writing…")
	if n := strings.Count(s.text(), "write_file"); n != 2 {
		t.Errorf("%d lines for two calls:\n%s", n, s.text())
	}
}

// A text that was cut because the model repeated itself is shown as it was kept.
func TestATextThatWasCutIsShownAsKept(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.TextDelta{Text: "Well, "}, event.TextDelta{Text: strings.Repeat("and on ", 200)}, event.TextDone{Text: "Well, and on"})
	if n := strings.Count(s.text(), "and on"); n != 1 {
		t.Errorf("shown %d times:\n%s", n, s.text())
	}
	s.deliver(event.StateChanged{State: event.StateThinking}, event.TextDelta{Text: "Whole."}, event.TextDone{Text: "Whole."}, event.TurnFinished{})
	s.wants("Well, and on", "Whole.")
}
