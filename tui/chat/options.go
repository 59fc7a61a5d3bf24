package chat

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"chatvault/tui/markdown"
	"chatvault/tui/safe"
	"chatvault/tui/theme"
)

// options are what a question offers to pick from.
type options struct {
	list  []string
	at    int // the marked one
	below int // lines of the item below the marked one's first, as drawn last
}

// Offer shows options with a question, as a numbered list.
func (m *Message) Offer(list []string) {
	m.options.list = make([]string, len(list))
	for i, o := range list {
		m.options.list[i] = safe.Line(o)
	}
	m.from = nil
}

// Mark marks an option, from 0.
func (m *Message) Mark(at int) { m.options.at, m.from = at, nil }

// BelowMark is how many lines of the item are below the first of the marked option.
func (m *Message) BelowMark(width int) int {
	m.Lines(width)
	return m.options.below
}

// Reopen says that the question was not answered after all.
func (m *Message) Reopen() { m.answered, m.from = false, nil }

// lines draws the options below text; without any it is text.
func (o *options) lines(s *theme.Styles, text []string, width int, open bool) []string {
	if len(o.list) == 0 {
		return text
	}
	out := append(append([]string{}, text...), "")
	marked := 0
	digits := len(fmt.Sprint(len(o.list)))
	for i, option := range o.list {
		lead, style := "  ", ""
		if open && i == o.at {
			lead, style, marked = s.Accent.Render("›")+" ", theme.Open(s.Bold), len(out)
		}
		number := fmt.Sprintf("%*d. ", digits, i+1)
		rows := markdown.Wrap(option, style, max(width-2-len(number), 1))
		for j, row := range rows {
			if j == 0 {
				out = append(out, lead+s.Muted.Render(number)+row)
				continue
			}
			out = append(out, fmt.Sprintf("%*s", 2+len(number), "")+row)
		}
	}
	for i := len(text); i < len(out); i++ {
		out[i] = ansi.Truncate(out[i], width, "")
	}
	o.below = len(out) - 1 - marked
	return out
}
