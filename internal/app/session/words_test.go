package session

import (
	"testing"

	"chatvault/agent/event"
)

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
		{none, goal(event.GoalActive, 0, ""), "Goal: tags (active, turn 0 of 10)."},
		{goal(event.GoalActive, 1, ""), goal(event.GoalChecking, 1, ""), ""},
		{goal(event.GoalChecking, 1, ""), goal(event.GoalActive, 1, "two are left"), "Goal: tags (active, turn 1 of 10): two are left"},
		{goal(event.GoalChecking, 1, ""), goal(event.GoalMet, 1, ""), "Goal: tags (met, turn 1 of 10)."},
		{goal(event.GoalChecking, 2, ""), goal(event.GoalMet, 2, "all have them"), "Goal: tags (met, turn 2 of 10): all have them"},
		{goal(event.GoalActive, 3, ""), goal(event.GoalPaused, 3, "stopped"), "Goal: tags (paused, turn 3 of 10): stopped"},
		{goal(event.GoalPaused, 3, "stopped"), goal(event.GoalActive, 3, ""), "Goal: tags (active, turn 3 of 10)."},
		{goal(event.GoalMet, 3, "done"), goal(event.GoalActive, 0, ""), "Goal: tags (active, turn 0 of 10)."},
		{goal(event.GoalActive, 1, ""), none, "Goal dropped."},
	} {
		if got := GoalLine(tt.before, tt.now); got != tt.want {
			t.Errorf("%+v after %+v: %q, want %q", tt.now, tt.before, got, tt.want)
		}
	}
}
