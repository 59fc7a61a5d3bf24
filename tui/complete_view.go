package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/complete"
	"chatvault/tui/phrase"
	"chatvault/tui/safe"
)

// What says how to go on while something is offered, and while what was sent is searched: the
// longest way first.
var (
	offeredHints = []string{"↑ ↓ choose · Enter takes it · Esc closes this", "↑ ↓ · Enter takes it · Esc closes", "Enter takes it · Esc"}
	writtenHints = []string{"↑ ↓ choose · Enter sends · Esc closes this", "↑ ↓ · Enter sends · Esc closes", "Enter sends · Esc"}
	recallHints  = []string{"Ctrl+R earlier · Enter takes it · Esc back to your text", "Ctrl+R · Enter takes it · Esc back", "Enter takes it · Esc"}
)

// writingHint is how to go on while something is offered, or searched; empty: nothing is.
func (m *Model) writingHint(width int) string {
	hints := offeredHints
	switch {
	case m.composer.Searching() && m.dialogs.Empty():
		hints = recallHints
	case !m.completing(), m.find.Active():
		return ""
	case m.completion.at < 0:
		hints = writtenHints
	}
	mark := ""
	if m.busy() {
		mark = m.styles.Accent.Render(m.env.Spinner()) + " "
		width -= 2
	}
	return mark + m.styles.Muted.Render(phrase.Fitting(hints, width))
}

// inputLines is the composer, with what is offered and what is attached above it.
func (m *Model) inputLines(width int) []string {
	if m.find.Active() {
		return m.find.Lines(width)
	}
	lines := m.composer.Lines()
	above := m.attachedLines(width)
	room := min(maxOfferedRows, m.height-len(lines)-len(above)-3)
	offered := m.offeredLines(width, room)
	if len(above)+len(offered) == 0 {
		return lines
	}
	out := make([]string, 0, len(offered)+len(above)+len(lines))
	return append(append(append(out, offered...), above...), lines...)
}

// offeredLines draws what is offered in at most room rows. While it is open it does not get
// smaller: what is above stays where it is.
func (m *Model) offeredLines(width, room int) []string {
	c := &m.completion
	if !m.completing() || m.find.Active() || room < 1 {
		return nil
	}
	n := min(len(c.hits), room)
	c.first = max(0, min(c.first, len(c.hits)-n))
	if c.at >= 0 {
		c.first = max(min(c.first, c.at), c.at-n+1)
	}
	c.tall = min(max(c.tall, n), room)
	out := make([]string, c.tall-n, c.tall)
	column := 0 // where the second column begins; 0: details stand at the right
	if c.trigger.Kind == complete.Command {
		for _, h := range c.hits {
			column = max(column, ansi.StringWidth(h.Text)+4)
		}
	}
	for i := c.first; i < c.first+n; i++ {
		out = append(out, m.offeredLine(c.hits[i], i == c.at, column, width))
	}
	return out
}

func (m *Model) offeredLine(h complete.Hit, chosen bool, column, width int) string {
	s := m.styles
	mark := "  "
	if chosen {
		mark = s.AccentBold.Render("▸") + " "
	}
	room := width - 2
	detail := safe.Line(h.Detail)
	if h.Size >= 0 {
		detail = phrase.Bytes(h.Size)
	}
	if column > 0 {
		text := m.offeredText(h, chosen, "/", column)
		left := max(room-column, 0)
		return mark + text + strings.Repeat(" ", max(column-ansi.StringWidth(text), 0)) + s.Muted.Render(ansi.Truncate(detail, left, "…"))
	}
	const least = 9 // of what stands beside the name; where there is less room for it, the name is cut
	if right := ansi.StringWidth(detail); right > least {
		left := room - ansi.StringWidth(safe.Line(h.Text)) - 2
		detail = ansi.Truncate(detail, max(min(left, right), least), "…")
	}
	name := room
	if right := ansi.StringWidth(detail); right > 0 {
		name = room - right - 2
	}
	sign := ""
	if m.completion.trigger.Kind == complete.Tag {
		sign = "#"
	}
	return phrase.Spread(mark+m.offeredText(h, chosen, sign, name), s.Muted.Render(detail), width)
}

// offeredText draws a name: its folders quietly, the letters that were typed in the accent. Of one
// that is too long the end stays, where its own name is.
func (m *Model) offeredText(h complete.Hit, chosen bool, sign string, room int) string {
	s := m.styles
	plain := s.Text
	if chosen {
		plain = s.Bold
	}
	text := []rune(complete.Composed(h.Text))
	at := h.At
	room -= len(sign)
	cut := false
	for len(text) > 1 && ansi.StringWidth(safe.Line(string(text))) > room {
		if !cut {
			room--
			cut = true
		}
		over := max(1, (ansi.StringWidth(safe.Line(string(text)))-room)/2)
		over = min(over, len(text)-1)
		text = text[over:]
		var kept []int
		for _, n := range at {
			if n >= over {
				kept = append(kept, n-over)
			}
		}
		at = kept
	}
	folders := 0
	for i, r := range text[:max(len(text)-1, 0)] {
		if r == '/' {
			folders = i + 1
		}
	}
	if m.completion.trigger.Kind == complete.Tag || m.completion.trigger.Kind == complete.Heading {
		folders = 0
	}
	var b strings.Builder
	if sign != "" {
		b.WriteString(s.Muted.Render(sign))
	}
	if cut {
		b.WriteString(s.Muted.Render("…"))
	}
	for i := 0; i < len(text); {
		typed := len(at) > 0 && at[0] == i
		end := i
		for end < len(text) && (len(at) > 0 && at[0] == end) == typed && (end < folders) == (i < folders) {
			if typed {
				at = at[1:]
			}
			end++
		}
		part := safe.Line(string(text[i:end]))
		switch {
		case typed:
			part = s.AccentBold.Render(part)
		case i < folders:
			part = s.Muted.Render(part)
		default:
			part = plain.Render(part)
		}
		b.WriteString(part)
		i = end
	}
	return b.String()
}
