package tui

import (
	"context"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
	"chatvault/tui/status"
)

// A conversation is shown from its end: what comes before is read, a page at a time, when the view
// comes near, and all of it by Home. Nothing that is in sight moves for it.

// paging is a place in the transcript where messages are missing.
type paging struct {
	marker *chat.Earlier
	segment
	gone    []segment // missing above that, the newest last
	reading bool
	failed  bool // it waits for the user to try again
	home    bool // the beginning is to be shown
}

// conversation makes the items of a conversation, and what stands above its first one when all of
// it is there: above, or nothing where that is nil.
func (m *Model) conversation(p session.Page, above list.Item) []list.Item {
	items := m.past(p.Items)
	if p.First != "" {
		m.talk.first, m.talk.by = phrase.First(phrase.Head(p.First, phrase.MaxLine)), nil
	}
	switch {
	case p.Earlier != "" && m.o.Earlier != nil:
		at := &paging{marker: chat.NewEarlier(m.env), segment: segment{before: p.Earlier, above: above}}
		m.pages = append(m.pages, at)
		return slices.Insert(items, 0, list.Item(at.marker))
	case above != nil:
		m.talk.begin = above
		return slices.Insert(items, 0, above)
	}
	return items
}

// reload shows the conversation anew.
func (m *Model) reload(p session.Page) {
	m.closeQuestion()
	m.welcome.Leave()
	m.ended = status.End{}
	var above list.Item
	if m.talk.begin == nil && len(m.pages) > 0 { // it is the one that was there at the start
		above = m.pages[0].above
	}
	old := m.talk.begin
	for _, at := range m.pages {
		if old != nil && at.above == old { // it was let go of, with what is missing below it
			if above, old = at.above, nil; len(at.gone) > 0 {
				at.next()
				at.home, at.failed, old = false, false, at.marker
			}
			break
		}
	}
	m.list.ReplaceAfter(old, m.conversation(p, above)...)
	m.pages = slices.DeleteFunc(m.pages, func(at *paging) bool { return !m.list.Has(at.marker) })
}

// scrolled is after the user moved the view, to the beginning or somewhere else.
func (m *Model) scrolled(home bool) {
	for i, at := range m.pages {
		at.home, at.failed = home && i == 0, false // the first one stands above all others
	}
}

// pageDue reads what the view has come near to, or what it is to show.
func (m *Model) pageDue() tea.Cmd {
	near := 0
	if !m.list.Following() {
		near = m.lay.Transcript
	}
	var cmds []tea.Cmd
	for _, at := range m.pages {
		if !at.reading && !at.failed && (at.home || m.list.Near(at.marker, near)) {
			cmds = append(cmds, m.readEarlier(at, at.home))
		}
	}
	return tea.Batch(cmds...)
}

// missing is where messages are missing, to look for words there.
type missing struct{ m *Model }

func (p missing) Gaps() int { return len(p.m.pages) }

func (p missing) at(marker list.Item) *paging {
	for _, at := range p.m.pages {
		if at.marker == marker {
			return at
		}
	}
	return nil
}

// Read tries again where reading failed.
func (p missing) Read(marker list.Item) (cmd tea.Cmd, known bool) {
	at := p.at(marker)
	if at == nil {
		return nil, false
	}
	if at.failed = false; at.reading {
		return nil, true
	}
	return p.m.readEarlier(at, false), true
}

func (p missing) Reading(marker list.Item) (reading, failed bool) {
	at := p.at(marker)
	return at != nil && at.reading, at != nil && at.failed
}

func (m *Model) readEarlier(at *paging, all bool) tea.Cmd {
	at.reading = true
	at.marker.Reading()
	ctx, read, before := m.ctx, m.o.Earlier, at.before
	return func() tea.Msg {
		var p session.Page
		var err error
		if before != "" { // else only what stands above it is missing
			p, err = read(ctx, before, all)
		}
		return loop.Do(func() tea.Cmd {
			m.foundEarlier(at, before, p, err)
			return nil
		})
	}
}

// foundEarlier puts a page in its place: what comes before before.
func (m *Model) foundEarlier(at *paging, before string, p session.Page, err error) {
	at.reading = false
	if !slices.Contains(m.pages, at) || before != at.before {
		return // the conversation went back meanwhile, and is shown anew
	}
	if err != nil {
		at.home, at.failed = false, true
		if !errors.Is(err, context.Canceled) {
			m.list.Redraw(func() { at.marker.Fail(err.Error()) })
		}
		return
	}
	items := m.historyItems(p.Items)
	at.before = p.Earlier
	items, more := m.begun(at, items)
	if more {
		at.marker.Rest()
	} else {
		m.pages = slices.DeleteFunc(m.pages, func(o *paging) bool { return o == at })
	}
	m.list.Earlier(at.marker, more, items...)
	if at.home && !more {
		m.list.Home()
	}
}

// historyItems makes items of what was said, where nothing waits for an answer.
func (m *Model) historyItems(history []session.HistoryItem) []list.Item {
	items := make([]list.Item, 0, len(history))
	for _, h := range history {
		it := m.item(h)
		if it == nil {
			continue
		}
		if q, ok := it.(*chat.Message); ok {
			q.Answer()
		}
		items = together(items, it)
	}
	return items
}
