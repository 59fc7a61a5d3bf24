package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
)

// steps returns an event with a task list whose first steps are done.
func steps(t interface{ Fatal(...any) }, done, total int) event.TaskList {
	items := make([]map[string]any, total)
	for i := range items {
		items[i] = map[string]any{"text": fmt.Sprintf("Step %d", i+1), "done": i < done}
	}
	data, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	var e event.TaskList
	if err := json.Unmarshal(data, &e.Items); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestReasoningShowsItsDurationAndUnfolds(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.lacks("Ctrl+T")
	s.deliver(event.ReasoningDelta{Text: "The tart needs six nectarines.\nAnd the jam ei"}, event.ReasoningDelta{Text: "ght of them"})
	s.now = s.now.Add(3 * time.Second)
	s.send(tickMsg{})
	s.wants("⠙ Thinking… 3s")
	s.lacks("The tart needs")
	s.key("ctrl+t")
	s.wants("The tart needs six nectarines.")
	s.now = s.now.Add(9 * time.Second)
	s.deliver(event.TextDelta{Text: "Twenty."})
	s.wants("∴ Thought for 12s", "The tart needs six nectarines.")
	s.key("ctrl+t")
	s.wants("∴ Thought for 12s")
	s.lacks("The tart needs")
	s.deliver(event.TurnFinished{})
	s.wants("Enter sends · Ctrl+T details · ? help")
}

// Unfolding keeps the visible text in place.
func TestUnfoldingKeepsThePlace(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.ReasoningDelta{Text: strings.Repeat("a thought\n", 30)}, event.TextDelta{Text: strings.Repeat("line of the answer\n\n", 20)})
	for i := range 20 {
		s.deliver(event.StateChanged{State: event.StateThinking}, event.ReasoningDelta{Text: "more\n"}, event.TextDelta{Text: fmt.Sprintf("Paragraph %d\n", i)})
	}
	s.key("pgup")
	top := func() string { return strings.Split(s.text(), "\n")[2] }
	before := top()
	if strings.TrimSpace(before) == "" {
		s.key("pgup")
		before = top()
	}
	s.key("ctrl+t")
	if got := top(); got != before {
		t.Errorf("at the top is %q, was %q:\n%s", got, before, s.text())
	}
	s.key("ctrl+t")
	if got := top(); got != before {
		t.Errorf("folded again, at the top is %q, was %q", got, before)
	}
}

// A sub-agent's progress is shown in the line of its call, one line per sub-agent; its steps unfold.
func TestNestedSteps(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.StateChanged{State: event.StateActing})
	nested := func(call string, e event.Event) { s.deliver(event.Nested{CallID: call, Event: e}) }
	for _, c := range []string{"1", "2", "3"} {
		s.deliver(event.ToolStarted{ID: c, Name: "delegate", Target: "task " + c})
	}
	s.wants("delegating: task 1", "delegating: task 3", "Running 3 tools…")
	nested("1", event.ToolStarted{ID: "a", Name: "search_files", Target: "tart"})
	nested("1", event.ToolFinished{ID: "a", Name: "search_files", Summary: "3 notes"})
	nested("1", event.ToolStarted{ID: "b", Name: "read_file", Target: "Projects/Alpha.md"})
	s.wants("└ 2 steps · reading Projects/Alpha.md")
	s.lacks("searched for", "search_files")
	s.key("ctrl+t")
	s.wants("✓ searched for tart · 3 notes", "⠋ reading Alpha")
	nested("1", event.ToolFinished{ID: "b", Name: "read_file", Summary: "not found", IsError: true})
	s.wants("└ 2 steps · thinking", "✗ reading Alpha · not found")
	s.deliver(event.ToolFinished{ID: "1", Name: "delegate", Summary: "a report", Result: "Alpha is done.", Duration: 12 * time.Second})
	s.wants("✓ delegate task 1", "└ 2 steps · a report · 12s", "Alpha is done.")
	s.key("ctrl+t", "esc")
	s.deliver(event.ToolFinished{ID: "3", Name: "delegate", Summary: "stopped", IsError: true}, event.TurnStopped{MessageIDs: []string{"m1"}})
	s.wants("■ delegating: task 2", "■ delegating: task 3")
	s.lacks("✗ delegate")
	s.lacks("Alpha is done.")
}

