// Package usage formats the usage of model calls for the status line and in tables.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
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
	words, figures := cells.Width(u.fullText()), cells.Width(u.full())
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

// Limits of the tables.
const (
	maxDayUses  = 14
	maxCostName = 34 // in cells
)

// Sections returns tables of the usage: current, and by day.
func (u Usage) Sections(conversation, day event.Totals, days []event.DayCost) []dialog.Section {
	out := totals(u.Turn, conversation, day)
	if full := u.fullText(); full != "" {
		out = append(out, dialog.Section{Entries: []dialog.Entry{{
			Name: "Context", Does: text.Thousands(u.Context) + " of the model's " + text.Thousands(u.Window) + " tokens: " + strings.TrimPrefix(full, "context ") + " full",
		}}})
	}
	if len(days) > 1 {
		rows := [][]string{{"", "calls", "tokens", "cost"}}
		for _, d := range days[:min(len(days), maxDayUses)] {
			rows = append(rows, costRow(d.Day, d.Totals))
		}
		out = append(out, dialog.Section{Title: "By day", Rows: rows})
	}
	return out
}

func costRow(name string, t event.Totals) []string {
	name = cells.Truncate(text.OneLine(terminal.Line(name)), maxCostName, "…")
	if name == "" {
		name = "…"
	}
	return []string{name, text.Thousands(t.Calls), about(t) + text.Thousands(t.Prompt+t.Completion), cost(t)}
}

// totals returns the table of totals.
func totals(turn, conversation, day event.Totals) []dialog.Section {
	all := []event.Totals{turn, conversation, day}
	row := func(name string, value func(event.Totals) string) []string {
		out := []string{name}
		for _, t := range all {
			out = append(out, value(t))
		}
		return out
	}
	count := func(n func(event.Totals) int) func(event.Totals) string {
		return func(t event.Totals) string {
			if n(t) == 0 {
				return "0"
			}
			return about(t) + text.Thousands(n(t))
		}
	}
	rows := [][]string{
		{"", "turn", "conversation", "today"},
		row("Model calls", func(t event.Totals) string { return text.Thousands(t.Calls) }),
		row("Tokens sent", count(func(t event.Totals) int { return t.Prompt })),
		row("  of them cached", count(func(t event.Totals) int { return t.Cached })),
		row("  of them written to cache", count(func(t event.Totals) int { return t.Written })),
		row("Tokens written", count(func(t event.Totals) int { return t.Completion })),
		row("  of them reasoning", count(func(t event.Totals) int { return t.Reasoning })),
		row("Cost", cost),
	}
	if turn.Written+conversation.Written+day.Written == 0 { // most providers cache without reporting it
		rows = slices.Delete(rows, 4, 5)
	}
	var notes []dialog.Entry
	if turn.Estimated || conversation.Estimated || day.Estimated {
		notes = append(notes, dialog.Entry{Name: "~", Does: "at least partly estimated: the provider did not report it"})
	}
	if !day.Priced && !conversation.Priced {
		notes = append(notes, dialog.Entry{Name: "–", Does: "known only if the provider reports it or the price is known"})
	}
	out := []dialog.Section{{Title: "Usage", Rows: rows}}
	if len(notes) > 0 {
		out = append(out, dialog.Section{Entries: notes})
	}
	return out
}

// about returns the mark for estimated values.
func about(t event.Totals) string {
	if t.Estimated {
		return "~"
	}
	return ""
}

// cost formats the known cost in US dollars.
func cost(t event.Totals) string {
	switch {
	case !t.Priced:
		return "–"
	case t.Cost > 0 && t.Cost < 0.01:
		return about(t) + fmt.Sprintf("$%.4f", t.Cost)
	}
	return about(t) + fmt.Sprintf("$%.2f", t.Cost)
}
