package routine

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestHandler: the handler gets a goroutine's panic with its name and stack, after the goroutine's deferred functions
// have run.
func TestHandler(t *testing.T) {
	for name, start := range map[string]func(f func()){
		"Go":    func(f func()) { Go("one", f) },
		"Join":  func(f func()) { var wg sync.WaitGroup; Join(&wg, "one", f); wg.Wait() },
		"Guard": func(f func()) { Guard("one", f)() },
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan *Panic, 1)
			var own atomic.Bool
			defer OnPanic(func(p *Panic) {
				if !own.Load() {
					t.Error("the handler came first")
				}
				got <- p
			})()
			start(func() {
				defer own.Store(true)
				panic(errors.ErrUnsupported)
			})
			p := <-got
			if p.Name != "one" || !errors.Is(p, errors.ErrUnsupported) || !strings.Contains(string(p.Stack), "TestHandler") {
				t.Errorf("%v\n%s", p, p.Stack)
			}
		})
	}
}

// TestGroup: a panic continues in the goroutine that waits for the group, with the same value.
func TestGroup(t *testing.T) {
	defer OnPanic(func(p *Panic) { t.Errorf("the handler got %v", p) })()
	var g Group
	var ran atomic.Int32
	for i := range 8 {
		g.Go("part", func() {
			ran.Add(1)
			if i == 3 {
				panic("third")
			}
		})
	}
	var caught any
	func() {
		defer func() { caught = recover() }()
		g.Wait()
	}()
	p, ok := caught.(*Panic)
	if !ok || p.Value != "third" || p.Name != "part" || ran.Load() != 8 {
		t.Errorf("caught %v after %d goroutines", caught, ran.Load())
	}
}

// TestWithoutHandler: without a handler, a panic is not swallowed.
func TestWithoutHandler(t *testing.T) {
	const env = "CHATVAULT_TEST_ROUTINE"
	if os.Getenv(env) != "" {
		Go("one", func() { panic("loud") })
		select {}
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWithoutHandler$")
	cmd.Env = append(os.Environ(), env+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panic: loud") {
		t.Errorf("%v\n%s", err, out)
	}
}
