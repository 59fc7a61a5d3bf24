package chat

import (
	"chatvault/internal/terminal"
)

// Message is what the agent says in the middle of its work, or asks.
type Message struct {
	citing   // above: 1 while it waits for an answer, for who asks
	text     string
	question bool
	from     []string // what was drawn last was made of
	options  options
	dated
	card
}

// NewMessage makes an item of an agent message; a question stands out.
func NewMessage(env *Env, text string, question bool) *Message {
	m := &Message{card: card{env: env}, citing: citing{document: document{env: env}, beside: Indent}, text: text, question: question}
	if question {
		m.above = 1
	}
	m.append(terminal.Text(text))
	m.finish()
	return m
}

// Again is the message once more, as new.
func (m *Message) Again() *Message { return NewMessage(m.env, m.text, m.question) }

// Answer says that the question was answered: it stands out no longer.
func (m *Message) Answer() { m.above, m.valid = 0, false }

// Reopen says that the question was not answered after all.
func (m *Message) Reopen() { m.above, m.valid = 1, false }

// Asks says whether it is this question; none is where m is nil.
func (m *Message) Asks(text string) bool {
	return m != nil && m.question && string(m.source) == terminal.Text(text)
}

// Lines draws the message.
func (m *Message) Lines(width int) []string {
	lines := m.draw(textWidth(width), "")
	if !same(m.from, lines) {
		m.from = lines
		m.touch()
	}
	return m.get(width, func(width int) []string { return m.whole(lines, width) })
}

// whole is the message with its marker and options.
func (m *Message) whole(lines []string, width int) []string {
	s := m.env.Styles
	lines = m.options.lines(s, lines, textWidth(width), m.above > 0)
	switch {
	case m.above > 0:
		bar := s.Warn.Render("┃") + " "
		head := s.WarnBold.Render("?") + " " + s.WarnBold.Render("The agent asks")
		return append([]string{head}, marked(bar, bar, lines)...)
	case m.question:
		return marked(s.Muted.Render("?")+" ", "  ", lines)
	}
	return marked(s.Accent.Render("◆")+" ", s.Accent.Render("│")+" ", lines)
}

// Asked is the message as it came.
func (m *Message) Asked() string { return m.text }
