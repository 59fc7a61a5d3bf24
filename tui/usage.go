package tui

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent"
	"chatvault/tui/chat"
)

// usage is what the model calls have used: of the turn, the one that runs or ran last, and of
// the conversation.
type usage struct{ turn, conversation agent.Totals }

// used notes what was used so far.
func (m *Model) used(e agent.UsageReported) {
	m.usage = usage{e.Turn, e.Conversation}
}

// spent is the tokens of some calls, and what they cost, as far as that is known: "12.4k",
// "$0.03". Estimated tokens have a ~ before them.
func spent(t agent.Totals) (tokens, cost string) {
	if t.Calls == 0 {
		return "", ""
	}
	tokens = chat.Count(t.Prompt + t.Completion)
	if t.Estimated {
		tokens = "~" + tokens
	}
	switch {
	case !t.Priced:
	case t.Cost > 0 && t.Cost < 0.01:
		cost = "<$0.01"
	default:
		cost = fmt.Sprintf("$%.2f", t.Cost)
	}
	return tokens, cost
}

// usageText says in at most room cells what was used: "12.4k of 92.1k tokens · $0.03 of $0.21"
// of the turn and the conversation, or less where there is less room or to tell.
func usageText(u usage, room int) string {
	tokens, cost := spent(u.turn)
	if u.turn.Calls == 0 {
		tokens, cost = spent(u.conversation)
	}
	if tokens == "" {
		return ""
	}
	var forms []string
	allTokens, allCost := spent(u.conversation)
	if u.turn.Calls > 0 && u.conversation.Calls > u.turn.Calls {
		of, money := tokens+" of "+allTokens, cost
		if cost != allCost && cost != "" {
			money = cost + " of " + allCost
		} else if cost == "" {
			money = allCost
		}
		forms = append(forms, join(of+" tokens", money), join(of, money))
	} else {
		forms = append(forms, join(tokens+" tokens", cost))
	}
	forms = append(forms, join(tokens, cost), tokens)
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
