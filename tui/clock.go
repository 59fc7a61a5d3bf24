package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/routine"
)

// clock is the time source and the timers of the screen: the spinner and the pacing of deltas.
type clock struct {
	now     func() time.Time
	tick    func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	ticking bool // the spinner's next step is scheduled
	pace    pace
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

// probe is the number of batches after which the rate of deltas is checked again.
const probe = 10

// pace decides how long deltas are gathered. If they arrive slowly enough to draw each, there is no wait and no timer
// wakes the processor.
type pace struct {
	last time.Time // time of the last batch
	fast int       // number of batches still to be gathered
}

// next returns how long to gather the next batch.
func (p *pace) next(now time.Time) time.Duration {
	gap := now.Sub(p.last)
	p.last = now
	switch {
	case p.fast > 0:
		p.fast--
	case gap < merge*2/3:
		p.fast = probe
	default:
		return 0
	}
	return merge
}