func TestASummaryOfEarlierMessages(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	s.deliver(event.CompactStarted{Meta: event.Meta{TurnID: "m1"}})
	s.wants("Summarising earlier messages…", "Esc stops")
	s.deliver(event.Compacted{Meta: event.Meta{TurnID: "m1"}, Summary: "We planned **a tart**.", Before: 92_000, After: 8_000}, event.StateChanged{State: event.StateThinking})
	s.wants("── Summarised: 92k → 8k tokens ──", "· We planned **a tart**.", "Thinking…")
	s.key("ctrl+t")
	s.wants("We planned a tart.")
}

// A requested summary keeps the screen busy, and Esc stops only the summary.
func TestASummaryOnDemand(t *testing.T) {
	s := newScreen(t)
	s.deliver(event.CompactStarted{})
	s.now = s.now.Add(2 * time.Second)
	s.send(tickMsg{})
	s.wants("Summarising earlier messages… 2s · Esc stops")
	in := s.queue("hello", "enter")
	s.wants("↳ hello", "→ next turn")
	s.key("esc")
	s.wants("Stopping…")
	if n := s.f.stopped(); n != 1 {
		t.Fatalf("%d stops", n)
	}
	s.deliver(event.CompactFailed{})
	s.wants("Nothing was summarised")
	s.deliver(event.TurnStarted{MessageIDs: []string{in.ID}}, event.StateChanged{State: event.StateThinking})
	s.wants("Thinking…")
	if n := s.f.stopped(); n != 1 {
		t.Errorf("the stop of the summary stopped the turn after it")
	}
	s.deliver(event.TurnFinished{})

	s.deliver(event.CompactStarted{}, event.CompactFailed{Text: "The summary could not be made: Network error."})
	s.wants("✗ The summary could not be made: Network error.")
	if s.m.busy() {
		t.Error("busy although nothing runs")
	}
}

// Summaries and tool details from earlier sessions are shown.
func TestDetailsOfHistory(t *testing.T) {
	s := newScreen(t, func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) {
			return session.Loaded{Page: session.Page{Items: []session.HistoryItem{
				{Role: session.HistoryTool, Content: "read_file", Target: "a.md", Summary: "1 line", Detail: "1: what it says"},
				{Role: session.HistoryTool, Content: "task_list", Summary: "3 steps"},
				{Role: session.HistorySummary, Content: "We planned a tart."},
				{Role: session.HistoryUser, Content: "go on"},
			}}}, nil
		}
	})
	s.wants("── Earlier messages summarised ─", "· We planned a tart.", "▌ go on", "Ctrl+T details")
	s.lacks("what it says", "task_list")
	s.key("ctrl+t")
	s.wants("┊ We planned a tart.", "1: what it says")
}

func TestTaskListIsPinned(t *testing.T) {
	s := newScreen(t)
	s.ask("x")
	list := func(done, total int) event.Event { return steps(t, done, total) }
	s.deliver(list(1, 4))
	s.wants("✓ Step 1", "▸ Step 2", "○ Step 3", "1 of 4")
	lines := strings.Split(s.text(), "\n")
	for i, l := range lines {
		if strings.Contains(l, "Step 4") && !strings.Contains(lines[i+1], "───") {
			t.Errorf("not right above the composer:\n%s", s.text())
		}
	}
	s.queue("more", "enter")
	s.deliver(list(5, 12))
	s.wants("▸ Step 6", "○ Step 10", "… 2 more", "5 of 12", "↳ more")
	s.lacks("Step 5", "Step 11")
	s.send(tea.WindowSizeMsg{Width: 80, Height: 15})
	s.wants("▸ Step 6", "… 5 more")
	s.send(tea.WindowSizeMsg{Width: 80, Height: 11})
	s.lacks("Step 6")
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.deliver(list(4, 5), event.TextDelta{Text: "That is that."}, event.TurnFinished{})
	s.wants("That is that.")
	s.lacks("▸", "Step")
}
