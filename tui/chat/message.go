package chat

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/internal/base/terminal"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Message is a message or a question that the agent sent during its turn.
type Message struct {
	citing   // above is 1, for the heading, while the question is open
	text     string
	question bool
	options  options
	dated
}

// NewMessage returns an item for an agent message; an open question is highlighted.
func NewMessage(env *Env, text string, question bool) *Message {
	m := &Message{citing: newCiting(env, ""), text: text, question: question}
	if question {
		m.above = 1
	}
	m.append(terminal.Text(text))
	m.finish()
	return m
}

// Again returns a fresh copy of the message.
func (m *Message) Again() *Message { return NewMessage(m.env, m.text, m.question) }

// Answer marks the question as answered and removes the highlighting.
func (m *Message) Answer() { m.above, m.valid = 0, false }

// Reopen marks the question as open again.
func (m *Message) Reopen() { m.above, m.valid = 1, false }

// Asks reports whether m is the question with the given text; m may be nil.
func (m *Message) Asks(text string) bool {
	return m != nil && m.question && string(m.source) == terminal.Text(text)
}

// Lines implements list.Item.
func (m *Message) Lines(width int) []string {
	lines := m.draw(textWidth(width), "")
	return m.get(width, func(width int) []string { return m.whole(lines, width) })
}

// whole returns the message with its marker and options.
func (m *Message) whole(lines []string, width int) []string {
	s, open := m.env.Styles, m.above > 0
	lines = slices.Clone(lines)
	if len(m.options.list) > 0 {
		lines = append(lines, "")
		limit := 0
		if open && m.options.room > 0 {
			limit = max(m.options.room-m.above-len(lines), 1)
		}
		lines = append(lines, m.options.lines(s, textWidth(width), limit, open)...)
	}
	switch {
	case open:
		bar := s.Warn.Render("┃") + " "
		head := s.WarnBold.Render("?") + " " + s.WarnBold.Render("The agent asks")
		return append([]string{head}, marked(bar, bar, lines)...)
	case m.question:
		return marked(s.Muted.Render("?")+" ", "  ", lines)
	}
	return marked(s.Accent.Render("◆")+" ", s.Accent.Render("│")+" ", lines)
}

// Asked returns the text as received.
func (m *Message) Asked() string { return m.text }

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
