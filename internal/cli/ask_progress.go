package cli

import (
	"fmt"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/text"
	"chatvault/tools"
)

// optionLines are the options of a question, numbered as they can be answered.
func optionLines(options []string) string {
	var b strings.Builder
	for i, o := range options {
		fmt.Fprintf(&b, "\n  %d. %s", i+1, strings.ReplaceAll(o, "\n", " "))
	}
	return b.String()
}

// taskLines are the steps that are new or were ticked since before, one line each. Steps of the
// same text are told apart by their order.
func taskLines(before, now []tools.TaskItem) []string {
	known := map[tools.TaskItem]int{}
	for _, item := range before {
		known[item]++
	}
	var lines []string
	for _, item := range now {
		if known[item] > 0 {
			known[item]--
			continue
		}
		box := "☐ "
		if item.Done {
			box = "☑ "
		}
		lines = append(lines, box+strings.ReplaceAll(item.Text, "\n", " "))
	}
	return lines
}

// goalLine says how the goal stands; empty where that goes without saying.
func goalLine(before, now event.Goal) string {
	if now.Text == "" {
		if before.Text == "" {
			return ""
		}
		return "Goal dropped."
	}
	turns := count(now.Turns, "turn")
	switch now.Status {
	case event.GoalMet:
		return "Goal met after " + turns + because(now.Why)
	case event.GoalPaused:
		return "Goal paused after " + turns + because(now.Why)
	case event.GoalActive:
		switch {
		case before.Text != now.Text, before.Status == event.GoalMet:
			return fmt.Sprintf("Goal: %s (at most %s)", now.Text, count(now.MaxTurns, "turn"))
		case before.Status == event.GoalChecking:
			return fmt.Sprintf("Goal not met yet (turn %d of %d)%s", now.Turns, now.MaxTurns, because(now.Why))
		case before.Status == event.GoalPaused:
			return "Goal resumed: " + now.Text
		}
	}
	return ""
}

// because ends a line with its reason, where there is one.
func because(why string) string {
	if why = strings.TrimSpace(why); why == "" {
		return "."
	}
	return ": " + why
}

// compactedLine says what became of the older messages.
func compactedLine(e event.Compacted) string {
	return fmt.Sprintf("Older messages were summarised for the model: about %s tokens instead of %s.", text.Thousands(e.After), text.Thousands(e.Before))
}
