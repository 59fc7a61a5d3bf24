package cli

import (
	"slices"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/internal/terminal/output"
	"chatvault/tools"
)

func TestTaskLines(t *testing.T) {
	list := func(text string) []tools.TaskItem { // "a, +b": b is done
		var items []tools.TaskItem
		for _, part := range strings.Split(text, ", ") {
			name, done := strings.CutPrefix(part, "+")
			if name != "" {
				items = append(items, tools.TaskItem{Text: name, Done: done})
			}
		}
		return items
	}
	for _, tt := range []struct{ before, now, want string }{
		{"", "a, b", "☐ a|☐ b"},
		{"a, b", "a, b", ""},
		{"a, b", "+a, b", "☑ a"},
		{"+a, b", "a, b, c", "☐ a|☐ c"},
		{"a, a", "a, +a", "☑ a"},
		{"a", "a, a", "☐ a"},
		{"a, b", "b", ""},
	} {
		got := strings.Join(taskLines(list(tt.before), list(tt.now)), "|")
		if got != tt.want {
			t.Errorf("%q after %q: %q, want %q", tt.now, tt.before, got, tt.want)
		}
	}
	if got := taskLines(nil, []tools.TaskItem{{Text: "one\ntwo"}}); !slices.Equal(got, []string{"☐ one two"}) {
		t.Errorf("a step of two lines is shown as %q", got)
	}
}

func TestGoalLine(t *testing.T) {
	goal := func(status event.GoalStatus, turns int, why string) event.Goal {
		return event.Goal{Text: "tags", Status: status, Why: why, Turns: turns, MaxTurns: 10}
	}
	var none event.Goal
	for _, tt := range []struct {
		before, now event.Goal
		want        string
	}{
		{none, none, ""},
		{none, goal(event.GoalActive, 0, ""), "Goal: tags (at most 10 turns)"},
		{goal(event.GoalActive, 1, ""), goal(event.GoalChecking, 1, ""), ""},
		{goal(event.GoalChecking, 1, ""), goal(event.GoalActive, 1, "two are left"), "Goal not met yet (turn 1 of 10): two are left"},
		{goal(event.GoalChecking, 1, ""), goal(event.GoalMet, 1, ""), "Goal met after 1 turn."},
		{goal(event.GoalChecking, 2, ""), goal(event.GoalMet, 2, "all have them"), "Goal met after 2 turns: all have them"},
		{goal(event.GoalActive, 3, ""), goal(event.GoalPaused, 3, "stopped"), "Goal paused after 3 turns: stopped"},
		{goal(event.GoalPaused, 3, "stopped"), goal(event.GoalActive, 3, ""), "Goal resumed: tags"},
		{goal(event.GoalMet, 3, "done"), goal(event.GoalActive, 0, ""), "Goal: tags (at most 10 turns)"},
		{goal(event.GoalActive, 1, ""), none, "Goal dropped."},
	} {
		if got := goalLine(tt.before, tt.now); got != tt.want {
			t.Errorf("%+v after %+v: %q, want %q", tt.now, tt.before, got, tt.want)
		}
	}
}

// TestPlainPrinterOfFailures: a person is told what failed, not what the model is told to do next.
func TestPlainPrinterOfFailures(t *testing.T) {
	failed := func(summary, result string) event.Event {
		return event.ToolFinished{ID: "c", Name: "write_file", Result: result, IsError: true, Summary: summary}
	}
	denied := failed("denied", "Error: Not allowed: nobody can be asked here. Nothing was changed. Do not try to reach the same in another way; go on without it.")
	events := []event.Event{
		failed("not found", "Error: File not found: \"a.md\". Did you mean b.md?\nmore"), denied,
		failed("not run", "Error: Not run: nothing is changed while you plan. Put it into the plan."),
		event.Nested{CallID: "h", Event: denied},
	}
	const said, planned = "  Error: File not found: \"a.md\". Did you mean b.md?\n", "  Error: Not run: nothing is changed while you plan.\n"
	for attended, want := range map[bool]string{
		false: said + planned,
		true:  said + "  Denied: nothing was changed.\n" + planned + "    Denied: nothing was changed.\n",
	} {
		var out, err strings.Builder
		p := newPlainPrinter(Streams{Out: output.New(&out, false), Err: output.New(&err, false)})
		if attended {
			p.consent = &consent{}
		}
		for _, e := range events {
			if e := p.event(e); e != nil {
				t.Fatal(e)
			}
		}
		if err.String() != want {
			t.Errorf("attended %v:\n%s\nwant\n%s", attended, err.String(), want)
		}
	}
}

func TestAnswerHint(t *testing.T) {
	for _, tt := range []struct {
		options []string
		want    string
	}{
		{nil, `ask -c "…"`}, {[]string{"yes"}, "ask -c 1"}, {[]string{"a", "b", "c"}, "ask -c 1"},
	} {
		if got := answerHint(tt.options); !strings.HasSuffix(got, tt.want) {
			t.Errorf("%q: %q", tt.options, got)
		}
	}
}

func TestPlainPrinterOfProgress(t *testing.T) {
	var out, err strings.Builder
	p := newPlainPrinter(Streams{Out: output.New(&out, false), Err: output.New(&err, false)})
	for _, e := range []event.Event{
		event.TaskList{Items: []tools.TaskItem{{Text: "look"}, {Text: "write"}}},
		event.TextDelta{Text: "Looking"},
		event.ToolStarted{ID: "c1", Name: "delegate", Target: "Look in a.md"},
		event.ToolStarted{ID: "c2", Name: "delegate", Target: "Look in b.md"},
		event.Nested{CallID: "c2", Event: event.ToolStarted{ID: "s1", Name: "read_file", Target: "b.md"}},
		event.Nested{CallID: "c1", Event: event.ToolStarted{ID: "s1", Name: "read_file", Target: "a.md"}},
		event.Nested{CallID: "c1", Event: event.ToolFinished{ID: "s1", Name: "read_file", Result: "Error: no\nmore", IsError: true}},
		event.Nested{CallID: "c1", Event: event.TaskList{Items: []tools.TaskItem{{Text: "its own"}}}},
		event.TaskList{Items: []tools.TaskItem{{Text: "look", Done: true}, {Text: "write"}}},
		event.Compacted{Summary: "s", Before: 12345, After: 678},
		event.AgentMessage{Content: "Which?", IsQuestion: true, Options: []string{"Monday", "Fri\nday"}},
	} {
		if e := p.event(e); e != nil {
			t.Fatal(e)
		}
	}
	const want = `☐ look
☐ write
→ delegate [1] Look in a.md
→ delegate [2] Look in b.md
  [2] → read_file b.md
  [1] → read_file a.md
  [1]   Error: no
☑ look
Older messages were summarised for the model: about 678 tokens instead of 12,345.
? Which?
  1. Monday
  2. Fri day
`
	if err.String() != want || out.String() != "Looking\n" {
		t.Errorf("stdout %q, stderr:\n%s", out.String(), err.String())
	}
}
