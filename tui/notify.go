package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/terminal/attention"
	"chatvault/tui/approval"
	"chatvault/tui/chat"
	"chatvault/tui/phrase"
)

const (
	// notifyDelay is how long what is worth telling must last: what goes on by itself, a queued
	// message or a goal, is not.
	notifyDelay = time.Second
	// notifyInterval is how long after one notification the next comes at the soonest.
	notifyInterval = 10 * time.Second
	// showAgain is how often a progress that lasts is shown: some terminals take it back when
	// they hear nothing for a quarter of a minute.
	showAgain = 5 * time.Second
)

// notifyMsg tells the user, if what is to be told is still so.
type notifyMsg struct{ id int }

// notifier is what the user was told, who may look elsewhere.
type notifier struct {
	*shared
	title string // of the window
	away  bool   // the terminal says that it has not the focus
	state attention.State
	id    int       // of what is to be told, counted
	last  time.Time // when something was told
	shown time.Time // when the progress was shown
}

// worthNotifying says whether somebody who looks elsewhere wants to know of a change: work that
// ended, and what waits for them.
func worthNotifying(was, is attention.State) bool {
	return was != is && (is == attention.Waiting || is == attention.Idle && was == attention.Working)
}

// attention is what goes on, as the window shows it.
func (l *statusLine) attention() attention.State {
	switch {
	case l.listener.requests.Asking(), l.questions.question != nil && !l.busy():
		return attention.Waiting
	case l.busy() && !l.sending.leaving:
		return attention.Working
	}
	return attention.Idle
}

// focused notes whether the terminal has the focus. Where it has, there is nothing to notify of.
func (n *notifier) focused(has bool) {
	n.away = !has
	n.id++
}

// signal keeps the window's title and progress up to date, and notifies a user who looks elsewhere.
func (n *notifier) signal(title string, is attention.State) tea.Cmd {
	t := n.o.Attention
	if title != n.title {
		n.title = title
		t.Title(title)
	}
	var cmd tea.Cmd
	was, now := n.state, n.now()
	if was != is || is == attention.Working && now.Sub(n.shown) >= showAgain {
		n.state, n.shown = is, now
		t.Show(is)
	}
	if was != is {
		n.id++
	}
	if n.away && worthNotifying(was, is) {
		id := n.id
		pause := max(notifyDelay, n.last.Add(notifyInterval).Sub(now))
		cmd = n.tick(pause, func(time.Time) tea.Msg { return notifyMsg{id} })
	}
	if !t.Pending() {
		return cmd
	}
	return tea.Batch(cmd, func() tea.Msg {
		t.Flush() // beside the screen's loop: a terminal may take nothing
		return nil
	})
}

// notification is what the user is told, in a few words.
func (l *statusLine) notification() string {
	vault := l.o.VaultName
	if l.notifier.state == attention.Waiting {
		if r, ok := l.listener.requests.Next(); ok {
			if r.Kind == event.RequestApproval {
				return strings.TrimSpace(approval.Title(r) + " " + phrase.Head(r.Change.Path, maxName))
			}
			return "needs " + phrase.Head(r.Name, maxName) + " · " + vault
		}
		if l.questions.question != nil {
			return "asks: " + phrase.Head(l.questions.question.Asked(), maxName)
		}
	}
	took := " · " + vault
	if l.ended.Took >= time.Second {
		took = " after " + chat.Duration(l.ended.Took.Truncate(time.Second)) + took
	}
	switch l.ended.State {
	case event.StateCompleted:
		return "done" + took
	case event.StateError:
		return "failed" + took
	}
	return "ready · " + vault
}
