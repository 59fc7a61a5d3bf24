package pickers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// Inbox holds the unfinished messages. Its errors are sentences for the user.
type Inbox interface {
	// List returns them, oldest first: those left by processes that ended, and those that failed in this one.
	List(ctx context.Context) ([]session.Unfinished, error)
	Retry(ctx context.Context, id string) error
	Drop(ctx context.Context, id string) error
	// Open switches the chat to the conversation of a message and returns its last page.
	Open(ctx context.Context, id string) (session.Page, error)
}

// fresh is the maximum age of a message that is run again at start without asking.
const fresh = time.Minute

// Unfinished lists unfinished messages and runs them again. It asks before running a message that may have changed
// notes.
type Unfinished struct {
	*Base
	Inbox Inbox // nil if there is none
	// InHand reports whether a message is queued or running here; Tried records a retry.
	InHand func(id string) bool
	Tried  func(u session.Unfinished)
	// Elsewhere runs a message that belongs to another conversation.
	Elsewhere func(u session.Unfinished) tea.Cmd
	// Back adds a message to the prompt history and, to edit it, to the composer.
	Back func(u session.Unfinished, edit bool) tea.Cmd
}

// AtStart handles the messages found at start: fresh ones run again, a notice mentions the rest.
func (u *Unfinished) AtStart(all []session.Unfinished) tea.Cmd {
	var again, list []session.Unfinished
	for _, x := range all {
		if x.Resumes(u.Env.Now(), fresh) {
			again = append(again, x)
		} else {
			list = append(list, x)
		}
	}
	if len(list) > 0 {
		u.Announce(chat.NewNotice(u.Env, noticeOf(list)))
	}
	return u.Again(again...)
}

// noticeOf describes unfinished messages.
func noticeOf(list []session.Unfinished) string {
	const most = 5
	head, last := "One message was not finished:", "/inbox runs, edits or discards it"
	if n := len(list); n > 1 {
		head, last = text.Count(n, "message")+" were not finished:", "/inbox runs, edits or discards them"
	}
	lines := []string{head}
	for _, x := range list[:min(len(list), most)] {
		lines = append(lines, phrase.First(x.Message.Text)+" · "+x.Stands())
	}
	return strings.Join(append(lines, last), "\n")
}

// show lists messages.
func (u *Unfinished) show(list []session.Unfinished) tea.Cmd {
	rows := make([]dialog.Row, len(list))
	for i, x := range list {
		rows[i] = dialog.Row{Label: phrase.First(x.Message.Text), Below: []string{text.Capital(x.Stands())}, Find: text.Head(x.Message.Text, 4000), Result: do(func() { u.ask(x) })}
	}
	u.browse(dialog.NewPicker(u.Env.Styles, "Unfinished messages", "", rows, []string{"Type to filter", "Enter to choose what to do", "Esc to close"}))
	return nil
}

// ask asks what to do with a message. Running it is marked first unless it may have changed notes.
func (u *Unfinished) ask(x session.Unfinished) {
	preferred := 0
	if x.ToolsRan {
		preferred = 2
	}
	u.Dialogs.Push(dialog.NewConfirm(u.Env.Styles, "A message is unfinished", stateText(x), []string{x.Message.Text}, []dialog.Choice{
		{Label: "Try it now", Result: loop.Do(func() tea.Cmd { return u.Again(x) })},
		{Label: "Edit it", Result: loop.Do(func() tea.Cmd { return u.remove(x, true) })},
		{Label: "Keep it (see /inbox)"},
		{Label: "Discard it", Result: loop.Do(func() tea.Cmd { return u.remove(x, false) })},
	}, preferred, nil))
}

// stateText describes the state of an unfinished message in sentences.
func stateText(u session.Unfinished) string {
	text := "chatvault ended in the middle of it."
	if u.LastError != "" {
		text = phrase.Ended("What happened: " + u.LastError)
	}
	if u.Attempts > 1 {
		text += fmt.Sprintf(" It was tried %d times.", u.Attempts)
	}
	text += " " + u.Did()
	if u.Where != "" {
		text += " It was sent in another conversation: " + phrase.Ended(strings.TrimPrefix(u.Where, "in "))
	}
	return text
}

// Again runs messages again, oldest first.
func (u *Unfinished) Again(list ...session.Unfinished) tea.Cmd {
	switch {
	case len(list) == 0:
		return nil
	case list[0].Where != "":
		return u.Elsewhere(list[0])
	}
	for _, x := range list {
		u.Tried(x)
	}
	return func() tea.Msg {
		var failed []string
		for _, x := range list {
			if err := u.Inbox.Retry(u.Ctx, x.Message.ID); err != nil {
				failed = append(failed, "“"+phrase.First(x.Message.Text)+"” was not tried again: "+err.Error())
			}
		}
		return do(func() {
			for _, text := range failed {
				u.Say(chat.NewError(u.Env, text))
			}
		})
	}
}

// remove takes a message out of the inbox, to edit or discard it.
func (u *Unfinished) remove(x session.Unfinished, edit bool) tea.Cmd {
	name := "“" + phrase.First(x.Message.Text) + "”"
	drop := func(ctx context.Context) (any, error) { return nil, u.Inbox.Drop(ctx, x.Message.ID) }
	return tea.Batch(u.Back(x, edit), fetch(u.Base, name+" stays in the inbox: ", drop, func(any) tea.Cmd {
		if !edit {
			u.Say(chat.NewNotice(u.Env, "Discarded: "+name+" · ↑ brings its text back"))
		}
		return nil
	}))
}

// Open handles /inbox. It reads the inbox first, since other processes use it too.
func (u *Unfinished) Open() tea.Cmd {
	return u.look(func(waiting []session.Unfinished) tea.Cmd {
		if len(waiting) == 0 {
			return u.Flash("There are no unfinished messages", brief)
		}
		return u.show(waiting)
	})
}

// RetryLast handles /retry: it runs the last attempted message again.
func (u *Unfinished) RetryLast() tea.Cmd {
	return u.look(func(waiting []session.Unfinished) tea.Cmd {
		last, ok := lastTried(waiting)
		if !ok {
			return u.Flash("Nothing to retry", brief)
		}
		return u.AskOrRetry(last)
	})
}

// AskOrRetry runs a message again, after asking if it may have changed notes.
func (u *Unfinished) AskOrRetry(x session.Unfinished) tea.Cmd {
	if !x.ToolsRan {
		return u.Again(x)
	}
	u.ask(x)
	return nil
}

func (u *Unfinished) look(then func(waiting []session.Unfinished) tea.Cmd) tea.Cmd {
	return loop.Then(u.Ctx, u.Inbox.List, func(all []session.Unfinished, err error) tea.Cmd {
		switch {
		case errors.Is(err, context.Canceled):
			return nil
		case err != nil:
			return u.Flash("The inbox could not be read: "+err.Error(), long)
		}
		return then(slices.DeleteFunc(slices.Clone(all), func(x session.Unfinished) bool { return u.InHand(x.Message.ID) }))
	})
}

// lastTried returns the message that was attempted last.
func lastTried(list []session.Unfinished) (last session.Unfinished, ok bool) {
	for _, u := range list {
		if u.Begun() && (!ok || !u.LastTried.Before(last.LastTried)) {
			last, ok = u, true
		}
	}
	return last, ok
}
