package pickers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/session"
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

// Unfinished runs unfinished messages again or offers them in a list. It asks before running a message that may have
// changed notes.
type Unfinished struct {
	*Base
	Inbox Inbox // nil disables the offer
	// InHand reports whether a message is queued or running here; Tried records a retry.
	InHand func(id string) bool
	Tried  func(u session.Unfinished)
	// Elsewhere runs a message that belongs to another conversation.
	Elsewhere func(u session.Unfinished) tea.Cmd
	// Show offers messages in a list.
	Show func([]session.Unfinished)
}

// AtStart handles the messages found at start: fresh ones run again, the rest are listed.
func (u *Unfinished) AtStart(all []session.Unfinished) tea.Cmd {
	var again, list []session.Unfinished
	for _, x := range all {
		if x.Resumes(u.env.Now(), fresh) {
			again = append(again, x)
		} else {
			list = append(list, x)
		}
	}
	u.Show(list)
	return u.Again(again...)
}

// ask asks whether to run a message that may have changed notes.
func (u *Unfinished) ask(x session.Unfinished) {
	u.Push(dialog.NewConfirm(u.env.Styles, "A message is unfinished", offerText(x), []string{x.Message.Text}, []dialog.Choice{
		{Label: "Try it now", Result: loop.Do(func() tea.Cmd { return u.Again(x) })},
		{Label: "Keep it (see /inbox)"},
		{Label: "Discard it", Result: loop.Do(func() tea.Cmd { return u.discard(x) })},
	}, 1, nil))
}

// offerText describes the state of an unfinished message in sentences.
func offerText(u session.Unfinished) string {
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
			if err := u.Inbox.Retry(u.ctx, x.Message.ID); err != nil {
				failed = append(failed, "“"+phrase.First(x.Message.Text)+"” was not tried again: "+err.Error())
			}
		}
		return do(func() {
			for _, text := range failed {
				u.Say(chat.NewError(u.env, text))
			}
		})
	}
}

func (u *Unfinished) discard(x session.Unfinished) tea.Cmd {
	text := phrase.First(x.Message.Text)
	drop := func(ctx context.Context) (any, error) { return nil, u.Inbox.Drop(ctx, x.Message.ID) }
	return attempt(u.Base, "“"+text+"” was not discarded: ", drop, func(any) tea.Cmd {
		u.Say(chat.NewNotice(u.env, "Discarded: "+text))
		return nil
	})
}

// Open handles /inbox. It reads the inbox first, since other processes use it too.
func (u *Unfinished) Open() tea.Cmd {
	return u.look(func(waiting []session.Unfinished) tea.Cmd {
		if len(waiting) == 0 {
			return u.Flash("There are no unfinished messages", brief)
		}
		u.Show(waiting)
		return nil
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
	return loop.Then(u.ctx, u.Inbox.List, func(all []session.Unfinished, err error) tea.Cmd {
		switch {
		case errors.Is(err, context.Canceled):
			return nil
		case err != nil:
			return u.fail("The inbox could not be read: " + err.Error())
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
