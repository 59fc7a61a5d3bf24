package tui

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"go.uber.org/goleak"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/routine"
)

// No goroutine outlives the screens, except Bubble Tea's reader if it holds a key that arrived as the program ended.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/charmbracelet/ultraviolet.(*TerminalReader).sendEvents"),
		goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock")) // of regexp2, used for highlighting: ends one second later
}

// output is a terminal for a running screen. It begins each line at its left edge, as Bubble Tea expects if the input is
// not a terminal in raw mode.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
	em *vt.Emulator
}

func newOutput(t *testing.T) *output {
	o := &output{em: vt.NewEmulator(80, 24)}
	var answers sync.WaitGroup
	answers.Go(func() { _, _ = io.Copy(io.Discard, o.em) }) // unused here
	t.Cleanup(func() {
		_ = o.em.InputPipe().(io.Closer).Close()
		answers.Wait()
	})
	return o
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.b.Write(p)
	if _, err := o.em.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// String returns everything written.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// screen returns the visible screen.
func (o *output) screen() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.em.String()
}

func (o *output) resize(width, height int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.em.Resize(width, height)
}

// running is a screen running in a program of its own.
type running struct {
	t    *testing.T
	f    *fakeProcessor
	keys *io.PipeWriter
	out  *output
	end  chan error
	next string // set once it has ended

	program *tea.Program
	stop    context.CancelFunc
}

