// Package pickers provides the lists above the chat: branches, changes, conversations, models, settings, themes,
// vaults, proposals, trust questions and unfinished messages. Each is a type with its own state, built on package
// dialog. Reads and writes run in the background and return to the update loop as a loop.Do. Pickers access the chat
// only through Screen and the functions given to them.
package pickers

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/composer"
	"chatvault/tui/dialog"
	"chatvault/tui/list"
	"chatvault/tui/loop"
)

// Durations of messages in the status line.
const (
	brief    = 2 * time.Second
	sentence = 2 * brief
	long     = 3 * brief
)

// turnRuns is shown for actions that must wait for the turn to end.
const turnRuns = "A turn is running: stop it with Esc, or wait"

// Chat is the chat screen behind the pickers.
type Chat struct {
	Ctx      context.Context
	Env      *chat.Env
	List     *list.List // the transcript
	Dialogs  *dialog.Stack
	Composer *composer.Model
	// Flash shows a temporary message in the status line.
	Flash func(text string, d time.Duration) tea.Cmd
	// Say appends to the transcript; Announce does the same and scrolls to it.
	Say, Announce func(it list.Item)
	// Busy reports whether a turn is running.
	Busy func() bool
}

// Base is the state shared by all pickers. Only one list is open at a time.
type Base struct {
	Chat
	picker *dialog.Picker
	reader *dialog.Reader // an entry of the list, opened above it
	cancel func()         // cancels the running search
}

// fetch reads in the background. If that fails, the status line shows failed and the error.
func fetch[T any](d *Base, failed string, read func(context.Context) (T, error), then func(T) tea.Cmd) tea.Cmd {
	return loop.Then(d.Ctx, read, func(got T, err error) tea.Cmd {
		if err != nil {
			return d.Flash(text.Capital(failed+err.Error()), long)
		}
		return then(got)
	})
}

// browse opens a list.
func (d *Base) browse(p *dialog.Picker) {
	d.Stop()
	d.picker = p
	d.Dialogs.Push(p)
}

// read opens an entry of the list.
func (d *Base) read(r *dialog.Reader) {
	d.stopReading()
	d.reader = r
	d.Dialogs.Push(r)
}

// Reads reports whether a dialog is the opened entry.
func (d *Base) Reads(top dialog.Dialog) bool {
	return d.reader != nil && top == dialog.Dialog(d.reader)
}

// Stop closes the list and its entry.
func (d *Base) Stop() {
	d.stopReading()
	if d.picker != nil {
		d.Dialogs.Remove(d.picker)
	}
	if d.cancel != nil {
		d.cancel()
	}
	d.picker, d.cancel = nil, nil
}

func (d *Base) stopReading() {
	if d.reader != nil {
		d.Dialogs.Remove(d.reader)
		d.reader = nil
	}
}

// do wraps f as a loop.Do.
func do(f func()) loop.Do {
	return func() tea.Cmd {
		f()
		return nil
	}
}
