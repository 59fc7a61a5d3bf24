package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/routine"
)

// clock is the time source and the timers of the screen.
type clock struct {
	now     func() time.Time
	tick    func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	ticking bool // the spinner's next step is scheduled
}

// tickWithin returns a tea.Tick whose timers end with ctx.
func tickWithin(ctx context.Context) func(time.Duration, func(time.Time) tea.Msg) tea.Cmd {
	return func(d time.Duration, over func(time.Time) tea.Msg) tea.Cmd {
		return func() tea.Msg {
			if !routine.Sleep(ctx, d) {
				return nil
			}
			return over(time.Now())
		}
	}
}

// spin is the interval between frames of the spinner.
const spin = 100 * time.Millisecond

type tickMsg struct{}

// tickSpinner schedules the spinner's next step.
func (c *clock) tickSpinner() tea.Cmd {
	if c.ticking {
		return nil
	}
	c.ticking = true
	return c.tick(spin, func(time.Time) tea.Msg { return tickMsg{} })
}

// merge is the time for which deltas are gathered before they are drawn. It bounds the frame rate of streaming and is
// not noticeable.
const merge = 30 * time.Millisecond
