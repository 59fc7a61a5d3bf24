package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/chat"
	"chatvault/tui/list"
)

// How long ago things were is drawn anew when what is in sight says something else by then, once a
// minute at most; in between nothing is due, and nothing is written.

// ages is when what the screen says of how long ago things were is to be drawn anew.
type ages struct {
	due time.Time // zero: nothing is due
	id  int       // of the timer that is waited for
}

// agedMsg says that it is due.
type agedMsg struct{ id int }

// tickWithin is tea.Tick that ends with ctx: a timer that was begun outlives no screen.
func tickWithin(ctx context.Context) func(time.Duration, func(time.Time) tea.Msg) tea.Cmd {
	return func(d time.Duration, over func(time.Time) tea.Msg) tea.Cmd {
		return func() tea.Msg {
			if wait(ctx, d); ctx.Err() != nil {
				return nil
			}
			return over(time.Now())
		}
	}
}

// date says when an item was, where it does not know.
func (m *Model) date(it list.Item) {
	if d, ok := it.(chat.Dated); ok && d.Time().IsZero() {
		d.At(m.now())
	}
}

// age waits until what is in sight says something else.
func (m *Model) age() tea.Cmd {
	soonest := time.Duration(0)
	m.list.Visible(func(it list.Item) {
		if a, ok := it.(chat.Aging); ok {
			if d := a.Ages(); d > 0 && (soonest == 0 || d < soonest) {
				soonest = d
			}
		}
	})
	if soonest == 0 {
		return nil
	}
	due := m.now().Add(soonest)
	if !m.ages.due.IsZero() && !due.Before(m.ages.due) {
		return nil
	}
	m.ages.id++
	m.ages.due = due
	id := m.ages.id
	return m.tick(soonest, func(time.Time) tea.Msg { return agedMsg{id} })
}

// aged draws it anew.
func (m *Model) aged(msg agedMsg) {
	if msg.id == m.ages.id {
		m.ages.due = time.Time{}
	}
}

// focusedTime is when the selected item was; empty where none is, or it says so itself.
func (m *Model) focusedTime() string {
	d, ok := m.selection.Item().(chat.Dated)
	if u, is := d.(*chat.User); !ok || is && u.Tells() {
		return ""
	}
	return chat.Exact(d.Time(), m.now())
}
