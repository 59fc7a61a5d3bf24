package chat

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/internal/base/terminal"
	"chatvault/internal/base/text"
	"chatvault/tui/markdown"
	"chatvault/tui/theme"
)

// Message is a message or a question that the agent sent during its turn.
type Message struct {
	citing // above is 1, for the heading, while the question is open
	Asking
	text     string
	question bool
	options  []string // offered with a question
	below    int      // lines of the item below the start of the marked option, as last drawn
}

// Asking is the state of a question.
type Asking struct {
	Open bool // waits for its answer, and is highlighted
	Mark int  // index of the marked option
	Room int  // lines available for the item, where options around the marked one are shown; 0 for no limit
}

// NewMessage returns an item for an agent message; a question is open.
func NewMessage(env *Env, text string, question bool) *Message {
	m := &Message{citing: newCiting(env, ""), text: text, question: question, Asking: Asking{Open: question}}
	m.append(terminal.Text(text))
	m.finish()
	return m
}

// Again returns a fresh copy of the message.
func (m *Message) Again() *Message { return NewMessage(m.env, m.text, m.question) }

// Asks reports whether m is the question with the given text; m may be nil.
func (m *Message) Asks(text string) bool {
	return m != nil && m.question && string(m.source) == terminal.Text(text)
}

// Lines implements list.Item.
func (m *Message) Lines(width int) []string {
	m.above = map[bool]int{true: 1}[m.Open]
	lines := m.draw(textWidth(width), "")
	return m.get(width, m.Asking, func(width int) []string { return m.whole(lines, width) })
}

// whole returns the message with its marker and options.
func (m *Message) whole(lines []string, width int) []string {
	s := m.env.Styles
	lines = slices.Clone(lines)
	if len(m.options) > 0 {
		lines = append(lines, "")
		limit := 0
		if m.Open && m.Room > 0 {
			limit = max(m.Room-m.above-len(lines), 1)
		}
		lines = append(lines, m.drawOptions(textWidth(width), limit)...)
	}
	switch {
	case m.Open:
		bar := s.Warn.Render("┃") + " "
		head := s.WarnBold.Render("?") + " " + s.WarnBold.Render("The agent asks")
		return append([]string{head}, marked(bar, bar, lines)...)
	case m.question:
		return marked(s.Muted.Render("?")+" ", "  ", lines)
	}
	return marked(s.Accent.Render("◆")+" ", s.Accent.Render("│")+" ", lines)
}

// Offer shows a question's options as a numbered list.
func (m *Message) Offer(list []string) {
	m.options = text.Of(list, terminal.Line)
	m.touch()
}

// BelowMark returns the number of lines of the item below the start of the marked option.
func (m *Message) BelowMark(width int) int {
	m.Lines(width)
	return m.below
}

// drawOptions draws the options, the marked one highlighted if the question is open. If they exceed a limit, 0 for none,
// those around the marked one are drawn.
func (m *Message) drawOptions(width, limit int) []string {
	s := m.env.Styles
	var out []string
	from, to := 0, 0 // lines of the marked option
	digits := len(fmt.Sprint(len(m.options)))
	for i, option := range m.options {
		lead, style := "  ", ""
		if i == m.Mark {
			from = len(out)
			if m.Open {
				lead, style = s.Accent.Render("›")+" ", theme.Open(s.Bold)
			}
		}
		number := fmt.Sprintf("%*d. ", digits, i+1)
		rows := markdown.Wrap(option, style, max(width-2-len(number), 1))
		out = append(out, marked(lead+s.Muted.Render(number), strings.Repeat(" ", 2+len(number)), rows)...)
		if i == m.Mark {
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
	m.below = len(out) - 1 - from
	return clip(out, width)
}

// Assistant is the agent's answer, which may still be streaming.
type Assistant struct {
	citing
	safe terminal.Sanitizer
	raw  []byte // as received
}

// NewAssistant returns an empty answer, which takes no space.
func NewAssistant(env *Env) *Assistant {
	return &Assistant{citing: newCiting(env, "  ")}
}

// Append adds a piece of the streamed text.
func (a *Assistant) Append(piece string) {
	a.raw = append(a.raw, piece...)
	a.append(a.safe.Write(piece))
}

// Finish marks the answer as complete.
func (a *Assistant) Finish() {
	a.append(a.safe.Flush())
	a.finish()
}

// Withdraw removes the text of a failed attempt before the next one.
func (a *Assistant) Withdraw() {
	a.clear()
	a.safe, a.raw = terminal.Sanitizer{}, nil
}

// Empty reports whether no text has been received.
func (a *Assistant) Empty() bool { return a.empty() }

// Source returns the sanitized text.
func (a *Assistant) Source() string { return string(a.source) }

// Lines implements list.Item.
func (a *Assistant) Lines(width int) []string { return a.draw(textWidth(width), a.margin) }
