package offline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// goalRE and madeRE match the goal and the changes in the agent's account of the work toward it.
var (
	goalRE = lazyregexp.New(`(?m)^Goal:\n((?:>.*\n?)+)`)
	madeRE = lazyregexp.New(`(?m)^Changed since[^\n]*:\n((?:- .*\n?)+)`)
)

// checkGoal judges a goal by the agent's account. It returns one line, MET, NOT MET or UNKNOWN with the reason. A goal
// in the form of a command is met after a change of that kind; other goals are UNKNOWN.
func (e *Engine) checkGoal(ctx context.Context, account string) string {
	goal, made := "", ""
	if m := goalRE().FindStringSubmatch(account); m != nil {
		goal = strings.TrimSpace(strings.ReplaceAll("\n"+m[1], "\n>", "\n"))
	}
	if m := madeRE().FindStringSubmatch(account); m != nil {
		made = m[1]
	}
	s := &session{ctx: ctx, index: e.index, catalog: e.current(), now: e.now()}
	if c, _ := s.meant(tokens(goal)); c != nil && c.help != "" {
		verbs := []string{"edited", "created"}
		if v := map[string]string{"create": "created", "delete": "deleted", "rename": "moved", "move": "moved"}[strings.Fields(c.help)[0]]; v != "" {
			verbs = []string{v}
		}
		for change := range strings.Lines(made) {
			change = strings.TrimSpace(strings.TrimPrefix(change, "- "))
			if verb, _, _ := strings.Cut(change, " "); slices.Contains(verbs, verb) {
				return "MET: " + change + "."
			}
		}
	}
	if r, ok := s.command(goal); !ok || r.call == nil {
		return fmt.Sprintf("UNKNOWN: the offline engine does not understand “%s” as one of its commands.", text.Excerpt(goal, 100))
	}
	return "NOT MET: nothing was changed toward it."
}
