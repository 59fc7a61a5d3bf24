package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/list"
)

// pick is the choice among a question's options. While the composer is empty, arrows move the mark and Enter sends
// the marked option. A typed number marks its option; any other text is a free answer.
type pick struct {
	options []string
	at      int
	sent    bool // an answer was sent
	dialog.Settling
}

// questions shows the agent's question, one at a time.
type questions struct {
	*shared
	question *chat.Message // the open question, or nil
	pick     *pick         // its options, or nil
}

// follow shows the session's open question and closes the previous one.
func (q *questions) follow() {
	is := q.state.Question
	if q.question != nil && (!is.Asked || !q.question.Asks(is.Text)) {
		q.close()
	}
	if !is.Asked || q.question != nil {
		return
	}
	q.list.Each(func(it list.Item) {
		if m, ok := it.(*chat.Message); ok && m.Asks(is.Text) {
			q.question = m
		}
	})
	if q.question == nil {
		return
	}
	q.question.Open = true
	if len(is.Options) > 0 {
		q.question.Offer(is.Options)
		q.pick = &pick{options: is.Options, at: q.question.Mark, Settling: dialog.Settles(q.now())}
	}
}

// close marks the question as answered.
func (q *questions) close() {
	if q.question != nil {
		q.question.Open = false
	}
	q.question, q.pick = nil, nil
}

// repeat shows the open question again at the end of the transcript after a turn that did not answer it.
func (q *questions) repeat() {
	item, was := q.question.Again(), q.pick
	q.close()
	q.appendItem(item)
	if q.follow(); was != nil && q.pick != nil {
		q.mark(was.at)
		q.pick.sent = was.sent
	}
}

// picking reports whether an option can be picked.
func (q *questions) picking() bool { return q.pick != nil && !q.pick.sent && q.editing == nil }

// mark moves the mark by n options and scrolls to it.
func (q *questions) mark(n int) {
	p := q.pick
	p.at = (p.at + n + len(p.options)) % len(p.options)
	q.question.Mark = p.at
	if n == 0 || q.lay.Width == 0 {
		return
	}
	q.list.End()
	if below := q.question.BelowMark(q.lay.Width); below >= q.lay.Transcript {
		q.list.ScrollUp(below - q.lay.Transcript + 1)
	}
}

// pickKey handles a key while options are offered and the composer is empty.
func (q *questions) pickKey(k tea.KeyPressMsg) bool {
	n := map[string]int{"up": -1, "down": 1}[keys.Name(k)]
	if n == 0 || !q.picking() {
		return false
	}
	if !q.pick.Early(q.now()) {
		q.mark(n)
	}
	return true
}

// markTyped marks the option whose number is written.
func (q *questions) markTyped() { q.markNumber(q.composer.Value()) }

// markNumber marks the option with a typed number, if there is one.
func (q *questions) markNumber(number string) (marked bool) {
	if !q.picking() {
		return false
	}
	q.pick.Early(q.now())
	n, marked := q.pick.number(number)
	if marked {
		q.mark(n - q.pick.at)
	}
	return marked
}

// number returns the index of the option with the given number or text. If both exist, the number takes precedence.
func (p *pick) number(text string) (int, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(p.options) && text[0] != '+' {
		return n - 1, true
	}
	i := slices.Index(p.options, text)
	return i, i >= 0
}

// words returns the text to send for an option: its text or, if that is the number of another option, its own number.
func (p *pick) words(n int) string {
	if i, ok := p.number(p.options[n]); ok && i != n {
		return strconv.Itoa(n + 1)
	}
	return p.options[n]
}

// optionText returns the text to send for a typed text: that of the option with this number, or the text itself.
func (q *questions) optionText(text string) (answer string, picked bool) {
	if q.picking() {
		if n, ok := q.pick.number(text); ok {
			return q.pick.words(n), true
		}
	}
	return text, false
}

// sendMarked sends the marked option, if any. A running turn is about something else, so the answer starts a turn of
// its own.
func (m *Model) sendMarked() tea.Cmd {
	if !m.picking() || m.pick.Early(m.now()) {
		return nil
	}
	text := m.pick.words(m.pick.at)
	keep := m.remember(text)
	return tea.Batch(keep, m.submit(event.Inbound{Text: text, Hold: m.state.Turn.Running}))
}
