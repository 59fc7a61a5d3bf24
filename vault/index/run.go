package index

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"chatvault/internal/base/routine"

	"chatvault/internal/base/failpoint"
)

// run builds the index and keeps it up to date.
func (x *Index) run() {
	defer x.guard()
	x.build()
	for {
		x.load()
		x.report()
		x.announce()
		burst, ok := x.next()
		if !ok {
			return
		}
		failpoint.Pass("round index")
		if burst {
			x.settle()
		}
		x.catchUp()
	}
}

// guard ends the index if the goroutine that defers it panics.
func (x *Index) guard() {
	fault := recover()
	if fault == nil {
		return
	}
	trace := debug.Stack()
	x.cancel()
	x.mu.Lock()
	x.end(fmt.Sprintf("it failed: %v", fault))
	x.mu.Unlock()
	if x.o.OnFault != nil {
		x.o.OnFault(fmt.Errorf("the index of the vault failed: %v\n%s", fault, trace))
	}
}

// build reads everything for the first time.
func (x *Index) build() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stopReason != "" {
		return
	}
	if !Local(x.o.Dir) {
		x.end("the vault is on a network or virtual file system, where changes may go unnoticed")
		return
	}
	x.readAll(x.ctx)
	// Earlier changes are not reported: the index did not know the previous state.
	if x.root != nil {
		_, _ = x.refresh(x.ctx) // on an error, the next caller tries again
	}
	clear(x.changed)
}

// next waits until there is work. burst reports that more changes may follow; ok is false if the index is closed.
func (x *Index) next() (burst, ok bool) {
	if x.reply != nil {
		close(x.reply)
		x.reply = nil
	}
	x.mu.Lock()
	var poll <-chan time.Time
	if x.watch == nil && x.stopReason == "" && (x.o.OnChange != nil || len(x.want) > 0) {
		poll = time.After(max(pollEvery, 100*x.cost))
	}
	x.mu.Unlock()
	select {
	case <-x.ctx.Done():
		return false, false
	case <-x.wake:
		return true, true
	case <-x.kick:
		return true, true
	case <-poll:
		return false, true
	case x.reply = <-x.ask:
		return false, true
	}
}

// pollEvery is the minimum interval of complete comparisons if the system reports no changes. It is longer if a
// comparison takes long.
const pollEvery = 5 * time.Second

// longest limits the wait for the end of a burst of changes.
const longest = 2 * time.Second

// settle waits until a burst of changes is over, so that many steps of a synchroniser or an editor are applied at
// once.
func (x *Index) settle() {
	for begin := time.Now(); time.Since(begin) < longest; {
		if !routine.Sleep(x.ctx, x.o.Quiet) || !x.more() {
			return
		}
	}
}

// more is collect for a caller that does not hold x.mu.
func (x *Index) more() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.collect()
}

// catchUp applies the changes, even a change of everything.
func (x *Index) catchUp() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.root == nil || x.stopReason != "" {
		return
	}
	x.collect()
	switch {
	case x.dirty.all:
		x.readAll(x.ctx)
	case x.watch != nil:
		_ = x.applyAll(x.ctx) // fails only if the index is closed
	default:
		_, _ = x.compare(x.ctx)
	}
}

// announce reports a changed state.
func (x *Index) announce() {
	s := x.State()
	if s == x.last {
		return
	}
	x.last = s
	if x.o.OnState != nil {
		x.o.OnState(s)
	}
}

// Settle waits until all earlier changes are applied, texts read and notifications sent, or ctx ends.
func (x *Index) Settle(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(x.ctx, routine.Guard("index settle", cancel))()
	reply := make(chan struct{})
	select {
	case x.ask <- reply:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-reply:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
