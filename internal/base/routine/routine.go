// Package routine starts all goroutines of the program, so that none can end the process and leave the terminal in
// disorder: an unrecovered panic ends a Go program at once, without running the deferred functions of other
// goroutines. A panic in a goroutine started here is recovered and passed to the handler that the running command has
// set (OnPanic), which exits cleanly. Without a handler, as in tests, the panic continues.
//
// Go and Join start independent goroutines. A Group is for goroutines whose caller waits: the panic continues in Wait,
// so that the caller's work fails and not the program.
package routine

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/internal/base/failpoint"
)

// Panic describes a recovered panic.
type Panic struct {
	Name  string // of the goroutine
	Value any
	Stack []byte // of the goroutine, for a report
}

func (p *Panic) Error() string { return fmt.Sprintf("%v (in %q)", p.Value, p.Name) }

// Unwrap returns the value of the panic if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

var handler atomic.Pointer[func(*Panic)]

// OnPanic sets the handler of panics. It runs in the goroutine that panicked, after its deferred functions. undo
// restores the previous handler.
func OnPanic(handle func(*Panic)) (undo func()) {
	before := handler.Swap(&handle)
	return func() { handler.Store(before) }
}

// Go runs f in a goroutine. The name is for reports and failpoints.
func Go(name string, f func()) { go Guard(name, f)() }

// Join is Go for a goroutine that wg waits for.
func Join(wg *sync.WaitGroup, name string, f func()) { wg.Go(Guard(name, f)) }

// Guard returns f with panics recovered, for code that calls f in its own goroutine, such as a timer.
func Guard(name string, f func()) func() {
	return func() {
		defer Catch(name)
		failpoint.Pass("goroutine " + name)
		f()
	}
}

// Catch recovers a panic and passes it to the handler. It must be deferred.
func Catch(name string) {
	v := recover()
	if v == nil {
		return
	}
	h := handler.Load()
	if h == nil {
		panic(v)
	}
	(*h)(asPanic(name, v))
}

// asPanic describes a panic. The description of one that passed through a Group is kept.
func asPanic(name string, v any) *Panic {
	if p, ok := v.(*Panic); ok {
		return p
	}
	return &Panic{Name: name, Value: v, Stack: debug.Stack()}
}

// A Group is a set of goroutines to wait for. The zero value is ready for use.
type Group struct {
	wg    sync.WaitGroup
	first atomic.Pointer[Panic]
}

// Go runs f in a goroutine.
func (g *Group) Go(name string, f func()) {
	g.wg.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				g.first.CompareAndSwap(nil, asPanic(name, v))
			}
		}()
		failpoint.Pass("goroutine " + name)
		f()
	})
}

// Wait waits for all goroutines. If one panicked, it panics with a *Panic.
func (g *Group) Wait() {
	g.wg.Wait()
	if p := g.first.Load(); p != nil {
		panic(p)
	}
}

// Sleep waits for d. It returns false if ctx ended first.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
