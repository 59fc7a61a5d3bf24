package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent/event"
	"chatvault/internal/text"
	"chatvault/tui/dialog"
)

// usageMsg brings what was used.
type usageMsg struct {
	conversation, day event.Totals
	days              []event.DayCost
	err               error
}

// askUsage is /cost.
func (m *Model) askUsage() tea.Cmd {
	ask, costs := m.o.Usage, m.o.Costs
	return func() tea.Msg {
		var msg usageMsg
		msg.conversation, msg.day, msg.err = ask()
		if costs != nil && msg.err == nil {
			var all event.Costs
			all, msg.err = costs()
			msg.days = all.Days
		}
		return msg
	}
}

func (m *Model) showUsage(msg usageMsg) tea.Cmd {
	if msg.err != nil {
		return m.pass("The usage could not be read: "+msg.err.Error(), 3*quitWindow)
	}
	m.dialogs.Push(dialog.NewHelp(m.styles, costSections(m.usage, m.turnUses, msg.conversation, msg.day, msg.days, m.now())))
	return nil
}

// usageSections puts usage into a table.
func usageSections(turn, conversation, day event.Totals) []dialog.Section {
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
		row("Tokens written", count(func(t event.Totals) int { return t.Completion })),
		row("  of them reasoning", count(func(t event.Totals) int { return t.Reasoning })),
		row("Cost", cost),
	}
	var notes []dialog.Entry
	if turn.Estimated || conversation.Estimated || day.Estimated {
		notes = append(notes, dialog.Entry{Name: "~", Does: "estimated, a part at least: the provider did not say"})
	}
	if !day.Priced && !conversation.Priced {
		notes = append(notes, dialog.Entry{Name: "–", Does: "known where the provider tells it or prices are configured"})
	}
	out := []dialog.Section{{Title: "Usage", Rows: rows}}
	if len(notes) > 0 {
		out = append(out, dialog.Section{Entries: notes})
	}
	return out
}

// about marks what is estimated.
func about(t event.Totals) string {
	if t.Estimated {
		return "~"
	}
	return ""
}

// cost is what is known of the cost, in US dollars.
func cost(t event.Totals) string {
	switch {
	case !t.Priced:
		return "–"
	case t.Cost > 0 && t.Cost < 0.01:
		return about(t) + fmt.Sprintf("$%.4f", t.Cost)
	}
	return about(t) + fmt.Sprintf("$%.2f", t.Cost)
}
