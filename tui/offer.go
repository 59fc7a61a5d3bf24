package tui

import (
	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
	"chatvault/tui/pickers"
)

// Unfinished messages are offered in the transcript. While the composer is empty, Enter runs the marked one. Letters
// edit or drop it only after the user has moved into the offer; before, they are text.

// offers handles the offer of unfinished messages.
type offers struct {
	*shared
	questions  *questions
	unfinished *pickers.Unfinished
	offer      offer
}

// offer is the state of the offer.
type offer struct {
	item *chat.Offer // nil without an offer
	list []session.Unfinished
	at   int
	// entered reports whether the user has moved into it.
	entered bool
	settling
}

// offering reports whether keys go to the offer while the composer is empty.
func (f *offers) offering() bool {
	return f.offer.item.Open() && len(f.offer.list) > 0 && !f.questions.picking() && f.editing == nil && f.dialogs.Empty()
}

// offerMessages appends an offer to the transcript.
func (f *offers) offerMessages(list []session.Unfinished) {
	if f.offer.item != nil {
		f.list.Redraw(func() { f.offer.item.Set(nil, 0, false) })
	}
	f.offer = offer{list: list, settling: settling{f.now().Add(dialog.Settle)}}
	if len(list) == 0 {
		return
	}
	f.offer.item = chat.NewOffer(f.env)
	f.showOffer()
	f.appendItem(f.offer.item)
	f.list.End()
}

func (f *offers) showOffer() {
	o := &f.offer
	o.at = min(o.at, max(len(o.list)-1, 0))
	texts := make([]string, len(o.list))
	for i, u := range o.list {
		texts[i] = phrase.First(u.Message.Text) + " · " + u.Stands()
	}
	f.list.Redraw(func() { o.item.Set(texts, o.at, o.entered) })
}

// offerKey handles a key while messages are offered and the composer is empty. Letters act once an arrow or Tab has
// moved into the offer, until other text is typed.
func (f *offers) offerKey(k tea.KeyPressMsg) (handled bool, cmd tea.Cmd) {
	o, by, name := &f.offer, arrow(k), keys.Name(k)
	n := len(o.list)
	switch {
	case !f.offering():
		return false, nil
	case name == "tab", by > 0, by < 0 && n > 1:
		if !o.early(f.now()) {
			o.entered, o.at = true, (o.at+by+n)%n
		}
	case o.entered && (name == "e" || name == "d"):
		return true, f.editOrDrop(name)
	case o.entered:
		o.entered = false
		f.showOffer()
		return false, nil
	default:
		return false, nil
	}
	f.showOffer()
	return true, nil
}

// editOrDrop edits or drops the marked message, depending on the letter.
func (f *offers) editOrDrop(letter string) tea.Cmd {
	u := f.takeOffered()
	typed := typedIn(u.Message.Mode, u.Message.Text)
	keep := f.remember(typed)
	if letter == "e" {
		f.composer.SetValue(typed)
	}
	inbox, ctx := f.o.Inbox, f.ctx
	return tea.Batch(keep, func() tea.Msg {
		err := inbox.Drop(ctx, u.Message.ID)
		return loop.Do(func() tea.Cmd {
			switch {
			case err != nil:
				f.appendItem(chat.NewError(f.env, "“"+phrase.First(u.Message.Text)+"” stays in the inbox: "+err.Error()))
			case letter == "d":
				f.appendItem(chat.NewNotice(f.env, "Dropped: “"+phrase.First(u.Message.Text)+"” · ↑ brings its text back"))
			}
			return nil
		})
	})
}

// runOffered runs the marked message, after asking if it may have changed notes.
func (f *offers) runOffered() tea.Cmd {
	if f.offer.early(f.now()) {
		return nil
	}
	return f.unfinished.AskOrRetry(f.takeOffered())
}

// takeOffered removes the marked message from the offer and returns it.
func (f *offers) takeOffered() session.Unfinished {
	o := &f.offer
	u := o.list[o.at]
	o.list = append(o.list[:o.at:o.at], o.list[o.at+1:]...)
	f.showOffer()
	return u
}
