package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/internal/base/routine"
	"chatvault/tui/chat"
	"chatvault/tui/composer"
	"chatvault/tui/dialog"
	"chatvault/tui/frame"
	"chatvault/tui/list"
	"chatvault/tui/selection"
	"chatvault/tui/theme"
)

// shared is the state common to all parts of the screen: styles, layout and the session's state. A part embeds it and
// knows other parts only through its own fields.
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
	busy      func() bool // reports whether a turn is running or starting

	editing *editing // the earlier message being edited, or nil

	since  time.Time // start of the last check of the goal, summary or review
	ended  string    // how the previous turn ended: "Done in 12s"
	hint   string    // temporary message in the status line
	hintID int
}

// flash shows a temporary message in the status line.
func (s *shared) flash(hint string, d time.Duration) tea.Cmd {
	s.hintID++
	s.hint = hint
	id := s.hintID
	return s.tick(d, func(time.Time) tea.Msg { return hintOverMsg{id} })
}

// appendItem appends an item to the transcript.
func (s *shared) appendItem(it list.Item) {
	chat.Together(s.list.Last(), it)
	s.list.Append(it)
}

// announce appends to the transcript and scrolls to it.
func (s *shared) announce(it list.Item) {
	s.welcome.Leave()
	s.appendItem(it)
	s.list.End()
}

// reading returns the column of the reader above the transcript, or nil.
func (s *shared) reading() *list.List {
	if r, ok := s.dialogs.Top().(interface{ Column() *list.List }); ok {
		return r.Column()
	}
	return nil
}

// redraw calls do, which changes how items are drawn, and keeps the visible text in place, in the transcript and in a
// reader.
func (s *shared) redraw(do func()) {
	s.list.Redraw(func() {
		if l := s.reading(); l != nil {
			l.Redraw(do)
			return
		}
		do()
	})
}

// remember adds text to the prompt history.
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

// clock is the time source and the timers of the screen.
type clock struct {
	now     func() time.Time
	tick    func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	ticking bool // the spinner's next step is scheduled
}

// tickWithin returns a tea.Tick whose timers end with ctx.
func tickWithin(ctx context.Context) func(time.Duration, func(time.Time) tea.Msg) tea.Cmd {
	return func(d time.Duration, over func(time.Time) tea.Msg) tea.Cmd {
		return func() tea.Msg {
			if !routine.Sleep(ctx, d) {
				return nil
			}
			return over(time.Now())
		}
	}
}

// spin is the interval between frames of the spinner.
const spin = 100 * time.Millisecond

type tickMsg struct{}

// tickSpinner schedules the spinner's next step.
func (c *clock) tickSpinner() tea.Cmd {
	if c.ticking {
		return nil
	}
	c.ticking = true
	return c.tick(spin, func(time.Time) tea.Msg { return tickMsg{} })
}

// merge is the time for which deltas are gathered before they are drawn. It bounds the frame rate of streaming and is
// not noticeable.
const merge = 30 * time.Millisecond
