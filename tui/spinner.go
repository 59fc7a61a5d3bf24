package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// spin is the time between two steps of the spinner.
const spin = 100 * time.Millisecond

// spinner turns while the agent works: by a timer, and with what streams in, which is drawn anyway,
// so that the timer need not have anything drawn meanwhile.
type spinner struct {
	ticking  bool
	at       time.Time // of the last step with the stream
	streamed bool      // there was one since the timer's
}

type tickMsg struct{}

// turnSpinner has the spinner go on while the agent works.
func (m *Model) turnSpinner() tea.Cmd {
	if !m.busy() || m.spinner.ticking {
		return nil
	}
	m.spinner.ticking = true
	return m.tick(spin, func(time.Time) tea.Msg { return tickMsg{} })
}

// ticked is the timer's step; where the stream made one, nothing is drawn but what was due.
func (m *Model) ticked(due bool) {
	s := &m.spinner
	s.ticking = false
	if s.streamed {
		s.streamed, m.dirty = false, due
		return
	}
	m.env.Frame++
}

// turnWithStream is a step with what streams in, if one is due.
func (m *Model) turnWithStream() {
	if now := m.now(); now.Sub(m.spinner.at) >= spin {
		m.spinner.at, m.spinner.streamed = now, true
		m.env.Frame++
	}
}
