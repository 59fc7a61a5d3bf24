package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/ask"
	"chatvault/internal/routine"
	"chatvault/internal/session"
)

// faultWait is how long the screen may take to end by the ordinary way after a panic; after it
// the process ends anyway.
const faultWait = 1300 * time.Millisecond

// faults is what becomes of a panic in any goroutine of this process: the terminal is restored, a
// report is written, and the exit status says that it failed. The first one counts; nothing that
// was accepted is in memory alone, so that what comes after it may be cut.
type faults struct {
	streams Streams
	json    bool // the command is to end with a line of JSON

	ending sync.Mutex // held from the beginning of the end on

	mu      sync.Mutex
	first   *routine.Panic
	session *session.Session   // whose state folder takes the report; nil: none
	leave   context.CancelFunc // ends the screen in order; nil: there is none
	rescue  func() bool        // restores the terminal without waiting for anybody, where it is in use
}

// watch takes over what panics, until the function it returns is called.
func (f *faults) watch() (end func()) { return routine.OnPanic(f.handle) }

// reportTo says which vault's state folder takes a report.
func (f *faults) reportTo(a *session.Session) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.session = a
}

// screen says that there is a screen now: leave ends it in order, rescue restores the terminal.
func (f *faults) screen(leave context.CancelFunc, rescue func() bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leave, f.rescue = leave, rescue
}

// caught is the panic that ends the program; nil: none.
func (f *faults) caught() *routine.Panic {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first
}

func (f *faults) handle(p *routine.Panic) {
	f.mu.Lock()
	if f.first != nil {
		f.mu.Unlock()
		return
	}
	f.first = p
	leave := f.leave
	f.mu.Unlock()
	if leave == nil {
		f.end(p)
	}
	time.AfterFunc(faultWait, routine.Guard("end after a panic", func() { f.end(p) }))
	leave()
}

// screenOff is what a screen of Bubble Tea's sends when it ends: mouse, focus and paste reports
// off, the key protocols too, the cursor shown and of its usual shape, the alternate screen left.
const screenOff = "\x1b[>4m\x1b[<u\x1b[?2026l\x1b[?2027l\x1b[0 q\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?25h\x1b[?1049l\r\n"

// end ends the process; whoever comes second does not come back.
func (f *faults) end(p *routine.Panic) {
	f.ending.Lock()
	session.KillServers()
	f.mu.Lock()
	a, rescue := f.session, f.rescue
	f.mu.Unlock()
	time.AfterFunc(faultWait, routine.Guard("end after a panic", func() { os.Exit(exitFailed) })) // where nobody takes what is written
	text := fmt.Sprintf("chatvault failed: %v (a bug in chatvault; your notes and messages are kept)", p)
	if a != nil {
		text += "\n" + a.CrashReport(versionText(), p, p.Stack)
	} else {
		text += "\n" + llm.Redact(string(p.Stack))
	}
	if rescue != nil && rescue() {
		_, _ = io.WriteString(f.streams.Out.Unfiltered(), screenOff)
	}
	fmt.Fprintln(f.streams.Err, "chatvault: "+text)
	if f.json { // last, and at once before the end: it is the last line
		_ = ask.JSONFailure(f.streams.Out, "internal", text)
	}
	os.Exit(exitFailed)
}

// endWait is how long a process that was told to end may take for it. A terminal that takes no more
// output, as after Ctrl+S or behind a connection that is gone, would let it wait for ever: what was
// accepted is on disk by then, as it is after a kill.
const endWait = 1800 * time.Millisecond

// endWithin ends the process when wait is over after ctx has ended, unless done is called before. rescue
// restores the terminal without waiting for anybody.
func endWithin(ctx context.Context, wait time.Duration, rescue func() bool) (done func()) {
	ended := make(chan struct{})
	routine.Go("overdue", func() {
		select {
		case <-ended:
			return
		case <-ctx.Done():
		}
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-ended:
		case <-t.C:
			session.KillServers()
			_ = rescue()
			os.Exit(exitFailed)
		}
	})
	return func() { close(ended) }
}
