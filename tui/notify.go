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
	// notifyDelay is how long a state must last before the user is notified, since queued messages and goals continue
	// without the user.
	notifyDelay = time.Second
	// notifyInterval is the minimum time between notifications.
	notifyInterval = 10 * time.Second
	// showAgain is the interval at which a lasting progress is repeated; some terminals clear it after about 15
	// seconds.
	showAgain = 5 * time.Second
)

// notifyMsg notifies the user if the id is still current.
type notifyMsg struct{ id int }

// notifier notifies users whose focus is elsewhere.
type notifier struct {
	*shared
	title string // window title
	away  bool   // the terminal lost the focus
	state attention.State
	id    int       // counts notifications
	last  time.Time // time of the last notification
	shown time.Time // time of the last progress
}

// worthNotifying reports whether a user who is away should learn of a change: work ended, or something waits for an
// answer.
func worthNotifying(was, is attention.State) bool {
	return was != is && (is == attention.Waiting || is == attention.Idle && was == attention.Working)
}

// attention returns the state shown by the window.
func (l *statusLine) attention() attention.State {
	switch {
	case l.listener.requests.Asking(), l.questions.question != nil && !l.busy():
		return attention.Waiting
	case l.busy() && !l.sending.leaving:
		return attention.Working
	}
	return attention.Idle
}

// focused records the focus. A user with the focus is not notified.
func (n *notifier) focused(has bool) {
	n.away = !has
	n.id++
}

// signal updates the window's title and progress, and notifies a user who is away.
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
		t.Flush() // in the background, since the terminal may stall
		return nil
	})
}

// notification returns the text of a notification.
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
