package complete

import (
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/terminal"
	"chatvault/tui/phrase"
	"chatvault/tui/theme"
)

// Lines draws the candidates in at most room rows. While open it does not shrink, so that the text above stays in
// place.
func (c *Completion) Lines(s *theme.Styles, width, room int) []string {
	room = min(room, maxOfferedRows)
	if !c.Active() || room < 1 {
		return nil
	}
	n := min(len(c.hits), room)
	c.first = max(0, min(c.first, len(c.hits)-n))
	if c.at >= 0 {
		c.first = max(min(c.first, c.at), c.at-n+1)
	}
	c.tall = min(max(c.tall, n), room)
	out := make([]string, c.tall-n, c.tall)
	column := 0 // where the second column starts; 0 to align details to the right
	if c.trigger.Kind == Command {
		for _, h := range c.hits {
			column = max(column, cells.Width(h.Text)+4)
		}
	}
	for i := c.first; i < c.first+n; i++ {
		out = append(out, c.row(s, c.hits[i], i == c.at, column, width))
	}
	return out
}

func (c *Completion) row(s *theme.Styles, h Hit, chosen bool, column, width int) string {
	mark := "  "
	if chosen {
		mark = s.AccentBold.Render("▸") + " "
	}
	room := width - 2
	detail := terminal.Line(h.Detail)
	if h.Size >= 0 {
		detail = phrase.Bytes(h.Size)
	}
	if column > 0 {
		text := c.name(s, h, chosen, "/", column)
		left := max(room-column, 0)
		return mark + cells.Pad(text, column) + s.Muted.Render(cells.Truncate(detail, left, "…"))
	}
	const least = 9 // minimum width of the details; the name is cut if necessary
	if right := cells.Width(detail); right > least {
		left := room - cells.Width(terminal.Line(h.Text)) - 2
		detail = cells.Truncate(detail, max(min(left, right), least), "…")
	}
	name := room
	if right := cells.Width(detail); right > 0 {
		name = room - right - 2
	}
	sign := ""
	if c.trigger.Kind == Tag {
		sign = "#"
	}
	return phrase.Spread(mark+c.name(s, h, chosen, sign, name), s.Muted.Render(detail), width)
}

// name draws a name with muted folders and highlighted typed letters. A long name is cut at the start.
func (c *Completion) name(s *theme.Styles, h Hit, chosen bool, sign string, room int) string {
	plain := s.Text
	if chosen {
		plain = s.Bold
	}
	text, at, folders := terminal.Line(Composed(h.Text)), h.At, ""
	if slash := strings.LastIndexByte(strings.TrimSuffix(text, "/"), '/') + 1; c.trigger.Kind != Tag && c.trigger.Kind != Heading {
		n := utf8.RuneCountInString(text[:slash])
		typed := slices.IndexFunc(at, func(i int) bool { return i >= n }) // the first in the name
		if typed < 0 {
			typed = len(at)
		}
		folders, text = lipgloss.StyleRunes(text[:slash], at[:typed], s.AccentBold, s.Muted), text[slash:]
		at = slices.Clone(at[typed:])
		for i := range at {
			at[i] -= n
		}
	}
	name := folders + lipgloss.StyleRunes(text, at, s.AccentBold, plain)
	if over := cells.Width(sign+name) - room; over > 0 {
		name = cells.TruncateLeft(name, over+1, s.Muted.Render("…"))
	}
	return s.Muted.Render(sign) + name
}
