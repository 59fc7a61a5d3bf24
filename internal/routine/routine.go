// Package routine starts the program's goroutines, all of them, so that none can end the
// process with the terminal in disorder.
//
// A panic in a goroutine that nobody recovers ends a Go program at once: no deferred function
// of another goroutine runs, the terminal stays in raw mode, nothing is said. What is started
// here has its panic caught and handed to the handler that the running command has set
// (OnPanic), which ends the program in order. Where no handler is set, as in tests, the panic
// goes on as it would have.
//
// Go and Join are for goroutines that stand alone. Group is for those that work for whoever
// waits for them: there the panic goes on in Wait, so that what failed is the caller's work,
// not the program.
package routine

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/internal/failpoint"
)

// Panic is what is known of a panic that was caught.
type Panic struct {
	Name  string // of the goroutine
	Value any
	Stack []byte // of the goroutine, for a report
}

func (p *Panic) Error() string { return fmt.Sprintf("%v (in %q)", p.Value, p.Name) }

// Unwrap gives the value of the panic where that is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

var handler atomic.Pointer[func(*Panic)]

// OnPanic sets who is told of panics, in the goroutine that panicked and after its own deferred
// functions have run. Undo sets the handler there was before.
func OnPanic(handle func(*Panic)) (undo func()) {
	before := handler.Swap(&handle)
	return func() { handler.Store(before) }
}

// Go runs f in a goroutine of its own. The name is for reports and failpoints.
func Go(name string, f func()) { go Guard(name, f)() }

// Join is Go for a goroutine that wg counts.
func Join(wg *sync.WaitGroup, name string, f func()) { wg.Go(Guard(name, f)) }

// Guard is f with its panics caught, for what calls f in a goroutine of its own: a timer, or a
// context's end.
func Guard(name string, f func()) func() {
	return func() {
		defer catch(name)
		failpoint.Pass("goroutine " + name)
		f()
	}
}

func catch(name string) {
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

// asPanic describes a panic; one that came from a Group is described by where it happened.
func asPanic(name string, v any) *Panic {
	if p, ok := v.(*Panic); ok {
		return p
	}
	return &Panic{Name: name, Value: v, Stack: debug.Stack()}
}

// A Group is goroutines whose end is waited for. The zero value is ready for use.
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

// Wait waits for all of them. Where one panicked, Wait panics with a *Panic.
func (g *Group) Wait() {
	g.wg.Wait()
	if p := g.first.Load(); p != nil {
		panic(p)
	}
}

// Sleep waits for d; false when ctx ended first.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
