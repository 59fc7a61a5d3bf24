package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/routine"
)

// clock is what time it is, and what wakes the screen: the spinner, and how long deltas are left to gather.
type clock struct {
	now     func() time.Time
	tick    func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	spinner spinner
	pace    pace
}

// tickWithin is tea.Tick that ends with ctx: a timer that was begun outlives no screen.
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

// turnSpinner has the spinner go on.
func (c *clock) turnSpinner() tea.Cmd {
	if c.spinner.ticking {
		return nil
	}
	c.spinner.ticking = true
	return c.tick(spin, func(time.Time) tea.Msg { return tickMsg{} })
}

// ticked is the timer's step. It reports whether there is anything to draw: where the stream made a
// step, there is not.
func (s *shared) ticked() bool {
	s.spinner.ticking = false
	if s.spinner.streamed {
		s.spinner.streamed = false
		return false
	}
	s.env.Frame++
	return true
}

// merge is how long deltas are left to gather before the next are drawn; it
// bounds how often streaming is drawn, and is below what an eye notices.
const merge = 30 * time.Millisecond

// probe is how many batches of deltas pass until it is seen whether they still come too fast.
const probe = 10

// pace is how deltas are left to gather: where they come no faster than they are to be drawn there
// is nothing to wait for, and no timer wakes the processor for it.
type pace struct {
	last time.Time // batch of them
	fast int       // batches that are still to be waited for
}

// next is how long the next batch is left to gather.
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
