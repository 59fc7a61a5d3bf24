package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/app/ask"
	"chatvault/internal/app/session"
	"chatvault/internal/base/routine"
)

// faultWait is how long the screen may take to end cleanly after a panic. Then the process exits anyway.
const faultWait = 1300 * time.Millisecond

// faults handles a panic in any goroutine: it restores the terminal, writes a report and sets a failing exit status.
// Only the first panic counts. Accepted messages are on disk, so everything else may be cut off.
type faults struct {
	streams Streams
	json    bool // the command's output ends with a line of JSON

	ending  sync.Mutex // held from the start of the exit on
	first   atomic.Pointer[routine.Panic]
	session atomic.Pointer[session.Session] // its state folder gets the report; may be nil
	screen  atomic.Pointer[screen]          // may be nil
}

// screen is an open screen.
type screen struct {
	leave  context.CancelFunc // closes it cleanly
	rescue func() bool        // restores the terminal without blocking; reports whether it was in use
}

// handle ends the program, cleanly if there is a screen.
func (f *faults) handle(p *routine.Panic) {
	if !f.first.CompareAndSwap(nil, p) {
		return
	}
	x := f.screen.Load()
	if x == nil {
		f.end(p)
		return
	}
	time.AfterFunc(faultWait, routine.Guard("end after a panic", func() { f.end(p) }))
	x.leave()
}

// screenOff is what Bubble Tea sends when its screen ends: mouse, focus, paste and key protocols off, the usual
// cursor, the main screen.
const screenOff = "\x1b[>4m\x1b[<u\x1b[?2026l\x1b[?2027l\x1b[0 q\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?25h\x1b[?1049l\r\n"

// end exits the process. Later callers block.
func (f *faults) end(p *routine.Panic) {
	f.ending.Lock()
	session.KillServers()
	time.AfterFunc(faultWait, routine.Guard("end after a panic", func() { os.Exit(exitFailed) })) // in case output blocks
	text := fmt.Sprintf("chatvault failed: %v (a bug in chatvault; your notes and messages are kept)", p)
	if a := f.session.Load(); a != nil {
		text += "\n" + a.CrashReport(versionText(), p, p.Stack)
	} else {
		text += "\n" + llm.Redact(string(p.Stack))
	}
	if x := f.screen.Load(); x != nil && x.rescue() {
		_, _ = io.WriteString(f.streams.Out.Unfiltered(), screenOff)
	}
	fmt.Fprintln(f.streams.Err, "chatvault: "+text)
	if f.json { // last, right before exiting: it is the last line
		_ = ask.JSONFailure(f.streams.Out, "internal", text)
	}
	os.Exit(exitFailed)
}

// endWait is how long a process may take to exit after a signal. A terminal that takes no output, as after Ctrl+S or
// over a dead connection, would block it for ever. Accepted messages are on disk, as after a kill.
const endWait = 1800 * time.Millisecond

// endWithin exits the process if done is not called within wait after ctx has ended. rescue restores the terminal
// without blocking.
func endWithin(ctx context.Context, wait time.Duration, rescue func() bool) (done func()) {
	ended := make(chan struct{})
	unwatch := context.AfterFunc(ctx, routine.Guard("overdue", func() {
		select {
		case <-ended:
		case <-time.After(wait):
			session.KillServers()
			_ = rescue()
			os.Exit(exitFailed)
		}
	}))
	return func() {
		unwatch()
		close(ended)
	}
}
