package chat

import (
	"chatvault/internal/session/cite"
	"chatvault/internal/terminal"
)

// Message is what the agent says in the middle of its work, or asks.
type Message struct {
	document
	text     string
	question bool
	answered bool
	whole    []string // with marker
	from     []string // what whole was made of
	options  options
	dated
}

// NewMessage makes an item of an agent message; a question stands out.
func NewMessage(env *Env, text string, question bool) *Message {
	m := &Message{document: document{env: env}, text: text, question: question}
	m.append(terminal.Text(text))
	m.finish()
	return m
}

// Again is the message once more, as new.
func (m *Message) Again() *Message { return NewMessage(m.env, m.text, m.question) }

// Answer says that the question was answered: it stands out no longer.
func (m *Message) Answer() {
	if m.question && !m.answered {
		m.answered = true
		m.from = nil
	}
}

// Asks says whether it is this question; none is where m is nil.
func (m *Message) Asks(text string) bool {
	return m != nil && m.question && string(m.source) == terminal.Text(text)
}

// Citations are those of the message.
func (m *Message) Citations(width int) []cite.Citation {
	m.Lines(width)
	return m.citations()
}

// Row is the line in which a citation begins.
func (m *Message) Row(width, number int) int {
	m.Lines(width)
	if m.question && !m.answered {
		return m.row(number) + 1 // below its head
	}
	return m.row(number)
}

// Lines draws the message.
func (m *Message) Lines(width int) []string {
	lines := m.draw(textWidth(width), "")
	if len(lines) == 0 || len(m.from) == len(lines) && &m.from[0] == &lines[0] {
		return m.whole
	}
	s := m.env.Styles
	m.from = lines
	lines = m.options.lines(s, lines, textWidth(width), m.question && !m.answered)
	switch {
	case m.question && !m.answered:
		bar := s.Warn.Render("┃") + " "
		head := s.WarnBold.Render("?") + " " + s.WarnBold.Render("The agent asks")
		m.whole = append([]string{head}, marked(bar, bar, lines)...)
		for i, l := range m.whole {
			if l == "" {
				m.whole[i] = bar
			}
		}
	case m.question:
		m.whole = marked(s.Muted.Render("?")+" ", "  ", lines)
	default:
		bar := s.Accent.Render("│") + " "
		m.whole = marked(s.Accent.Render("◆")+" ", bar, lines)
		for i, l := range m.whole {
			if l == "" {
				m.whole[i] = bar
			}
		}
	}
	m.whole = clip(m.whole, width)
	return m.whole
}

// Asked is the message as it came.
func (m *Message) Asked() string { return m.text }
