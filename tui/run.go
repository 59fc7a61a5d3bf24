package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/internal/routine"
	"chatvault/tui/loop"
)

// killWait is how long the screen may take to end after ctx ended.
const killWait = leaveWait + 300*time.Millisecond

// Run shows the chat until the user leaves it or ctx ends. A running turn is left as it
// is: closing the processor cuts it and keeps its message. What was sent is durable
// first, or, where that takes more than a second, the draft. The terminal is restored on every way out. A
// fault of the program is returned as a *PanicError. Options.Events is closed. The user may have left it for
// another vault's.
func Run(ctx context.Context, o Options) (Next, error) { return run(ctx, o, nil) }

// run is Run; started, when not nil, gets the program before it runs.
func run(ctx context.Context, o Options, started func(*tea.Program)) (next Next, err error) {
	if err := o.check(); err != nil {
		return next, err
	}
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	g := &guard{Model: New(inner, o)}
	defer o.Events.Close()

	options := []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithColorProfile(o.ColorProfile), tea.WithWindowSize(80, 24)} // where the terminal tells no size
	if o.Input != nil {
		options = append(options, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		options = append(options, tea.WithOutput(o.Output))
	}

	g.o.Attention.Begin()
	defer g.o.Attention.End()

	p := tea.NewProgram(g, options...)
	g.wake = p.Quit
	if started != nil {
		started(p)
	}
	ended := make(chan struct{})
	watched := make(chan struct{})
	routine.Go("screen leave", func() {
		defer close(watched)
		leaveWith(ctx, p, ended)
	})
	_, err = p.Run()
	close(ended)
	cancel()
	<-watched
	switch {
	case g.fault != nil:
		return next, g.fault
	case errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil:
		return next, nil // asked to end; the screen took too long to do it itself
	case g.following != nil && ctx.Err() == nil:
		next = *g.following
	}
	return next, err
}

// leaveWith ends the program when ctx ends: by its own way, else by force.
func leaveWith(ctx context.Context, p *tea.Program, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	sent := make(chan struct{})
	routine.Go("screen leave message", func() {
		defer close(sent)
		p.Send(leaveMsg{})
	})
	t := time.NewTimer(killWait)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
		p.Kill()
		<-ended
	}
	<-sent
}

// PanicError is a fault of chatvault itself that ended the screen, after the
// terminal was restored. Stack is for the report.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("chatvault failed: %v (a bug in chatvault; your notes and messages are kept)", e.Value)
}

// guard wraps the model so that a panic, in Update, View or a command, leaves
// through the ordinary way out: the terminal is restored, the fault is returned.
type guard struct {
	*Model
	fault *PanicError
	wake  func() // makes the program end when View failed, which has no command to say so
}

type faultMsg struct{ *PanicError }

func caught(v any) *PanicError { return &PanicError{Value: v, Stack: debug.Stack()} }

func (g *guard) Init() tea.Cmd { return watch(g.Model.Init()) }

func (g *guard) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer func() {
		if v := recover(); v != nil {
			g.fault = caught(v)
			model, cmd = g, tea.Quit
		}
	}()
	if fault, ok := msg.(faultMsg); ok {
		g.fault = fault.PanicError
		return g, tea.Quit
	}
	_, cmd = g.Model.Update(msg)
	return g, watch(cmd)
}

func (g *guard) View() (v tea.View) {
	defer func() {
		if fault := recover(); fault != nil {
			g.fault = caught(fault)
			routine.Go("screen wake", g.wake)
			v = tea.View{AltScreen: true}
		}
	}()
	if g.fault != nil {
		return tea.View{AltScreen: true}
	}
	return g.Model.View()
}

// watch makes a panic in a command, or in those it brings, a message.
func watch(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if v := recover(); v != nil {
				msg = faultMsg{caught(v)}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = watch(batch[i])
			}
		}
		return msg
	}
}

// leaveWait is how long leaving waits for what was just sent to be durable.
const leaveWait = time.Second

// quitMsg ends the program: all is durable.
type quitMsg struct{}

// leaveMsg says to leave by the ordinary way.
type leaveMsg struct{}

// leave ends the program. The running turn is not stopped, as Esc would: it is cut with
// the program, and its message, like those that are queued, is offered at the next start.
// What was sent a moment ago is made durable first, within a bound.
func (m *Model) leave() tea.Cmd {
	if m.leaving {
		return nil
	}
	m.leaving, m.hint = true, ""
	if len(m.unsaved()) == 0 {
		return m.quit()
	}
	return m.tick(leaveWait, func(time.Time) tea.Msg { return loop.Do(m.quit) }) // it does not wait any longer
}

// unsaved are the texts that were sent and are not durable yet.
func (s *sending) unsaved() []string {
	var texts []string
	if e := s.moving.edited; e != nil && !s.moving.asks { // then it stands in the draft
		texts = append(texts, e.typed())
	}
	for _, o := range s.outbox {
		if o.ID == "" {
			texts = append(texts, o.Text)
		}
	}
	return texts
}

// quit ends the program now; what could not be made durable becomes the draft.
func (m *Model) quit() tea.Cmd {
	m.leaving = true
	text := m.written()
	if rest := m.unsaved(); len(rest) > 0 {
		text = strings.TrimRight(strings.Join(append(rest, text), "\n"), "\n")
	}
	m.draft.set(text)
	m.draft.flush() // here, not in a command: nothing runs after Quit
	return tea.Quit
}

// job gives the terminal to the shell, and takes it back.
type job struct {
	*shared
	notifier  notifier
	suspended bool // Ctrl+Z stopped the process, and nothing said yet that it continues
}

// suspend gives the terminal to the shell, where there is one that can give it back.
func (j *job) suspend() tea.Cmd {
	t := j.o.Terminal
	if t == nil || !t.Continuable() {
		return j.flash("Not suspended: there is no shell to return to", 3*quitWindow)
	}
	j.suspended = true
	window := j.o.Attention
	return tea.Sequence(
		func() tea.Msg { window.End(); return nil }, // the title is the shell's meanwhile
		tea.Exec(t.Suspension(), func(error) tea.Msg { return tea.ResumeMsg{} }),
	)
}

// resumed is after fg.
func (j *job) resumed() {
	j.suspended = false
	j.o.Attention.Again()
	j.notifier.focused(true)
	j.notifier.shown = time.Time{}
}

// nextContinued waits for the process to continue after it was stopped.
func (j *job) nextContinued() tea.Cmd {
	if j.o.Terminal == nil {
		return nil
	}
	return next(j.ctx, j.o.Terminal.Continued(), j.continued)
}

// continued draws the screen anew where something else than suspend stopped the process: what had the
// terminal meanwhile may have left it in any mode.
func (j *job) continued(os.Signal) tea.Cmd {
	if j.suspended {
		return j.nextContinued()
	}
	modes, err := j.o.Terminal.Retake(j.o.Mouse)
	if err != nil {
		return j.nextContinued() // there is no terminal any more
	}
	return tea.Batch(tea.Sequence(tea.Raw(modes), tea.ClearScreen), j.nextContinued())
}
