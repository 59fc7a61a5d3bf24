package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// fresh is the maximum age of a message that is run again at start without asking.
const fresh = time.Minute

// resume handles the messages found at start: fresh ones run again, a notice mentions the rest.
func (l *lists) resume(all []session.Unfinished) tea.Cmd {
	var again, rest []session.Unfinished
	for _, x := range all {
		if x.Resumes(l.now(), fresh) {
			again = append(again, x)
		} else {
			rest = append(rest, x)
		}
	}
	if len(rest) > 0 {
		l.announce(chat.NewNotice(l.env, noticeOf(rest)))
	}
	return l.retry(again...)
}

// noticeOf describes unfinished messages.
func noticeOf(list []session.Unfinished) string {
	const most = 5
	lines := []string{text.Count(len(list), "message") + " not finished:"}
	for _, x := range list[:min(len(list), most)] {
		lines = append(lines, phrase.First(x.Message.Text)+" · "+x.Stands())
	}
	return strings.Join(append(lines, "/inbox runs, edits or discards them"), "\n")
}

func (l *lists) inbox(ctx context.Context) (*session.List, error) {
	return session.ListInbox(ctx, l.o.Inbox)
}

// retryLast handles /retry: it runs the last attempted message again.
func (l *lists) retryLast() tea.Cmd {
	return fetch(l.shared, "The inbox could not be read: ", l.o.Inbox.List, func(all []session.Unfinished) tea.Cmd {
		all = slices.DeleteFunc(slices.Clone(all), func(u session.Unfinished) bool { return !u.Begun() })
		if len(all) == 0 {
			return l.flash("Nothing to retry", quitWindow)
		}
		return l.askOrRetry(slices.MaxFunc(all, func(a, b session.Unfinished) int { return a.LastTried.Compare(b.LastTried) }))
	})
}

// askOrRetry runs a message again, after asking if it may have changed notes.
func (l *lists) askOrRetry(u session.Unfinished) tea.Cmd {
	if !u.ToolsRan {
		return l.retry(u)
	}
	l.close()
	l.of = l.inbox
	return l.pick(session.UnfinishedItem(l.o.Inbox, u), "")
}

// retry runs messages again, oldest first.
func (l *lists) retry(list ...session.Unfinished) tea.Cmd {
	switch {
	case len(list) == 0:
		return nil
	case list[0].Where != "":
		return l.revising.runElsewhere(list[0])
	}
	for _, x := range list { // so that stopping it and pressing ↑ restore it
		l.sending.received[x.Message.ID] = x.Message
		l.composer.Remember(typedIn(x.Message.Mode, x.Message.Text))
	}
	return func() tea.Msg {
		var failed []string
		for _, x := range list {
			if err := l.o.Inbox.Retry(l.ctx, x.Message.ID); err != nil {
				failed = append(failed, "“"+phrase.First(x.Message.Text)+"” was not tried again: "+err.Error())
			}
		}
		return loop.Do(func() tea.Cmd {
			for _, text := range failed {
				l.appendItem(chat.NewError(l.env, text))
			}
			return nil
		})
	}
}

// takenFromInbox adds a message to the prompt history and, to edit it, to the composer.
func (l *lists) takenFromInbox(u session.Unfinished, edit bool) tea.Cmd {
	typed := typedIn(u.Message.Mode, u.Message.Text)
	if edit {
		l.composer.SetValue(below(typed, l.composer.Value()))
	}
	return l.remember(typed)
}
