package tui

import (
	"fmt"
	"slices"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent"
	"chatvault/tui/chat"
)

// usage is what the model calls have used: of the turn, the one that runs or ran last, and of
// the conversation.
type usage struct {
	turn, conversation agent.Totals
	context, window    int // tokens of the model's window that are taken, and all; 0: not known
}

// used notes what was used so far.
func (m *Model) used(e agent.UsageReported) {
	m.usage.turn, m.usage.conversation = e.Turn, e.Conversation
	if e.Window > 0 {
		m.usage.context, m.usage.window = e.Context, e.Window
	}
	m.turnUsed(e)
}

// fullText says how full the model's window is: "context 12%"; empty where that is not known.
func (u usage) fullText() string {
	switch {
	case u.window <= 0 || u.context <= 0:
		return ""
	case u.context*100 < u.window:
		return "context <1%"
	}
	return fmt.Sprintf("context %d%%", min(u.context*100/u.window, 100))
}

// spent is the tokens of some calls, and what they cost, as far as that is known: "12.4k",
// "$0.03". Estimated tokens have a ~ before them; none is empty.
func spent(t agent.Totals) (tokens, cost string) {
	if n := t.Prompt + t.Completion; n > 0 {
		tokens = about(t) + chat.Count(n)
	}
	switch {
	case !t.Priced, t.Cost == 0:
	case t.Cost < 0.01:
		cost = "<$0.01"
	default:
		cost = fmt.Sprintf("$%.2f", t.Cost)
	}
	return tokens, cost
}

// usageText says in at most room cells what the conversation has used, and the turn of it:
// "92.1k tokens used, 12.4k this turn · $0.21, $0.03 this turn · context 12%", or less where there
// is less room or to tell. How full the window is gives way after this turn's part and before the
// cost. Where nothing was used it says nothing.
func usageText(u usage, room int) string {
	all, now := u.conversation, u.turn
	if all.Calls == 0 { // nobody counts the conversation
		all, now = now, agent.Totals{}
	}
	tokens, cost := spent(all)
	if tokens == "" && cost == "" {
		return ""
	}
	used := tokens
	if used != "" {
		used += " tokens used"
	}
	forms := []string{join(used, cost), used}
	if nowTokens, nowCost := spent(now); now.Calls < all.Calls && tokens != "" && nowTokens != "" {
		withTokens, withCost := used+", "+nowTokens+" this turn", cost
		if nowCost != "" && cost != nowCost {
			withCost += ", " + nowCost + " this turn"
		}
		forms = append([]string{join(withTokens, withCost), join(withTokens, cost)}, forms...)
	}
	if tokens != "" {
		forms = append(forms, tokens+" tokens")
	}
	if full := u.fullText(); full != "" {
		least := 1 + slices.Index(forms, join(used, cost))
		with := make([]string, 0, 2*len(forms))
		for _, f := range forms[:least] {
			with = append(with, f+" · "+full)
		}
		forms = append(with, forms[least-1:]...)
	}
	for _, f := range forms {
		if ansi.StringWidth(f) <= room {
			return f
		}
	}
	return ""
}

// join puts a dot between two words, where there are two.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " · " + b
}
