package complete

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
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
			column = max(column, ansi.StringWidth(h.Text)+4)
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
		return mark + text + strings.Repeat(" ", max(column-ansi.StringWidth(text), 0)) + s.Muted.Render(ansi.Truncate(detail, left, "…"))
	}
	const least = 9 // minimum width of the details; the name is cut if necessary
	if right := ansi.StringWidth(detail); right > least {
		left := room - ansi.StringWidth(terminal.Line(h.Text)) - 2
		detail = ansi.Truncate(detail, max(min(left, right), least), "…")
	}
	name := room
	if right := ansi.StringWidth(detail); right > 0 {
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
	text := []rune(Composed(h.Text))
	folders := 0 // runes of the folders
	if c.trigger.Kind != Tag && c.trigger.Kind != Heading {
		for i, r := range text[:max(len(text)-1, 0)] {
			if r == '/' {
				folders = i + 1
			}
		}
	}
	var b strings.Builder
	styles := [...]lipgloss.Style{plain, s.Muted, s.AccentBold, s.AccentBold}
	kind := func(i int) (k int) { // 1: in a folder's name, 2: typed
		if i < folders {
			k = 1
		}
		if slices.Contains(h.At, i) {
			k += 2
		}
		return k
	}
	for i := 0; i < len(text); {
		end := i + 1
		for end < len(text) && kind(end) == kind(i) {
			end++
		}
		b.WriteString(styles[kind(i)].Render(terminal.Line(string(text[i:end]))))
		i = end
	}
	name := b.String()
	if over := ansi.StringWidth(sign+name) - room; over > 0 {
		name = ansi.TruncateLeft(name, over+1, s.Muted.Render("…"))
	}
	return s.Muted.Render(sign) + name
}
