package tui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
)

// pick is the choice among a question's options. While nothing is written the arrows move a mark
// over them and Enter sends the marked one; a number alone marks one, too; any other text is an
// answer in other words.
type pick struct {
	options []string
	at      int
	sent    bool // an answer is on its way
	settling
}

// openQuestion is the question that waits for an answer.
type openQuestion struct {
	question *chat.Message // nil: none does
	pick     *pick         // its options
	askedAt  time.Time     // when it was asked
}

// ask makes an item the question that waits for an answer, with its options, if it has any.
func (m *Model) ask(item *chat.Message, options []string, at time.Time) {
	m.question, m.pick, m.askedAt = item, nil, at
	if len(options) == 0 {
		return
	}
	item.Offer(options)
	m.pick = &pick{options: options, settling: settling{m.now().Add(dialog.Settle)}}
	m.mark(0)
}

// closeQuestion says that the question, if one waits, was answered.
func (q *openQuestion) closeQuestion() {
	if q.question != nil {
		q.question.Answer()
	}
	q.question, q.pick = nil, nil
}

// answering says whether a turn of these messages answers the question that waits, if one does:
// what was sent before it was shown does not.
func (m *Model) answering(ids []string) bool {
	return len(ids) == 0 || slices.ContainsFunc(ids, func(id string) bool {
		in, known := m.received[id]
		return !known || !in.Time.Before(m.askedAt)
	})
}

// repeatQuestion is after a turn that was not about the question that waits: it is shown again,
// where it can be seen.
func (m *Model) repeatQuestion() {
	if m.question == nil || m.question != m.turn.answers.question {
		return
	}
	m.question.Answer()
	item, was := m.question.Again(), m.pick
	m.say(item)
	if was == nil {
		m.ask(item, nil, m.askedAt)
		return
	}
	m.ask(item, was.options, m.askedAt)
	m.mark(was.at)
	m.pick.sent = was.sent
}

// reopenQuestion is after a turn that answered nothing, and asked nothing that lasts: the question it
// was to answer waits again.
func (m *Model) reopenQuestion(was openQuestion) {
	m.closeQuestion()
	if was.question == nil {
		return
	}
	was.question.Reopen()
	m.openQuestion = was
	if m.pick != nil {
		m.pick.sent, m.pick.from = false, m.now().Add(dialog.Settle)
	}
}

// picking says that options can be picked from.
func (m *Model) picking() bool { return m.pick != nil && !m.pick.sent && m.editing == nil }

// mark moves the mark by n options, and brings it into sight.
func (m *Model) mark(n int) {
	p := m.pick
	p.at = (p.at + n + len(p.options)) % len(p.options)
	m.question.Mark(p.at)
	if n == 0 || m.lay.Width == 0 {
		return
	}
	m.list.End()
	if below := m.question.BelowMark(m.lay.Width); below >= m.lay.Transcript {
		m.list.ScrollUp(below - m.lay.Transcript + 1)
	}
}

// settling is from when on keys are taken: before, they were meant for something else.
type settling struct{ from time.Time }

// early says that a key was pressed before the keys fell quiet after what it would decide about appeared: the quiet
// has to begin anew.
func (s *settling) early(now time.Time) bool {
	if !now.Before(s.from) {
		return false
	}
	s.from = now.Add(dialog.Settle)
	return true
}

// arrow is by how much a key moves a mark; 0: it moves none.
func arrow(k tea.KeyPressMsg) int {
	switch keys.Name(k) {
	case "up":
		return -1
	case "down":
		return 1
	}
	return 0
}

// pickKey handles a key while options wait and nothing is written.
func (m *Model) pickKey(k tea.KeyPressMsg) bool {
	n := arrow(k)
	if n == 0 || !m.picking() {
		return false
	}
	if !m.pick.early(m.now()) {
		m.mark(n)
	}
	return true
}

// markTyped marks the option whose number is written.
func (m *Model) markTyped() {
	if !m.picking() {
		return
	}
	m.pick.early(m.now())
	if n, ok := m.pick.number(m.composer.Value()); ok {
		m.mark(n - m.pick.at)
	}
}

// number is the place of the option whose number text is, or its text, from 0. Where it is the
// number of one and the text of another, it is the number, as it is shown.
func (p *pick) number(text string) (int, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(p.options) && text[0] != '+' {
		return n - 1, true
	}
	i := slices.Index(p.options, text)
	return i, i >= 0
}

// words are what is sent to pick the option at n: its text, or where that is the number of another
// option, its own number.
func (p *pick) words(n int) string {
	if i, ok := p.number(p.options[n]); ok && i != n {
		return strconv.Itoa(n + 1)
	}
	return p.options[n]
}

// spelled is the text to send for what was written: the option whose number it is, else itself.
func (m *Model) spelled(text string) (spelled string, picked bool) {
	if m.picking() {
		if n, ok := m.pick.number(text); ok {
			return m.pick.words(n), true
		}
	}
	return text, false
}

// sendMarked sends the marked option; nothing where none waits. A turn that runs is about
// something else: the answer begins one of its own.
func (m *Model) sendMarked() tea.Cmd {
	if !m.picking() || m.pick.early(m.now()) {
		return nil
	}
	text := m.pick.words(m.pick.at)
	keep := m.remember(text)
	return tea.Batch(keep, m.submit(event.Inbound{Text: text, Hold: m.state.Turn.Running}))
}
