package tui

import "time"

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
