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
	"chatvault/tui/list"
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

// questions asks what the agent wants to know, one at a time.
type questions struct {
	*shared
	question *chat.Message // that waits for an answer; nil: none does
	pick     *pick         // its options
	answered *chat.Message // the one before
	marked   int           // its option
}

// follow asks the question that the session waits with, and closes one that it waits with no longer.
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
	q.question.Reopen()
	if len(is.Options) > 0 {
		q.question.Offer(is.Options)
		q.pick = &pick{options: is.Options, settling: settling{q.now().Add(dialog.Settle)}}
		if q.question == q.answered {
			q.pick.at = q.marked
		}
		q.mark(0)
	}
}

// close shows the question, if one waits, as answered.
func (q *questions) close() {
	if q.question != nil {
		q.question.Answer()
		q.answered = q.question
	}
	if q.pick != nil {
		q.marked = q.pick.at
	}
	q.question, q.pick = nil, nil
}

// repeat is after a turn that was not about the question that waits: it is shown again, where it
// can be seen.
func (q *questions) repeat() {
	item, was := q.question.Again(), q.pick
	q.close()
	q.say(item)
	if q.follow(); was != nil && q.pick != nil {
		q.mark(was.at)
		q.pick.sent = was.sent
	}
}

// picking says that options can be picked from.
func (q *questions) picking() bool { return q.pick != nil && !q.pick.sent && q.editing == nil }

// mark moves the mark by n options, and brings it into sight.
func (q *questions) mark(n int) {
	p := q.pick
	p.at = (p.at + n + len(p.options)) % len(p.options)
	q.question.Mark(p.at)
	if n == 0 || q.lay.Width == 0 {
		return
	}
	q.list.End()
	if below := q.question.BelowMark(q.lay.Width); below >= q.lay.Transcript {
		q.list.ScrollUp(below - q.lay.Transcript + 1)
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
func (q *questions) pickKey(k tea.KeyPressMsg) bool {
	n := arrow(k)
	if n == 0 || !q.picking() {
		return false
	}
	if !q.pick.early(q.now()) {
		q.mark(n)
	}
	return true
}

// markTyped marks the option whose number is written.
func (q *questions) markTyped() {
	if !q.picking() {
		return
	}
	q.pick.early(q.now())
	if n, ok := q.pick.number(q.composer.Value()); ok {
		q.mark(n - q.pick.at)
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
func (q *questions) spelled(text string) (spelled string, picked bool) {
	if q.picking() {
		if n, ok := q.pick.number(text); ok {
			return q.pick.words(n), true
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
