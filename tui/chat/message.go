package chat

import (
	"chatvault/internal/terminal"
)

// Message is what the agent says in the middle of its work, or asks.
type Message struct {
	citing   // above: 1 while it waits for an answer, for who asks
	text     string
	question bool
	whole    []string // with marker
	from     []string // what whole was made of
	options  options
	dated
}

// NewMessage makes an item of an agent message; a question stands out.
func NewMessage(env *Env, text string, question bool) *Message {
	m := &Message{citing: citing{document: document{env: env}, beside: Indent}, text: text, question: question}
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
func (m *Message) Answer() { m.above, m.from = 0, nil }

// Reopen says that the question was not answered after all.
func (m *Message) Reopen() { m.above, m.from = 1, nil }

// Asks says whether it is this question; none is where m is nil.
func (m *Message) Asks(text string) bool {
	return m != nil && m.question && string(m.source) == terminal.Text(text)
}

// Lines draws the message.
func (m *Message) Lines(width int) []string {
	lines := m.draw(textWidth(width), "")
	if len(lines) == 0 || len(m.from) == len(lines) && &m.from[0] == &lines[0] {
		return m.whole
	}
	s := m.env.Styles
	m.from = lines
	lines = m.options.lines(s, lines, textWidth(width), m.above > 0)
	switch {
	case m.above > 0:
		bar := s.Warn.Render("┃") + " "
		head := s.WarnBold.Render("?") + " " + s.WarnBold.Render("The agent asks")
		m.whole = append([]string{head}, marked(bar, bar, lines)...)
	case m.question:
		m.whole = marked(s.Muted.Render("?")+" ", "  ", lines)
	default:
		bar := s.Accent.Render("│") + " "
		m.whole = marked(s.Accent.Render("◆")+" ", bar, lines)
	}
	m.whole = clip(m.whole, width)
	return m.whole
}

// Asked is the message as it came.
func (m *Message) Asked() string { return m.text }
