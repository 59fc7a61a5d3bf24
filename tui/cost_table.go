package tui

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"chatvault/agent/event"
	"chatvault/internal/text"
	"chatvault/tui/dialog"
	"chatvault/tui/phrase"
	"chatvault/tui/safe"
)

// turnUse is what one turn has used.
type turnUse struct {
	id   string
	text string // its first message
	event.Totals
}

// Bounds of what /cost lists.
const (
	maxTurnUses = 12
	maxDayUses  = 14
	maxCostName = 34 // cells
)

// turnUsed notes what the turn under way has used.
func (m *Model) turnUsed(e event.UsageReported) {
	if e.Turn.Calls == 0 || e.TurnID == "" && !m.turn.running {
		return
	}
	if n := len(m.turnUses); n > 0 && m.turnUses[n-1].id == e.TurnID {
		m.turnUses[n-1].Totals = e.Turn
		return
	}
	u := turnUse{id: e.TurnID, Totals: e.Turn}
	if len(m.turn.ids) > 0 {
		u.text = phrase.First(phrase.Head(m.received[m.turn.ids[0]].Text, phrase.MaxLine))
	}
	m.turnUses = append(m.turnUses, u)
	if n := len(m.turnUses); n > maxTurnUses {
		m.turnUses = m.turnUses[n-maxTurnUses:]
	}
}

// costSections is what was used, in tables: now, by turn of this conversation, and by day.
func costSections(u usage, turns []turnUse, conversation, day event.Totals, days []event.DayCost, now time.Time) []dialog.Section {
	out := usageSections(u.turn, conversation, day)
	if full := u.fullText(); full != "" {
		out = append(out, dialog.Section{Entries: []dialog.Entry{{
			Name: "Context", Does: text.Thousands(u.context) + " of the model's " + text.Thousands(u.window) + " tokens: " + strings.TrimPrefix(full, "context ") + " full",
		}}})
	}
	if len(turns) > 1 {
		rows := [][]string{{"", "calls", "tokens", "cost"}}
		for i := len(turns) - 1; i >= 0; i-- {
			rows = append(rows, costRow(turns[i].text, turns[i].Totals))
		}
		out = append(out, dialog.Section{Title: "By turn, the newest first", Rows: rows})
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
	name = ansi.Truncate(text.OneLine(safe.Line(name)), maxCostName, "…")
	if name == "" {
		name = "…"
	}
	return []string{name, text.Thousands(t.Calls), about(t) + text.Thousands(t.Prompt+t.Completion), cost(t)}
}

// dayName is how a day is called: today, yesterday, or its date.
func dayName(day string, now time.Time) string {
	d, err := time.ParseInLocation(time.DateOnly, day, now.Location())
	switch today := now.Format(time.DateOnly); {
	case err != nil:
		return day
	case day == today:
		return "Today"
	case day == now.AddDate(0, 0, -1).Format(time.DateOnly):
		return "Yesterday"
	}
	return d.Format("Mon, Jan 2")
}
