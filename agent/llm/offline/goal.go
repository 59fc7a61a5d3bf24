package offline

import (
	"context"
	"fmt"
	"strings"

	"chatvault/internal/text"
)

// checkGoal judges a goal by the agent's account of the work toward it, on one line: MET, NOT MET or UNKNOWN, and why.
// A goal that is one of the commands is met once a change was made; any other cannot be judged.
func (e *Engine) checkGoal(ctx context.Context, account string) string {
	goal, changes := "", []string{}
	var in string
	for line := range strings.SplitSeq(account, "\n") {
		switch {
		case line == "Goal:" || strings.HasPrefix(line, "Changed since"):
			in = line[:1]
		case in == "G" && strings.HasPrefix(line, ">"):
			goal += strings.TrimSpace(line[1:]) + "\n"
		case in == "C" && strings.HasPrefix(line, "- "):
			changes = append(changes, line[2:])
		case strings.TrimSpace(line) != "":
			in = ""
		}
	}
	goal = strings.TrimSpace(goal)
	if len(changes) > 0 {
		return "MET: " + strings.Join(changes, "; ") + "."
	}
	s := &session{ctx: ctx, index: e.index, notes: e.notes(), now: e.now()}
	r, ok := s.command(goal)
	if !ok || r.call == nil {
		return fmt.Sprintf("UNKNOWN: the offline engine does not understand “%s” as one of its commands.", text.Excerpt(goal, 100))
	}
	return "NOT MET: nothing was changed toward it."
}
