package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Messages that were not finished are offered in the transcript. While nothing is written Enter runs the
// marked one, and a letter that stays alone for half a second edits it or drops it: one that others follow
// is a text's.

// offer is what is offered.
type offer struct {
	item *chat.Offer // nil: nothing was
	list []session.Unfinished
	at   int
	settling
}

// offering says that keys are for what is offered, while nothing is written.
func (m *Model) offering() bool {
	return m.offer.item.Open() && len(m.offer.list) > 0 && !m.picking() && m.editing == nil && m.dialogs.Empty()
}

// offerMessages offers messages below what was said.
func (m *Model) offerMessages(list []session.Unfinished) {
	if m.offer.item != nil {
		m.list.Redraw(func() { m.offer.item.Set(nil, 0) })
	}
	m.offer = offer{list: list, settling: settling{m.now().Add(dialog.Settle)}}
	if len(list) == 0 {
		return
	}
	m.offer.item = chat.NewOffer(m.env)
	m.showOffer()
	m.say(m.offer.item)
	m.list.End()
}

func (m *Model) showOffer() {
	o := &m.offer
	o.at = min(o.at, max(len(o.list)-1, 0))
	texts := make([]string, len(o.list))
	for i, u := range o.list {
		texts[i] = phrase.First(u.Message.Text) + " · " + u.Stands()
	}
	m.list.Redraw(func() { o.item.Set(texts, o.at) })
}

// offerKey handles a key while messages are offered and nothing is written.
func (m *Model) offerKey(k tea.KeyMsg) bool {
	by, n := arrow(k), len(m.offer.list)
	if by == 0 || n < 2 || !m.offering() {
		return false
	}
	m.offer.at = (m.offer.at + by + n) % n
	m.showOffer()
	return true
}

// offerTyped waits whether a letter stays alone.
func (m *Model) offerTyped() tea.Cmd {
	letter := m.composer.Value()
	if !m.offering() || letter != "e" && letter != "d" {
		return nil
	}
	return m.tick(dialog.Settle, func(time.Time) tea.Msg { return loop.Do(func() tea.Cmd { return m.stayedAlone(letter) }) })
}

// stayedAlone edits or drops the marked message, where a letter stayed alone in the composer.
func (m *Model) stayedAlone(letter string) tea.Cmd {
	if !m.offering() || m.composer.Value() != letter {
		return nil
	}
	u := m.takeOffered()
	typed := typedIn(u.Message.Mode, u.Message.Text)
	m.composer.Clear()
	keep := m.remember(typed)
	if letter == "e" {
		m.composer.SetValue(typed)
	}
	inbox, ctx := m.o.Inbox, m.ctx
	return tea.Batch(keep, func() tea.Msg {
		err := inbox.Drop(ctx, u.Message.ID)
		return loop.Do(func() tea.Cmd {
			switch {
			case err != nil:
				m.say(chat.NewError(m.env, "“"+phrase.First(u.Message.Text)+"” stays in the inbox: "+err.Error()))
			case letter == "d":
				m.say(chat.NewNotice(m.env, "Dropped: “"+phrase.First(u.Message.Text)+"” · ↑ brings its text back"))
			}
			return nil
		})
	})
}

// runOffered runs the marked message; where it may have changed something the user is asked first.
func (m *Model) runOffered() tea.Cmd {
	if m.offer.early(m.now()) {
		return nil
	}
	return m.views.unfinished.AskOrRetry(m.takeOffered())
}

// takeOffered takes the marked message off the list.
func (m *Model) takeOffered() session.Unfinished {
	o := &m.offer
	u := o.list[o.at]
	o.list = append(o.list[:o.at:o.at], o.list[o.at+1:]...)
	m.showOffer()
	return u
}
