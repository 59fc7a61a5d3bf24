// Package usage formats the usage of model calls for the status line and in tables.
package usage

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/phrase"
)

// Usage is the usage of model calls.
type Usage session.Usage

// full returns how full the model's context window is: "12%". It is empty if unknown.
func (u Usage) full() string {
	switch {
	case u.Window <= 0 || u.Context <= 0:
		return ""
	case u.Context*100 < u.Window:
		return "<1%"
	}
	return fmt.Sprintf("%d%%", min(u.Context*100/u.Window, 100))
}

// contextWord precedes the percentage if there is space.
const contextWord = "context "

// fullText returns the percentage with its label: "context 12%".
func (u Usage) fullText() string {
	if full := u.full(); full != "" {
		return contextWord + full
	}
	return ""
}

// Least returns the number of cells to reserve for the percentage in a line of some width, of which least cells are
// taken: with its label if that fits, otherwise without.
func (u Usage) Least(width, least int) int {
	words, figures := ansi.StringWidth(u.fullText()), ansi.StringWidth(u.full())
	switch {
	case figures == 0:
		return 0
	case least+2+words <= width:
		return 2 + words
	case least+2+figures <= width:
		return 2 + figures
	}
	return 0
}

// spent formats the tokens and the known cost of some calls: "12.4k", "$0.03". Estimated tokens have a ~ before them;
// zero is empty.
func spent(t event.Totals) (tokens, cost string) {
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

// Line formats the usage of the conversation and its turn in at most room cells: "92.1k tokens used, 12.4k this turn ·
// $0.21 · context 12%", or less if space is short. The percentage is dropped last, because it matters most. Without usage
// it is empty.
func (u Usage) Line(room int) string {
	all := u.Conversation
	if all.Calls == 0 { // no totals for the conversation
		all = u.Turn
	}
	tokens, cost := spent(all)
	full, used, short, forms := u.fullText(), "", "", []string(nil)
	if tokens != "" {
		used, short = tokens+" tokens used", tokens+" tokens"
	}
	if now, _ := spent(u.Turn); u.Turn.Calls < all.Calls && used != "" && now != "" {
		forms = append(forms, phrase.Join(used+", "+now+" this turn", cost, full))
	}
	return phrase.Fitting(append(forms, phrase.Join(used, cost, full), phrase.Join(short, cost, full), phrase.Join(short, full), full, u.full(), ""), room)
}
