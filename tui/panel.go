package tui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/list"
)

// What the turn asks stands in the chat, below what it is about: the transcript, and where it is out of
// sight there, what the user asked for and what the agent said last.

// panelLeast is how many lines what the turn asks keeps before any are given to what it is about.
const panelLeast = 11

// panel draws it in height lines.
func (m *Model) panel(width, height int) []string {
	request, words := firstRows(m.turn.opening, width, max(1, height/10)), lastRows(m.turn.said, width, max(2, height/6))
	keep := min(len(request)+len(words), max(height-panelLeast, 0))
	asks := m.dialogs.Lines(width, height-keep, m.now())
	asks = asks[:min(len(asks), height)]
	room := height - len(asks)
	var above, below []string // of the transcript
	for range 3 {             // what is pinned may put something else out of sight
		m.list.SetSize(width, max(room-len(above)-len(below), 0))
		seen := map[list.Item]bool{}
		m.list.InSight(func(s list.Sight) { seen[s.Item] = true })
		asked, said := seen[m.turn.opening], seen[m.turn.said]
		switch {
		case !asked && !said:
			above, below = slices.Concat(request, words), nil
		case !asked && below == nil && len(above) == 0:
			above = request
		case !said && len(above) == 0:
			below = words
		}
	}
	above = above[:min(len(above), room)]
	below = below[max(len(below)-(room-len(above)), 0):]
	out := make([]string, 0, height)
	out = append(out, above...)
	if n := room - len(above) - len(below); n > 0 {
		said := m.list.Lines()
		out = append(out, said[:min(len(said), n)]...)
	}
	for len(out) < room-len(below) {
		out = append(out, "")
	}
	return append(append(out, below...), asks...)
}

// firstRows are the first rows of an item, at most n; none where there is no item.
func firstRows(it list.Item, width, n int) []string {
	if it == nil {
		return nil
	}
	rows := full(it.Lines(width))
	if len(rows) <= n {
		return rows
	}
	rows = rows[:n:n]
	rows[n-1] = ansi.Truncate(strings.TrimRight(rows[n-1], " "), width-2, "") + " …"
	return rows
}

// lastRows are the last.
func lastRows(it list.Item, width, n int) []string {
	if it == nil {
		return nil
	}
	rows := full(it.Lines(width))
	return rows[max(len(rows)-n, 0):]
}

// full are the rows that are not empty.
func full(rows []string) []string {
	var out []string
	for _, r := range rows {
		if strings.TrimSpace(ansi.Strip(r)) != "" {
			out = append(out, r)
		}
	}
	return out
}
