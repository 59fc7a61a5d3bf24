package tui

import (
	"slices"
	"strings"

	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/paint"
	"chatvault/tui/selection"
)

// To look at what was printed as it would be drawn now, scrolling and selecting show the transcript in
// the live part's place.

// reviewing says that the transcript is shown in the place of what goes on.
func (m *Model) reviewing() bool {
	return m.selection.Active() || m.find.Active() || !m.list.Following()
}

// finished says whether what an item shows is as it will stay. Calls of one tool in a row may come
// to share a line.
func (m *Model) finished(it list.Item) bool {
	if w, ok := it.(interface{ Drawing() bool }); ok && w.Drawing() {
		return false
	}
	switch it := it.(type) {
	case *chat.Welcome, *chat.Earlier:
		return false
	case *chat.Offer:
		return !it.Open()
	case *chat.Assistant:
		return it != m.turn.answer
	case *chat.Reasoning:
		return it != m.turn.reasoning
	case *chat.Message:
		return it != m.question
	case *chat.User:
		for _, o := range m.outbox {
			if o.item == it && o.ID == "" {
				return false
			}
		}
	case *chat.Tool:
		if s := it.State(); s == chat.ToolWriting || s == chat.ToolRunning {
			return false
		}
		next := m.list.Next(it, 1, func(list.Item) bool { return true })
		if t, ok := next.(*chat.Tool); m.state.Turn.Running && (next == nil || ok && it.Alike(t)) {
			return false
		}
	}
	return true
}

// paint has the terminal print what is finished, and show the rest below.
func (m *Model) paint() {
	p := m.printed
	if m.width == 0 || !m.dirty && len(p.Queued()) == 0 {
		return
	}
	m.dirty = false
	around := m.arrange()
	l := m.lay
	rest := m.printFinished()
	var body []string
	m.finisher.From, m.finisher.To = 0, 0
	switch {
	case m.deciding():
		body = full(m.panel(l.Width, l.Transcript))
	case !m.dialogs.Empty():
		body = m.dialogs.Lines(l.Width, l.Transcript, m.now())
		body = append(body[:min(len(body), l.Transcript)], "")
	case m.reviewing():
		body = m.list.Lines()
		m.find.Mark(body)
		m.finisher.From, m.finisher.To = m.selection.Place(body, l.Margin, m.styles)
		m.finisher.Mark = m.styles.AccentBold.Render(selection.Mark)
	default:
		body = rest[max(len(rest)-l.Transcript, 0):]
	}
	if p.Begun() && (len(body) == 0 || body[len(body)-1] != "") {
		body = append(body, "") // between what is printed, or goes on, and what is below
	}
	lines := m.appendBelow(slices.Clip(body), around)
	if n := len(lines) - m.height; n > 0 {
		lines = lines[n:]
		m.finisher.From, m.finisher.To = m.finisher.From-n, m.finisher.To-n
	}
	live := strings.Split(m.finisher.Finish(lines, l.Margin, m.width, len(lines)), "\n")
	p.Paint(paint.Frame{Live: live, Width: m.width, Height: m.height, Awaited: m.awaited})
}

// printFinished queues what can be printed by now, and gives the lines of the rest.
func (m *Model) printFinished() (rest []string) {
	read := m.talk.loaded || m.o.Load == nil
	m.printed.Lay(m.lay, m.width)
	m.printed.Void()
	if read && !m.welcome.Shown() { // which says it itself
		m.printed.Header(m.o.VaultName+"\n"+m.state.Provider, m.printedHeader)
	}
	return m.printed.Print(read, m.finished)
}

// unprinted is what was not printed when the chat ends.
func (m *Model) unprinted() []string {
	if m.width == 0 {
		return nil
	}
	m.welcome.Leave()
	return m.printed.Rest(m.printFinished())
}
