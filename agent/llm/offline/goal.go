package offline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chatvault/internal/text"
)

// checkGoal judges a goal by the agent's account of the work toward it. It returns one line: MET, NOT MET or UNKNOWN,
// with the reason. A goal that is one of the commands is met after a change of its kind; any other is UNKNOWN.
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
	s := &session{ctx: ctx, index: e.index, catalog: e.current(), now: e.now()}
	c, _ := s.meant(tokens(goal))
	for _, change := range changes {
		if c != nil && slices.Contains(c.changes(), strings.SplitN(change, " ", 2)[0]) {
			return "MET: " + change + "."
		}
	}
	r, ok := s.command(goal)
	if !ok || r.call == nil {
		return fmt.Sprintf("UNKNOWN: the offline engine does not understand “%s” as one of its commands.", text.Excerpt(goal, 100))
	}
	return "NOT MET: nothing was changed toward it."
}

// changes returns the verbs with which an account describes what the command does.
func (c *command) changes() []string {
	switch first, _, _ := strings.Cut(c.help, " "); first {
	case "create":
		return []string{"created"}
	case "delete":
		return []string{"deleted"}
	case "rename", "move":
		return []string{"moved"}
	}
	return []string{"edited", "created"}
}
