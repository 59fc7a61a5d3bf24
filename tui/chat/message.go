package chat

import (
	"slices"

	"chatvault/internal/terminal"
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
