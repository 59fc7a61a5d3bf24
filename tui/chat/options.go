package chat

import (
	"fmt"
	"strings"

	"chatvault/internal/terminal"
	"chatvault/internal/text"
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

// lines draws the options, the marked one highlighted if open is set. If they exceed a limit, 0 for none, those around
// the marked one are drawn.
func (o *options) lines(s *theme.Styles, width, limit int, open bool) []string {
	var out []string
	from, to := 0, 0 // lines of the marked option
	digits := len(fmt.Sprint(len(o.list)))
	for i, option := range o.list {
		lead, style := "  ", ""
		if i == o.at {
			from = len(out)
			if open {
				lead, style = s.Accent.Render("›")+" ", theme.Open(s.Bold)
			}
		}
		number := fmt.Sprintf("%*d. ", digits, i+1)
		rows := markdown.Wrap(option, style, max(width-2-len(number), 1))
		out = append(out, marked(lead+s.Muted.Render(number), strings.Repeat(" ", 2+len(number)), rows)...)
		if i == o.at {
			to = len(out)
		}
	}
	if limit > to-from+1 && limit < len(out) {
		at := min(max(from-(limit-to+from)/2, 0), len(out)-limit)
		above, below := at > 0, at+limit < len(out)
		out, from = out[at:at+limit], from-at
		if above {
			out[0] = s.Muted.Render("  ↑ more")
		}
		if below {
			out[limit-1] = s.Muted.Render("  ↓ more")
		}
	}
	o.below = len(out) - 1 - from
	return clip(out, width)
}

// Offer is a list of unfinished messages and the actions for the marked one. It takes no space when empty.
type Offer struct {
	options options
	entered bool
	dated
	card
}

// NewOffer returns an empty offer.
func NewOffer(env *Env) *Offer { return &Offer{card: card{env: env}} }

// Set lists messages with their states and marks one. entered reports whether the list has the focus, so that letter
// keys act.
func (o *Offer) Set(list []string, at int, entered bool) {
	o.entered = entered
	o.options = options{list: make([]string, len(list)), at: at}
	for i, t := range list {
		o.options.list[i] = text.OneLine(terminal.Line(t))
	}
	o.touch()
}

// Open reports whether any message is offered.
func (o *Offer) Open() bool { return o != nil && len(o.options.list) > 0 }

// Lines implements list.Item.
func (o *Offer) Lines(width int) []string {
	n := len(o.options.list)
	if n == 0 {
		return nil
	}
	return o.paint(width, func(p *page) string {
		head, keys := text.Count(n, "message")+" not finished:", "Enter runs it · Tab to edit or drop it"
		if o.entered {
			keys = "Enter runs it · e edits it · d drops it"
		}
		if n > 1 {
			keys = "↑ ↓ choose · " + keys
		}
		p.text(p.WarnBold, head)
		p.lines = append(append(p.lines, ""), o.options.lines(p.Styles, p.room, 0, true)...)
		p.lines = append(p.lines, "")
		p.text(p.Muted, keys)
		return p.Warn.Render("↻")
	})
}
