// Package pickers is what lists things above the chat, to read and to choose from: branches, changes,
// conversations, models, settings, themes, vaults, what is proposed, what came with the vault, what was
// not finished. Each is one type with its own state over the dialogs of package dialog; what it reads or
// writes happens beside the screen's loop and comes back as a loop.Do. They know the chat through Screen
// and through the few functions each is given.
package pickers

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/loop"
)

// How long a word in the status line is there: for what is seen at a glance, for a sentence, for what
// has to be read.
const (
	brief    = 2 * time.Second
	sentence = 2 * brief
	long     = 3 * brief
)

// turnRuns is why something has to wait.
const turnRuns = "A turn is running: stop it with Esc, or wait"

// Screen is the chat below.
type Screen interface {
	// Flash shows a passing word in the status line.
	Flash(text string, d time.Duration) tea.Cmd
	// Say adds to the transcript; Announce does so where it is to be seen.
	Say(it list.Item)
	Announce(it list.Item)
	// Redraw keeps what is in sight in its place while do changes how it is drawn.
	Redraw(do func())
	// Push opens a dialog the user asked for, PushUnasked another one, Remove closes one.
	Push(d dialog.Dialog)
	PushUnasked(d dialog.Dialog)
	Remove(d dialog.Dialog)
	// Busy says that the agent works, Writing that a text is being written.
	Busy() bool
	Writing() bool
}

// Base is what all pickers share: the chat below, and what lies open above it. One list is looked
// through at a time.
type Base struct {
	Screen
	ctx    context.Context
	env    *chat.Env
	picker *dialog.Picker
	reader *dialog.Reader // one thing of the list, above it
	cancel func()         // a search that runs
}

// NewBase is empty.
func NewBase(ctx context.Context, env *chat.Env, s Screen) *Base {
	return &Base{Screen: s, ctx: ctx, env: env}
}

// fetch has something read beside the screen's loop; where that fails it is said what could not be done, and
// why.
func fetch[T any](d *Base, failed string, read func(context.Context) (T, error), then func(T) tea.Cmd) tea.Cmd {
	return loop.Then(d.ctx, read, func(got T, err error) tea.Cmd {
		if err != nil {
			return d.Flash(text.Capital(failed+err.Error()), long)
		}
		return then(got)
	})
}

// attempt does work outside the screen's loop. If it fails, the transcript shows failed and the error.
func attempt[T any](d *Base, failed string, work func(context.Context) (T, error), then func(T) tea.Cmd) tea.Cmd {
	return loop.Then(d.ctx, work, func(got T, err error) tea.Cmd {
		if err != nil {
			return d.fail(failed + err.Error())
		}
		return then(got)
	})
}

// fail says in the transcript what went wrong.
func (d *Base) fail(text string) tea.Cmd {
	d.Say(chat.NewError(d.env, text))
	return nil
}

// browse opens a list to look through.
func (d *Base) browse(p *dialog.Picker) {
	d.Stop()
	d.picker = p
	d.Push(p)
}

// read opens one thing of the list.
func (d *Base) read(r *dialog.Reader) {
	d.stopReading()
	d.reader = r
	d.Push(r)
}

// Reads says that a dialog is the thing that is read.
func (d *Base) Reads(top dialog.Dialog) bool {
	return d.reader != nil && top == dialog.Dialog(d.reader)
}

// Stop closes what is looked through.
func (d *Base) Stop() {
	d.stopReading()
	if d.picker != nil {
		d.Remove(d.picker)
	}
	if d.cancel != nil {
		d.cancel()
	}
	d.picker, d.cancel = nil, nil
}

func (d *Base) stopReading() {
	if d.reader != nil {
		d.Remove(d.reader)
		d.reader = nil
	}
}

// do is a result that is done in the loop.
func do(f func()) loop.Do {
	return func() tea.Cmd {
		f()
		return nil
	}
}
