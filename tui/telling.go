package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/agent/event"
	"chatvault/internal/terminal/attention"
	"chatvault/tui/chat"
	"chatvault/tui/phrase"
)

const (
	// tellPause is how long what is worth telling must last: what goes on by itself, a queued
	// message or a goal, is not.
	tellPause = time.Second
	// tellGap is how long after one notification the next comes at the soonest.
	tellGap = 10 * time.Second
	// showAgain is how often a progress that lasts is shown: some terminals take it back when
	// they hear nothing for a quarter of a minute.
	showAgain = 5 * time.Second
)

// tellMsg tells the user, if what is to be told is still so.
type tellMsg struct{ id int }

// telling is what the user was told, who may look elsewhere.
type telling struct {
	title string // of the window
	away  bool   // the terminal says that it has not the focus
	state attention.State
	id    int       // of what is to be told, counted
	last  time.Time // when something was told
	shown time.Time // when the progress was shown
}

// worthTelling says whether somebody who looks elsewhere wants to know of a change: work that
// ended, and what waits for them.
func worthTelling(was, is attention.State) bool {
	return was != is && (is == attention.Waiting || is == attention.Idle && was == attention.Working)
}

// attention is what goes on, as the window shows it.
func (m *Model) attention() attention.State {
	switch {
	case m.asking(), m.question != nil && !m.busy():
		return attention.Waiting
	case m.busy() && !m.leaving:
		return attention.Working
	}
	return attention.Idle
}

// focus notes whether the terminal has it. Where it has, nothing is to be told any more.
func (m *Model) focused(has bool) {
	m.telling.away = !has
	m.telling.id++
}

// signal keeps title and progress true, and has the user told who looks elsewhere.
func (m *Model) signal() tea.Cmd {
	t := m.o.Attention
	if title := m.windowTitle(); title != m.telling.title {
		m.telling.title = title
		t.Title(title)
	}
	var cmd tea.Cmd
	was, is := m.telling.state, m.attention()
	now := m.now()
	if was != is || is == attention.Working && now.Sub(m.telling.shown) >= showAgain {
		m.telling.state, m.telling.shown = is, now
		t.Show(is)
	}
	if was != is {
		m.telling.id++
	}
	if m.telling.away && worthTelling(was, is) {
		id := m.telling.id
		pause := max(tellPause, m.telling.last.Add(tellGap).Sub(now))
		cmd = m.tick(pause, func(time.Time) tea.Msg { return tellMsg{id} })
	}
	if !t.Pending() {
		return cmd
	}
	return tea.Batch(cmd, func() tea.Msg {
		t.Flush() // beside the screen's loop: a terminal may take nothing
		return nil
	})
}

// tell tells what is so by now.
func (m *Model) tell(msg tellMsg) {
	if msg.id != m.telling.id || !m.telling.away {
		return
	}
	m.telling.last = m.now()
	m.o.Attention.Tell(m.tidings())
}

// tidings is what the user is told, in a few words.
func (m *Model) tidings() string {
	vault := m.o.VaultName
	if m.telling.state == attention.Waiting {
		for _, r := range m.requests.open {
			switch {
			case r.answered:
			case r.Kind == event.RequestApproval:
				return strings.TrimSpace(wordsOf(string(r.Change.Kind)).title + " " + phrase.Head(r.Change.Path, maxName))
			default:
				return "needs " + phrase.Head(r.Name, maxName) + " · " + vault
			}
		}
		if m.question != nil {
			return "asks: " + phrase.Head(m.question.Asked(), maxName)
		}
	}
	took := " · " + vault
	if m.ended.Took >= time.Second {
		took = " after " + chat.Duration(m.ended.Took.Truncate(time.Second)) + took
	}
	switch m.ended.State {
	case event.StateCompleted:
		return "done" + took
	case event.StateError:
		return "failed" + took
	}
	return "ready · " + vault
}
