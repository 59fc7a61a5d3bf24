// Package usage formats the usage of model calls for the status line and in a table.
package usage

import (
	"cmp"
	"fmt"
	"slices"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
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

// Line formats the usage of the conversation in at most room cells: "92.1k tokens · $0.21 · context 12%", or less if
// space is short. The percentage is dropped last, because it matters most. Without usage it is empty.
func (u Usage) Line(room int) string {
	all := u.Conversation
	if all.Calls == 0 { // no totals for the conversation
		all = u.Turn
	}
	used, full, spent := "", u.full(), ""
	if n := all.Prompt + all.Completion; n > 0 {
		used = about(all) + chat.Count(n) + " tokens"
	}
	if full != "" {
		full = "context " + full
	}
	if all.Cost > 0 {
		spent = cost(all)
	}
	return phrase.Fitting([]string{phrase.Join(used, spent, full), phrase.Join(used, full), full, u.full(), ""}, room)
}

// Sections returns a table of the usage, and how full the model's context window is.
func (u Usage) Sections(conversation, day event.Totals) []dialog.Section {
	all := []event.Totals{u.Turn, conversation, day}
	rows := [][]string{{"", "turn", "conversation", "today"}}
	row := func(name string, value func(event.Totals) string) {
		rows = append(rows, append([]string{name}, text.Of(all, value)...))
	}
	tokens := func(name string, n func(event.Totals) int) {
		row(name, func(t event.Totals) string {
			if n(t) == 0 {
				return "0"
			}
			return about(t) + text.Thousands(n(t))
		})
	}
	row("Model calls", func(t event.Totals) string { return text.Thousands(t.Calls) })
	tokens("Tokens sent", func(t event.Totals) int { return t.Prompt })
	tokens("  of them cached", func(t event.Totals) int { return t.Cached })
	tokens("Tokens written", func(t event.Totals) int { return t.Completion })
	tokens("  of them reasoning", func(t event.Totals) int { return t.Reasoning })
	row("Cost", func(t event.Totals) string { return cmp.Or(cost(t), "–") })
	var notes []dialog.Entry
	if slices.ContainsFunc(all, func(t event.Totals) bool { return t.Estimated }) {
		notes = append(notes, dialog.Entry{Name: "~", Does: "at least partly estimated: the provider did not report it"})
	}
	if !day.Priced && !conversation.Priced {
		notes = append(notes, dialog.Entry{Name: "–", Does: "known only if the provider reports it or the price is known"})
	}
	if full := u.full(); full != "" {
		notes = append(notes, dialog.Entry{Name: "Context", Does: text.Thousands(u.Context) + " of the model's " + text.Thousands(u.Window) + " tokens: " + full + " full"})
	}
	return []dialog.Section{{Title: "Usage", Rows: rows}, {Entries: notes}}
}

// about returns the mark for estimated values.
func about(t event.Totals) string {
	if t.Estimated {
		return "~"
	}
	return ""
}

// cost formats the known cost in US dollars; it is empty if unknown.
func cost(t event.Totals) string {
	switch {
	case !t.Priced:
		return ""
	case t.Cost > 0 && t.Cost < 0.01:
		return about(t) + fmt.Sprintf("$%.4f", t.Cost)
	}
	return about(t) + fmt.Sprintf("$%.2f", t.Cost)
}
