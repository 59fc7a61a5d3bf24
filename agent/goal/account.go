package goal

import (
	"fmt"
	"strings"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/internal/text"
	"chatvault/tools"
)

// What a check of the goal is told is bounded: it is a look at what came of it, no transcript.
const (
	maxAccountTurns   = 3
	maxAccountTools   = 30 // of a turn
	maxAccountChanges = 60
	maxAccountAsked   = 500  // runes of what the person said
	maxAccountSaid    = 6000 // runes of what the agent said in the newest turn
	maxAccountBefore  = 1000 // in the turns before
)

// goalAccount is what was done toward a goal since it was set or resumed, as far as a check is
// told of it.
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
	if n := len(a.turns) - maxAccountTurns; n > 0 {
		a.turns = a.turns[n:]
	}
	a.changes = append(a.changes[:len(a.changes):len(a.changes)], t.Changes...)
	if n := len(a.changes) - maxAccountChanges; n > 0 {
		a.changes, a.left = a.changes[n:], a.left+n
	}
	return a
}

// text is the account as a check is told it. What notes, tools and the agent said is quoted, line
// by line.
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

// AccountOf is what was said and done in a turn.
func AccountOf(asked string, record []conversation.Message, changes []string) TurnAccount {
	a := TurnAccount{Asked: asked, Changes: changes}
	targets := map[string]string{}
	var said []string
	for _, m := range record {
		switch m.Role {
		case conversation.RoleAssistant:
			for _, c := range m.ToolCalls {
				targets[c.ID] = c.Target
			}
			said = append(said, m.Content)
		case conversation.RoleAgent:
			said = append(said, m.Content)
		case conversation.RoleTool:
			if tools.TraitsOf(m.ToolName).Speaks {
				continue
			}
			line := m.ToolName
			if t := targets[m.ToolCallID]; t != "" {
				line += " " + text.Excerpt(t, 100)
			}
			switch s := text.Excerpt(m.Summary, 100); {
			case m.IsError:
				line += ": failed"
				if s != "" {
					line += " (" + s + ")"
				}
			case s != "":
				line += ": " + s
			}
			a.Tools = append(a.Tools, line)
		}
	}
	if n := len(a.Tools) - maxAccountTools; n > 0 {
		a.Tools = append([]string{fmt.Sprintf("(%d more before these)", n)}, a.Tools[n:]...)
	}
	var parts []string
	for _, s := range said {
		if !text.Blank(s) {
			parts = append(parts, strings.TrimSpace(s))
		}
	}
	a.Said = strings.Join(parts, "\n\n")
	return a
}
