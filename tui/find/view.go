package find

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"chatvault/internal/base/cells"
	"chatvault/tui/chat"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// Lines draws the search in place of the composer: the input and the position among the matches.
func (f *Search) Lines(width int) []string {
	const label = "Find "
	count, style := f.counted(), f.styles.Muted
	room := width - cells.Width(label) - cells.Width(count) - 2
	if room < 8 {
		room, count = max(width-cells.Width(label), 1), ""
	}
	if f.total == 0 {
		style = f.styles.Warn
	}
	line := phrase.Spread(f.styles.Muted.Render(label)+f.input.Line(f.styles, room), style.Render(count), width)
	if f.kept {
		line = strings.Replace(line, theme.Cursor, "", 1)
	}
	return []string{line}
}

// counted returns the position among the matches: "3 of 12".
func (f *Search) counted() string {
	more := ""
	if len(f.todo) > 0 {
		more = "…"
	}
	switch {
	case f.empty():
		return ""
	case f.total == 0 && more != "":
		return "looking…"
	case f.total == 0:
		return "no match"
	case f.at.item == nil:
		return fmt.Sprintf("%d%s", f.total, more)
	}
	return fmt.Sprintf("%d of %d%s", f.ordinal(), f.total, more)
}

// ordinal returns the position of the current match among all, from 1.
func (f *Search) ordinal() int {
	n, past := f.at.nth+1, false
	f.list.Each(func(it list.Item) {
		if past = past || it == f.at.item; !past {
			n += f.hits[it]
		}
	})
	return n
}

// Status returns a hint for the status line; selects is the key that selects the found item.
func (f *Search) Status(selects string, vi bool, width int) string {
	hints := f.hints(selects)
	switch {
	case f.kept:
		hints = []string{"n N move", "Esc closes"}
	case vi:
		hints = []string{"Enter, then n N move", "Esc closes"}
	}
	return f.styles.Muted.Render(phrase.Hints(hints, width))
}

// hints returns the search's key hints, least important first.
func (f *Search) hints(selects string) []string {
	const back = "Esc closes"
	before, earlier := keys.First(f.keys.Before, ""), f.list.Next(nil, 1, chat.IsEarlier) != nil
	switch move := before + " older · " + keys.First(f.keys.Next, "") + " newer"; {
	case f.empty():
		return []string{"Capital letters match case", "Type to search", back}
	case f.total == 0 && earlier:
		return []string{before + " searches earlier messages", back}
	case f.total == 0:
		return []string{back}
	default:
		return []string{selects + " selects", move, back}
	}
}

// Mark highlights the matches in the visible rows.
func (f *Search) Mark(rows []string) {
	if !f.open || f.empty() {
		return
	}
	// Without colours, links are underlined as well.
	at := f.where()
	other, current := f.styles.Warn.Underline(true).Bold(!f.styles.Colorful), f.styles.AccentBold.Reverse(true)
	f.list.InSight(func(s list.Sight) {
		if f.hits[s.Item] == 0 && !slices.Contains(f.todo, s.Item) {
			return
		}
		lines := s.Item.Lines(f.list.Width())
		from, to := max(s.First-aside, 0), min(s.First+s.To-s.From+aside, len(lines))
		paints := map[int][]lipgloss.Range{}
		for _, match := range f.drawnIn(lines[from:to]) {
			style := other
			if m := match.at(); s.Item == f.at.item && from+m.row == at.row && m.from == at.from {
				style = current
			}
			for _, p := range match {
				row := s.From + from + p.row - s.First
				if row >= s.From && row < s.To {
					paints[row] = append(paints[row], lipgloss.NewRange(p.from, p.to, style))
				}
			}
		}
		for row, list := range paints {
			rows[row] = repaint(rows[row], list)
		}
	})
}

// aside is the number of lines around the visible ones that are searched, since a match may begin or end there.
const aside = 4

// where returns where the current match begins in its item's drawing; row is negative if it is not drawn.
func (f *Search) where() stretch {
	if f.at.item == nil {
		return stretch{row: -1}
	}
	drawn := f.drawnIn(f.at.item.Lines(f.list.Width()))
	if len(drawn) == 0 {
		return stretch{row: -1}
	}
	return drawn[min(f.at.nth, len(drawn)-1)].at() // the drawing may show only some of an item's matches
}
