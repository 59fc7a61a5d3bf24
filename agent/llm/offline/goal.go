package offline

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/text"
)

// goalRE matches the goal in the agent's account of the work toward it.
var goalRE = lazyregexp.New(`(?m)^Goal:\n((?:>.*\n?)+)`)

// checkGoal judges a goal by the agent's account. It returns one line, MET, NOT MET or UNKNOWN with the reason. A goal
// in the form of a command is met after a change of that kind; other goals are UNKNOWN.
func (e *Engine) checkGoal(ctx context.Context, account string) string {
	goal := strings.TrimSpace(strings.ReplaceAll("\n"+group(account, goalRE().FindStringSubmatchIndex(account), 1), "\n>", "\n"))
	s := &session{ctx: ctx, index: e.index, catalog: e.current(), now: e.now()}
	if c, _ := s.meant(s.catalog.tokens(goal)); c != nil && c.help != "" {
		verb, _, _ := strings.Cut(c.help, " ")
		verbs := cmp.Or(map[string]string{"create": "created", "delete": "deleted", "rename": "moved", "move": "moved"}[verb], "edited|created")
		if m := regexp.MustCompile(`(?m)^- ((?:` + verbs + `) .*)$`).FindStringSubmatch(account); m != nil {
			return "MET: " + m[1] + "."
		}
	}
	if r, ok := s.command(goal); !ok || r.call == nil {
		return fmt.Sprintf("UNKNOWN: the offline engine does not understand “%s” as one of its commands.", text.Excerpt(goal, 100))
	}
	return "NOT MET: nothing was changed toward it."
}
