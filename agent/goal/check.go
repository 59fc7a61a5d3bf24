package goal

import (
	"fmt"
	"strconv"
	"strings"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
	"chatvault/tools"
	"chatvault/tools/transcript"
)

// The input of a goal check is bounded.
const (
	maxAccountTurns   = 3
	maxAccountTools   = 30 // of a turn
	maxAccountChanges = 60
	maxAccountAsked   = 500  // runes of what the person said
	maxAccountSaid    = 6000 // runes of what the agent said in the newest turn
	maxAccountBefore  = 1000 // in the turns before
)

// account is what was done toward a goal since it was set or resumed, for a check.
type account struct {
	turns   []TurnAccount // the newest
	changes []string      // of all turns, a line each
	left    int           // changes left out
}

// TurnAccount is what was said and done in a turn.
type TurnAccount struct {
	Asked   string   // by the person, or by the program to go on
	Tools   []string // a line each: name, target, what came of it
	Said    string   // by the agent
	Changes []string
}

// with is the account after another turn.
func (a account) with(t TurnAccount) account {
	a.turns = append(a.turns[:len(a.turns):len(a.turns)], t)
	a.turns = a.turns[max(0, len(a.turns)-maxAccountTurns):]
	a.changes = append(a.changes[:len(a.changes):len(a.changes)], t.Changes...)
	if n := len(a.changes) - maxAccountChanges; n > 0 {
		a.changes, a.left = a.changes[n:], a.left+n
	}
	return a
}

// text renders the account for a check. Text of notes, tools and the agent is quoted line by line.
func (a account) text(g event.Goal) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Goal:\n%s\n\n", text.Quoted(g.Text))
	fmt.Fprintf(&b, "Turns that worked toward it so far: %d. The newest come last.\n", g.Turns)
	for i, t := range a.turns {
		said := maxAccountBefore
		if i == len(a.turns)-1 {
			said = maxAccountSaid
		}
		fmt.Fprintf(&b, "\nTurn %d\nAsked:\n%s\n", g.Turns-len(a.turns)+i+1, text.Quoted(text.Excerpt(t.Asked, maxAccountAsked)))
		if len(t.Tools) == 0 {
			b.WriteString("Tools: none.\n")
		} else {
			b.WriteString("Tools:\n")
			list(&b, t.Tools, 0)
		}
		if text.Blank(t.Said) {
			b.WriteString("The agent said nothing.\n")
		} else {
			fmt.Fprintf(&b, "The agent said:\n%s\n", text.Quoted(text.MiddleOut(t.Said, said)))
		}
	}
	if len(a.changes) == 0 {
		b.WriteString("\nNothing was changed.\n")
	} else {
		b.WriteString("\nChanged since the goal was set or resumed:\n")
		list(&b, a.changes, a.left)
	}
	return strings.TrimSpace(b.String())
}

func list(b *strings.Builder, lines []string, left int) {
	if left > 0 {
		fmt.Fprintf(b, "- (%d more before these)\n", left)
	}
	for _, l := range lines {
		fmt.Fprintf(b, "- %s\n", l)
	}
}

// AccountOf returns the account of a turn.
func AccountOf(asked string, record []conversation.Message, changes []string) TurnAccount {
	a := TurnAccount{Asked: asked, Changes: changes}
	targets := map[string]string{}
	var said []string
	for _, m := range record {
		switch m.Role {
		case conversation.RoleAssistant, conversation.RoleAgent:
			for _, c := range m.ToolCalls {
				targets[c.ID] = c.Target
			}
			if words := strings.TrimSpace(m.Content); words != "" {
				said = append(said, words)
			}
		case conversation.RoleTool:
			if !tools.TraitsOf(m.ToolName).Speaks {
				a.Tools = append(a.Tools, transcript.ToolLine(m.ToolName, text.Excerpt(targets[m.ToolCallID], 100), text.Excerpt(m.Summary, 100), m.IsError))
			}
		}
	}
	if n := len(a.Tools) - maxAccountTools; n > 0 {
		a.Tools = append([]string{fmt.Sprintf("(%d more before these)", n)}, a.Tools[n:]...)
	}
	a.Said = strings.Join(said, "\n\n")
	return a
}

// verdictLine matches a line that begins with a verdict: in capitals, or followed by a mark or nothing, so that no
// sentence is taken for one.
var verdictLine = lazyregexp.New(`^(?i:(?:the )?(?:final )?(?:goal )?(?:verdict|answer|result|status|goal)(?::| is:?) *)?` +
	`(?:(NOT MET|NOT_MET|UNMET|MET|UNKNOWN)(?: |$|[:.,;!–—-])|(?i:(not yet met|not met|met|unknown|cannot judge))(?:$|[:.,;!–—-]| [–—-]))[ :.,;!–—-]*(.*)$`)

// countOf matches how much of the goal is met: "3 of 5 recipes".
var countOf = lazyregexp.New(`^(\d+) *(?:/|of|out of) *(\d+)\b`)

// ParseVerdict reads the answer of a check: MET, NOT MET or UNKNOWN and why, on a line of its own among any others. An
// answer with several different verdicts, or none, is not clear.
func ParseVerdict(s string) Verdict {
	for _, end := range []string{"</think>", "</thinking>"} {
		s = s[max(0, strings.LastIndex(s, end)):]
		s = strings.TrimPrefix(s, end)
	}
	var found Verdict
	for line := range strings.Lines(s) {
		line = text.Unmarked(line)
		m := verdictLine().FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(m[3], "if ") {
			continue
		}
		head := strings.ToLower(m[1] + m[2])
		v := Verdict{Clear: true, Met: head == "met", Unknown: head == "unknown" || head == "cannot judge", Why: m[3]}
		if n := countOf().FindStringSubmatch(v.Why); v.Met && n != nil {
			some, err := strconv.Atoi(n[1])
			all, err2 := strconv.Atoi(n[2])
			if err == nil && err2 == nil && some < all {
				v.Met, v.Why = false, line
			}
		}
		if found.Clear && (v.Met != found.Met || v.Unknown != found.Unknown) {
			return Verdict{}
		}
		if !found.Clear {
			found = v
		}
	}
	found.Why = text.Excerpt(found.Why, maxWhy)
	return found
}
