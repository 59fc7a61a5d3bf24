package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/composer"
	"chatvault/tui/dialog"
	"chatvault/tui/frame"
	"chatvault/tui/list"
	"chatvault/tui/selection"
	"chatvault/tui/status"
	"chatvault/tui/theme"
)

// shared is what the parts of the screen have in common: where they are drawn, what they are made
// from, and the state of the session. A part embeds it and knows no other part that is not a field
// of its own.
type shared struct {
	ctx    context.Context
	o      Options
	styles *theme.Styles
	env    *chat.Env
	keys   *keyMaps
	clock

	list      *list.List
	welcome   *chat.Welcome
	dialogs   dialog.Stack
	composer  *composer.Model
	selection *selection.Selection
	height    int // of the screen
	lay       frame.Layout
	state     session.State
	busy      func() bool // reports whether a turn runs or is about to

	editing *editing // an earlier message, in the composer; nil: none is edited

	ended   status.End // how the turn before ended
	details bool       // something in the conversation has details to show
	hint    string     // in the status line, for a while
	hintID  int
}

// flash shows a hint in the status line.
func (s *shared) flash(hint string, d time.Duration) tea.Cmd {
	s.hintID++
	s.hint = hint
	id := s.hintID
	return s.tick(d, func(time.Time) tea.Msg { return hintOverMsg{id} })
}

// say adds an item to the transcript.
func (s *shared) say(it list.Item) {
	if d, ok := it.(chat.Dated); ok && d.Time().IsZero() {
		d.At(s.now())
	}
	chat.Together(s.list.Last(), it)
	s.list.Append(it)
}

// reading is the column of the dialog that is read above the transcript; nil if none is.
func (s *shared) reading() *list.List {
	if r, ok := s.dialogs.Top().(interface{ Column() *list.List }); ok {
		return r.Column()
	}
	return nil
}

// redraw keeps what is in sight in its place while do changes how items are drawn, in the
// transcript and in what is read above it.
func (s *shared) redraw(do func()) {
	s.list.Redraw(func() {
		if l := s.reading(); l != nil {
			l.Redraw(do)
			return
		}
		do()
	})
}

// remember keeps text in the prompt history.
func (s *shared) remember(text string) tea.Cmd {
	if !s.composer.Remember(text) || s.o.PromptHistory == nil {
		return nil
	}
	h := s.o.PromptHistory
	return func() tea.Msg {
		h.Append(text)
		return nil
	}
}
