package session

import (
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/tools"
)

func TestNewTasks(t *testing.T) {
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
	shown := func(items []tools.TaskItem) string {
		var out []string
		for _, item := range items {
			box := "☐ "
			if item.Done {
				box = "☑ "
			}
			out = append(out, box+item.Text)
		}
		return strings.Join(out, "|")
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
		got := shown(NewTasks(list(tt.before), list(tt.now)))
		if got != tt.want {
			t.Errorf("%q after %q: %q, want %q", tt.now, tt.before, got, tt.want)
		}
	}
	if got := shown(NewTasks(nil, []tools.TaskItem{{Text: "one\ntwo"}})); got != "☐ one two" {
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
		if got := GoalLine(tt.before, tt.now); got != tt.want {
			t.Errorf("%+v after %+v: %q, want %q", tt.now, tt.before, got, tt.want)
		}
	}
}
