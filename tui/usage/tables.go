package usage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/dialog"
	"chatvault/tui/phrase"

	"github.com/charmbracelet/x/ansi"
)

// Limits of the tables.
const (
	maxDayUses  = 14
	maxCostName = 34 // in cells
)

// Sections returns tables of the usage: current, by turn of this conversation, and by day.
func (u Usage) Sections(conversation, day event.Totals, days []event.DayCost, now time.Time) []dialog.Section {
	out := totals(u.Turn, conversation, day)
	if full := u.fullText(); full != "" {
		out = append(out, dialog.Section{Entries: []dialog.Entry{{
			Name: "Context", Does: text.Thousands(u.Context) + " of the model's " + text.Thousands(u.Window) + " tokens: " + strings.TrimPrefix(full, "context ") + " full",
		}}})
	}
	if turns := u.Turns; len(turns) > 1 {
		rows := [][]string{{"", "calls", "tokens", "cost"}}
		for i := len(turns) - 1; i >= 0; i-- {
			rows = append(rows, costRow(phrase.First(text.Head(turns[i].First, phrase.MaxLine)), turns[i].Totals))
		}
		out = append(out, dialog.Section{Title: "By turn, newest first", Rows: rows})
	}
	if len(days) > 1 {
		rows := [][]string{{"", "calls", "tokens", "cost"}}
		for _, d := range days[:min(len(days), maxDayUses)] {
			rows = append(rows, costRow(dayName(d.Day, now), d.Totals))
		}
		out = append(out, dialog.Section{Title: "By day", Rows: rows})
	}
	return out
}

func costRow(name string, t event.Totals) []string {
	name = ansi.Truncate(text.OneLine(terminal.Line(name)), maxCostName, "…")
	if name == "" {
		name = "…"
	}
	return []string{name, text.Thousands(t.Calls), about(t) + text.Thousands(t.Prompt+t.Completion), cost(t)}
}

// dayName returns a day's display name.
func dayName(day string, now time.Time) string {
	d, err := time.ParseInLocation(time.DateOnly, day, now.Location())
	if err != nil {
		return day
	}
	return text.Capital(phrase.Day(d, now))
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
