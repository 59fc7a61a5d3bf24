package cli

import (
	"fmt"

	"chatvault/agent/event"
	"chatvault/internal/text"
)

// lineUse is what was used since the start of the chat: turn by turn, the last last, and how full
// the model's window is.
type lineUse struct {
	turns           []turnCost
	context, window int
}

type turnCost struct {
	id string
	event.Totals
}

// maxTurnCosts is how many turns /cost tells of.
const maxTurnCosts = 12

// used notes what a turn has used so far.
func (u *lineUse) used(e event.UsageReported) {
	if e.Window > 0 {
		u.context, u.window = e.Context, e.Window
	}
	switch n := len(u.turns); {
	case e.Turn.Calls == 0:
	case n > 0 && u.turns[n-1].id == e.TurnID:
		u.turns[n-1].Totals = e.Turn
	default:
		u.turns = append(u.turns, turnCost{e.TurnID, e.Turn})
		u.turns = u.turns[max(len(u.turns)-maxTurnCosts, 0):]
	}
}

// lines say it: the context, and the turns, the newest first.
func (u *lineUse) lines() []string {
	var out []string
	if u.window > 0 && u.context > 0 {
		out = append(out, fmt.Sprintf("Context: %s of the model's %s tokens, %d%% full.", text.Thousands(u.context), text.Thousands(u.window), min(u.context*100/u.window, 100)))
	}
	for i := len(u.turns) - 1; i >= 0; i-- {
		name := "The last turn"
		if back := len(u.turns) - 1 - i; back > 0 {
			name = count(back, "turn") + " before"
		}
		out = append(out, usedWords(name, u.turns[i].Totals))
	}
	return out
}

func usedWords(name string, t event.Totals) string {
	text := fmt.Sprintf("%s: %s, %s tokens in, %s tokens out", name, count(t.Calls, "model call"), text.Thousands(t.Prompt), text.Thousands(t.Completion))
	if t.Priced {
		text += fmt.Sprintf(", $%.4f", t.Cost)
	}
	return text + "."
}
