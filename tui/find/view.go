package find

import (
	"fmt"
	"slices"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/phrase"
)

// Lines stand in the place of the composer while words are looked for: what is looked for, and
// which match of how many one is at.
func (f *Search) Lines(width int) []string {
	const label = "Find "
	count := f.counted()
	room := width - ansi.StringWidth(label) - ansi.StringWidth(count) - 2
	if count == "" || room < 8 {
		return []string{f.styles.Muted.Render(label) + f.input.Line(f.styles, max(width-ansi.StringWidth(label), 1))}
	}
	style := f.styles.Muted
	if f.total == 0 {
		style = f.styles.Warn
	}
	return []string{phrase.Spread(f.styles.Muted.Render(label)+f.input.Line(f.styles, room), style.Render(count), width)}
}

// counted says which match of how many one is at: "3 of 12".
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

// ordinal is which of all matches one is at, from 1.
func (f *Search) ordinal() int {
	n, past := f.at.nth+1, false
	f.list.Each(func(it list.Item) {
		if past = past || it == f.at.item; !past {
			n += f.hits[it]
		}
	})
	return n
}

// Status is how to go on; selects is the key that selects what was found.
func (f *Search) Status(selects string, width int) string {
	return f.styles.Muted.Render(phrase.Hints(f.hints(keys.First(f.keys.Next, ""), keys.First(f.keys.Before, ""), selects, f.earlier.Gaps() > 0, f.hidden()), width))
}

// hints are the keys of the search, the least important first.
func (f *Search) hints(next, before, selects string, earlier, hidden bool) []string {
	const back = "Esc closes"
	switch move := before + " older · " + next + " newer"; {
	case f.page != nil:
		return []string{"Loading earlier messages…", back}
	case f.empty():
		return []string{"Capital letters match case", "Type to search", back}
	case f.total == 0 && len(f.todo) > 0:
		return []string{"Searching…", back}
	case f.total == 0 && earlier:
		return []string{"No matches so far", before + " searches earlier messages", back}
	case f.total == 0:
		return []string{"No matches", back}
	case hidden:
		return []string{move, selects + " selects it, to copy it", "In a part not shown", back}
	case earlier:
		return []string{selects + " selects", move + ", in earlier messages too", back}
	default:
		return []string{selects + " selects", move, back}
	}
}

// hidden says whether the match one is at is not drawn, though its item is.
func (f *Search) hidden() bool {
	return f.at.item != nil && f.hits[f.at.item] > 0 && f.where().row < 0
}

// Mark sets off, in the rows of the transcript, where what is looked for is drawn.
func (f *Search) Mark(rows []string) {
	if !f.open || f.empty() {
		return
	}
	// Without colours links are underlined, too.
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
			if m := match.at(); s.Item == f.at.item && from+m.row == f.where().row && m.from == f.where().cell {
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

// aside is how many lines beside those in sight are looked at: a match may begin or end there.
const aside = 4

// place is where the match one is at is drawn, in so many lines of a width: row is negative where it is not.
type place struct {
	of           found
	lines, width int
	row, cell    int
}

// where looks the place up where it is not known.
func (f *Search) where() place {
	lines := f.at.item.Lines(f.list.Width())
	if f.place.lines != len(lines) || f.place.width != f.list.Width() || f.place.of != f.at {
		f.place = place{of: f.at, lines: len(lines), width: f.list.Width(), row: -1}
		drawn := f.drawnIn(lines)
		if n := len(drawn); n > 0 { // what is drawn may show some of an item's matches only
			i := min(f.at.nth, n-1)
			f.place.row, f.place.cell = drawn[i].at().row, drawn[i].at().from
		}
	}
	return f.place
}
