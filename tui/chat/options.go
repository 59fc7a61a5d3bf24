package chat

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// options are what a question offers to pick from.
type options struct {
	list  []string
	at    int // the marked one
	below int // lines of the item below the marked one's first, as drawn last
	room  int // lines there are for the item; 0: as many as it takes
}

// Offer shows options with a question, as a numbered list.
func (m *Message) Offer(list []string) {
	m.options.list = make([]string, len(list))
	for i, o := range list {
		m.options.list[i] = terminal.Line(o)
	}
	m.touch()
}

// Mark marks an option, from 0.
func (m *Message) Mark(at int) { m.options.at, m.valid = at, false }

// Room says how many lines there are for the item: of options that do not fit below the question, those
// around the marked one are shown.
func (m *Message) Room(lines int) {
	if m.options.room != lines {
		m.options.room, m.valid = lines, false
	}
}

// BelowMark is how many lines of the item are below the first of the marked option.
func (m *Message) BelowMark(width int) int {
	m.Lines(width)
	return m.options.below
}

// lines draws the options below text; without any it is text.
func (o *options) lines(s *theme.Styles, text []string, width int, open bool) []string {
	if len(o.list) == 0 {
		return text
	}
	out := append(append([]string{}, text...), "")
	marked := 0
	digits := len(fmt.Sprint(len(o.list)))
	from, to := 0, len(o.list)
	if open && o.room > 0 {
		from, to = o.window(o.room-1-len(out), max(width-2-digits-2, 1)) // 1: who asks
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

// window says which options, the marked one among them, fit into so many lines; all where they do, or
// where not even that one does. What stands below the last of them takes a line.
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

// Offer is a list of messages that were not finished, with what can be done with the marked one. It is
// gone when none is left.
type Offer struct {
	options options
	entered bool
	dated
	card
}

// NewOffer makes an offer of nothing.
func NewOffer(env *Env) *Offer { return &Offer{card: card{env: env}} }

// Set lists messages, the one at a place marked; each says how it stands. Letters act where the person entered.
func (o *Offer) Set(list []string, at int, entered bool) {
	o.entered = entered
	o.options = options{list: make([]string, len(list)), at: at}
	for i, t := range list {
		o.options.list[i] = text.OneLine(terminal.Line(t))
	}
	o.touch()
}

// Open says that something is offered.
func (o *Offer) Open() bool { return o != nil && len(o.options.list) > 0 }

// Lines draws it.
func (o *Offer) Lines(width int) []string {
	return o.paint(width, func(s *theme.Styles, room int) []string {
		n := len(o.options.list)
		if n == 0 {
			return nil
		}
		head, keys, letters := "One message was not finished:", "Enter runs it · ", "Tab to edit or drop it"
		if o.entered {
			letters = "e edits it · d drops it"
		}
		if n > 1 {
			head, keys = text.Count(n, "message")+" were not finished:", "↑ ↓ choose · Enter runs it · "
		}
		keys += letters
		lines := o.options.lines(s, markdown.Wrap(head, theme.Open(s.WarnBold), room), room, true)
		lines = append(append(lines, ""), markdown.Wrap(keys, theme.Open(s.Muted), room)...)
		return marked(s.Warn.Render("↻")+" ", "  ", lines)
	})
}
