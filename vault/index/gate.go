package index

import (
	"context"
	"time"
)

// gate is a lock that can be waited for with a bound.
type gate chan struct{}

func (g gate) lock()   { g <- struct{}{} }
func (g gate) unlock() { <-g }

// hold calls do with the lock, which is given back also when do panics.
func (g gate) hold(do func()) {
	g.lock()
	defer g.unlock()
	do()
}

// lockWithin reports whether it got the lock before the time was over or ctx ended.
func (g gate) lockWithin(ctx context.Context, d time.Duration) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case g <- struct{}{}:
		return true
	default:
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case g <- struct{}{}:
		return true
	case <-t.C:
	case <-ctx.Done():
	}
	return false
}
