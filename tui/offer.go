package tui

import (
	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Messages that were not finished are offered in the transcript. While nothing is written Enter runs the
// marked one. Letters edit it or drop it only after the person moved into the offer: before, they are text.

// offer is what is offered.
type offer struct {
	item *chat.Offer // nil: nothing was
	list []session.Unfinished
	at   int
	// entered reports whether the person moved into it.
	entered bool
	settling
}

// offering says that keys are for what is offered, while nothing is written.
func (m *Model) offering() bool {
	return m.offer.item.Open() && len(m.offer.list) > 0 && !m.picking() && m.editing == nil && m.dialogs.Empty()
}

// offerMessages offers messages below what was said.
func (m *Model) offerMessages(list []session.Unfinished) {
	if m.offer.item != nil {
		m.list.Redraw(func() { m.offer.item.Set(nil, 0, false) })
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
	m.list.Redraw(func() { o.item.Set(texts, o.at, o.entered) })
}

// offerKey handles a key while messages are offered and nothing is written. Letters act once an arrow or Tab has moved
// into the offer, and until other text is typed.
func (m *Model) offerKey(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	o, by, name := &m.offer, arrow(k), keys.Name(k)
	n := len(o.list)
	switch {
	case !m.offering():
		return false, nil
	case name == "tab", by > 0, by < 0 && n > 1:
		if !o.early(m.now()) {
			o.entered, o.at = true, (o.at+by+n)%n
		}
	case o.entered && (name == "e" || name == "d"):
		return true, m.takeOut(name)
	case o.entered:
		o.entered = false
		m.showOffer()
		return false, nil
	default:
		return false, nil
	}
	m.showOffer()
	return true, nil
}

// takeOut edits the marked message or drops it, as a letter says.
func (m *Model) takeOut(letter string) tea.Cmd {
	u := m.takeOffered()
	typed := typedIn(u.Message.Mode, u.Message.Text)
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
