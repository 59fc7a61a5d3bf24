package consent

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/base/terminal"
	"chatvault/tools"
)

// Question asks about a request, one line at a time. The parts of a change are asked about one by one if the person
// wants it.
type Question struct {
	event.Request
	taken []bool // decisions on the parts so far; nil unless they are being asked about
}

// Prompt returns the prompt for the next line.
func (q *Question) Prompt() string {
	switch {
	case q.taken != nil:
		return fmt.Sprintf("Accept part %d of %d? y or n: ", len(q.taken)+1, len(q.Change.Prose.Hunks))
	case q.Kind == event.RequestSecret:
		return terminal.StrictLine(q.Name) + " (hidden; empty to skip): "
	case q.Kind != event.RequestApproval:
		return terminal.StrictLine(q.Name) + " (empty to skip): "
	}
	more := ""
	if q.Change.Pick {
		more = fmt.Sprintf("p for part by part (%d), ", len(q.Change.Prose.Hunks))
	}
	if q.Change.Kind == tools.ChangeTool {
		more = "f for good, until it changes, "
	}
	if isLong(q.Request) {
		more += "s to see all of it, "
	}
	return "Allow this? y, n, " + more + "a for all of this kind, or no and why: "
}

// Answer takes a line. If there is no answer yet, it returns what to print before the next prompt, for a terminal of
// width cells.
func (q *Question) Answer(line string, width int) (a event.Answer, say string) {
	word := strings.ToLower(strings.TrimRight(strings.TrimSpace(line), ".!"))
	switch {
	case q.taken != nil:
		return q.decide(word, width)
	case q.Kind != event.RequestApproval:
		if value := strings.TrimSpace(line); value != "" {
			return event.Answer{Decision: event.Provide, Value: value}, ""
		}
		return event.Answer{Decision: event.Deny}, ""
	case q.Change.Pick && (word == "p" || word == "parts"):
		q.taken = []bool{}
		return a, partText(q.Change, 0, width)
	case isLong(q.Request) && (word == "s" || word == "show"):
		return a, strings.Trim(RequestText(q.Request, width, true), "\n")
	}
	return parse(line)
}

// decide takes the answer for a part. After the last one, the change is allowed with the accepted parts, or denied
// without any.
func (q *Question) decide(word string, width int) (a event.Answer, say string) {
	if !slices.Contains([]string{"y", "yes", "n", "no"}, word) {
		return a, "y accepts this part, n rejects it."
	}
	q.taken = append(q.taken, word[0] == 'y')
	if next := len(q.taken); next < len(q.Change.Prose.Hunks) {
		return a, partText(q.Change, next, width)
	}
	a = event.Answer{Decision: event.Deny}
	for i, yes := range q.taken {
		if yes {
			a.Decision, a.Hunks = event.AllowOnce, append(a.Hunks, i)
		}
	}
	q.taken = nil
	return a, ""
}
