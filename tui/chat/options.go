package chat

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// options are the choices offered with a question.
type options struct {
	list  []string
	at    int // index of the marked option
	below int // lines of the item below the start of the marked option, as last drawn
	room  int // lines available for the item; 0 for no limit
}

// Offer shows a question's options as a numbered list.
func (m *Message) Offer(list []string) {
	m.options.list = make([]string, len(list))
	for i, o := range list {
		m.options.list[i] = terminal.Line(o)
	}
	m.touch()
}

// Mark marks the option with the given index.
func (m *Message) Mark(at int) { m.options.at, m.valid = at, false }

// Room sets the number of lines available for the item. If not all options fit, those around the marked one are
// shown.
func (m *Message) Room(lines int) {
	if m.options.room != lines {
		m.options.room, m.valid = lines, false
	}
}

// BelowMark returns the number of lines of the item below the start of the marked option.
func (m *Message) BelowMark(width int) int {
	m.Lines(width)
	return m.options.below
}

// lines returns text followed by the options.
func (o *options) lines(s *theme.Styles, text []string, width int, open bool) []string {
	if len(o.list) == 0 {
		return text
	}
	out := append(append([]string{}, text...), "")
	marked := 0
	digits := len(fmt.Sprint(len(o.list)))
	from, to := 0, len(o.list)
	if open && o.room > 0 {
		from, to = o.window(o.room-1-len(out), max(width-2-digits-2, 1)) // 1 for the heading
	}
	if from > 0 {
		out[len(text)] = s.Muted.Render(fmt.Sprintf("  ↑ %d more", from))
	}
	for i := from; i < to; i++ {
		option := o.list[i]
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
	if n := len(o.list) - to; n > 0 {
		out = append(out, s.Muted.Render(fmt.Sprintf("  ↓ %d more", n)))
	}
	for i := len(text); i < len(out); i++ {
		out[i] = ansi.Truncate(out[i], width, "")
	}
	o.below = len(out) - 1 - marked
	return out
}

// window returns the range of options around the marked one that fits the given lines. It returns all if they fit or
// if not even the marked one does. The hint below them takes a line.
func (o *options) window(lines, width int) (from, to int) {
	size := make([]int, len(o.list))
	all := 0
	for i, option := range o.list {
		size[i] = len(markdown.Wrap(option, "", width))
		all += size[i]
	}
	if all <= lines {
		return 0, len(o.list)
	}
	left := lines - 1 - size[o.at]
	if left < 0 {
		return 0, len(o.list)
	}
	from, to = o.at, o.at+1
	for grew := true; grew; {
		grew = false
		if to < len(o.list) && size[to] <= left {
			left, to, grew = left-size[to], to+1, true
		}
		if from > 0 && size[from-1] <= left {
			from--
			left, grew = left-size[from], true
		}
	}
	return from, to
}
