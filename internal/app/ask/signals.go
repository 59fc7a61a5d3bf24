package ask

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"chatvault/internal/app/session"
	"chatvault/internal/base/failpoint"
	"chatvault/internal/base/routine"
)

// signalWatch handles signals while a turn is followed: the first interrupt stops the turn, SIGTERM and SIGHUP end
// the program cleanly, a second signal ends it at once.
type signalWatch struct {
	stopping atomic.Bool  // the turn must stop, even one that has not begun yet
	sig      atomic.Int32 // the signal that ends the program
	signals  chan os.Signal
	ended    chan struct{}
}

// lastLine is how long printing the last line may take once the processor is closed.
const lastLine = 300 * time.Millisecond

func watchSignals(p *session.Session) *signalWatch {
	w := &signalWatch{signals: make(chan os.Signal, 2), ended: make(chan struct{})}
	signal.Notify(w.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Ignore(syscall.SIGPIPE) // a lost reader is a write error
	routine.Go("ask signals", func() { w.watch(p) })
	return w
}

func (w *signalWatch) end() {
	signal.Stop(w.signals)
	close(w.ended)
}

// ending returns the number of the signal that ends the program, or 0.
func (w *signalWatch) ending() int { return int(w.sig.Load()) }

func (w *signalWatch) watch(p *session.Session) {
	for n := 0; ; n++ {
		select {
		case <-w.ended:
			return
		case sig := <-w.signals:
			failpoint.Pass("round ask signals")
			number := int(syscall.SIGTERM)
			if s, ok := sig.(syscall.Signal); ok {
				number = int(s)
			}
			if n > 0 {
				exit(number)
			}
			if sig == os.Interrupt {
				w.stopping.Store(true)
				p.Stop()
				continue
			}
			w.sig.Store(int32(number))
			routine.Go("ask leave", func() { w.leave(p, number) })
		}
	}
}

// leave ends the program on a signal. The message stays in the inbox and is offered at the next start.
func (w *signalWatch) leave(p *session.Session, number int) {
	ctx, cancel := context.WithTimeout(context.Background(), 1500*time.Millisecond)
	_ = p.End(ctx)
	cancel()
	select {
	case <-w.ended:
	case <-time.After(lastLine): // the reader of the output does not read
		exit(number)
	}
}

// exit ends the program at once on a signal.
func exit(number int) {
	session.KillServers()
	os.Exit(128 + number)
}