func start(t *testing.T, change ...func(*Options)) *running {
	t.Helper()
	in, keys := io.Pipe()
	r := &running{t: t, f: newFake(), keys: keys, out: newOutput(t), end: make(chan error, 1)}
	o := Options{
		Processor: r.f, Events: r.f, VaultName: "Garden notes", Engine: Engine{Provider: "offline engine"},
		Screen: Screen{ColorProfile: colorprofile.ANSI256, Input: in, Output: r.out},
	}
	for _, c := range change {
		c(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
	programs := make(chan *tea.Program, 1)
	go func() {
		var err error
		r.next, err = run(ctx, o, func(p *tea.Program) { programs <- p })
		r.end <- err
	}()
	r.program = <-programs
	t.Cleanup(func() {
		cancel()
		_ = keys.Close()
	})
	return r
}

// size sends a window size, since the output is not a terminal.
func (r *running) size(width, height int) {
	r.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(r.out.String(), "Garden notes"); { // wait for the first frame
		if time.Now().After(deadline) {
			r.t.Fatal("nothing was drawn")
		}
		time.Sleep(time.Millisecond)
	}
	r.out.resize(width, height)
	r.program.Send(tea.WindowSizeMsg{Width: width, Height: height})
}

// TestFirstFrame draws the screen in the colors of the terminal, with the cursor in the composer.
func TestFirstFrame(t *testing.T) {
	f := newFake()
	g := New(t.Context(), Options{
		Processor: f, Events: f, VaultName: "Garden notes", Engine: Engine{Provider: "offline engine"}, Screen: Screen{ColorProfile: colorprofile.ANSI256},
	})
	g.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	first := newOutput(t)
	frame := firstFrame(g.View(), colorprofile.ANSI256)
	if _, err := io.WriteString(first, frame); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(frame, "38;2;") {
		t.Error("colors that the terminal does not have")
	}
	if shown := first.screen(); !strings.Contains(shown, "◆ Garden notes") || !strings.Contains(shown, "\n  › Ask about your notes") {
		t.Errorf("it shows:\n%s", shown)
	}
	if at, want := first.em.CursorPosition(), g.View().Cursor.Position; at.X != want.X || at.Y != want.Y || want.Y < 20 {
		t.Errorf("the cursor is at %v, not in the composer at %v", at, want)
	}
}

func (r *running) press(s string) {
	r.t.Helper()
	if _, err := r.keys.Write([]byte(s)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *running) waitFor(text string) {
	r.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !strings.Contains(r.out.screen(), text) {
		if time.Now().After(deadline) {
			r.t.Fatalf("never showed %q; shows:\n%s", text, r.out.screen())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (r *running) ended() error {
	r.t.Helper()
	select {
	case err := <-r.end:
		return err
	case <-time.After(30 * time.Second):
		r.t.Fatal("the screen does not end")
		return nil
	}
}

func (r *running) restored() {
	r.t.Helper()
	out := r.out.String()
	for _, seq := range []string{ansi.ResetModeAltScreenSaveCursor, ansi.ShowCursor, ansi.ResetModeBracketedPaste} {
		if !strings.Contains(out, seq) {
			r.t.Errorf("the terminal is not restored: %q is missing", seq)
		}
	}
}

func TestRunAConversation(t *testing.T) {
	r := start(t, func(o *Options) {
		o.Load = func(context.Context) (session.Loaded, error) { return session.Loaded{Notices: []string{"loaded"}}, nil }
	})
	f := r.f
	f.onSubmit = func(m event.Inbound) {
		f.events <- event.Received{Message: m}
		f.events <- event.TurnStarted{MessageIDs: []string{m.ID}}
		f.events <- event.AgentMessage{Content: "Reading three notes."}
		f.events <- event.TextDelta{Text: "They are ripe in June"}
	}
	f.onStop = func() { f.events <- event.TurnStopped{MessageIDs: []string{"m1"}} }
	r.size(80, 24)
	r.waitFor("Ask about your notes")
	r.waitFor("loaded")
	for _, key := range "nectarines?" { // in more than one frame
		r.press(string(key))
		time.Sleep(20 * time.Millisecond)
	}
	r.waitFor("nectarines?")
	r.press("\r")
	r.waitFor("Reading three notes.")
	r.waitFor("They are ripe in June")
	r.press("\x1b")
	r.waitFor("Stopped")
	r.press("\x04")
	if err := r.ended(); err != nil {
		t.Fatal(err)
	}
	r.restored()
}

func TestRunEndsWithItsContext(t *testing.T) {
	r := start(t)
	r.size(80, 24)
	r.waitFor("Ask about your notes")
	r.stop()
	if err := r.ended(); err != nil {
		t.Fatal(err)
	}
	r.restored()
}

func TestRunEndsWithItsContextWhileATurnHangs(t *testing.T) {
	r := start(t)
	r.size(80, 24)
	r.waitFor("Ask about your notes")
	r.f.events <- event.TurnStarted{MessageIDs: []string{"m1"}}
	r.waitFor("Starting…")
	began := time.Now()
	r.stop()
	if err := r.ended(); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(began); d > time.Second {
		t.Errorf("took %v", d)
	}
	if r.f.stopped() != 0 {
		t.Error("the turn was stopped: its message would leave the inbox")
	}
	r.restored()
}

func TestPanicRestoresTheTerminal(t *testing.T) {
	for name, provoke := range map[string]func(*running, *atomic.Bool){
		"in a command": func(r *running, _ *atomic.Bool) {
			r.f.mu.Lock()
			r.f.panics = true
			r.f.mu.Unlock()
			r.press("x")
			r.press("\r")
		},
		"in Update": func(r *running, broken *atomic.Bool) {
			broken.Store(true)
			r.press("\x03") // calls Now
		},
		"in View": func(r *running, broken *atomic.Bool) {
			r.f.events <- event.TurnStarted{MessageIDs: []string{"m1"}}
			r.waitFor("Starting…")
			broken.Store(true) // drawing the elapsed time calls Now
		},
	} {
		t.Run(name, func(t *testing.T) {
			var broken atomic.Bool
			r := start(t, func(o *Options) {
				o.Now = func() time.Time {
					if broken.Load() {
						panic("a broken clock")
					}
					return time.Now()
				}
			})
			faults := make(chan *routine.Panic, 100)
			defer routine.OnPanic(func(p *routine.Panic) {
				faults <- p
				r.stop()
			})()
			r.size(80, 24)
			r.waitFor("Ask about your notes")
			provoke(r, &broken)
			if err := r.ended(); err != nil {
				t.Fatalf("ended with %v", err)
			}
			if f := <-faults; len(f.Stack) == 0 {
				t.Errorf("%v has no stack", f)
			}
			r.restored()
		})
	}
}
