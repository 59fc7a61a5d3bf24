package tui

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/routine"
	"chatvault/tui/chat"
	"chatvault/tui/loop"
)

// killWait is how long the screen may take to end after ctx ended.
const killWait = leaveWait + 300*time.Millisecond

// Run shows the chat until the user leaves it or ctx ends. A running turn is left as it
// is: closing the processor cuts it and keeps its message. What was sent is durable
// first, or, where that takes more than a second, the draft. The terminal is restored on every way out. A
// fault of the program is returned as a *PanicError. Options.Events is closed.
func Run(ctx context.Context, o Options) error { return run(ctx, o, nil) }

// run is Run; started, when not nil, gets the program before it runs.
func run(ctx context.Context, o Options, started func(*tea.Program)) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	first, end := context.WithCancel(inner)
	g := &guard{ctx: inner, end: end, Model: New(first, o)}
	defer func() { g.o.Events.Close() }() // of the chat that is shown last

	// Bubble Tea's own renderer looks sixty times a second whether there is something to draw.
	options := []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithoutRenderer()}
	switch {
	case o.Terminal != nil:
		if err := o.Terminal.Open(); err != nil {
			return fmt.Errorf("the terminal cannot be used: %w", err)
		}
		defer func() { err = errors.Join(err, o.Terminal.Close()) }()
		in := o.Terminal.Input()
		options = append(options, tea.WithInput(in))
		if in, ok := in.(longPastes); ok {
			options = append(options, tea.WithFilter(wholePastes(in)))
		}
	case o.Input != nil:
		options = append(options, tea.WithInput(o.Input))
	}

	g.o.Attention.Begin()
	defer g.o.Attention.End()

	g.takeScreen()
	defer g.screen.Close()

	p := tea.NewProgram(g, options...)
	g.wake = p.Quit
	if started != nil {
		started(p)
	}
	ended := make(chan struct{})
	g.screen.Watch(ended, func(width, height int) { p.Send(tea.WindowSizeMsg{Width: width, Height: height}) })
	watched := make(chan struct{})
	routine.Go("screen leave", func() {
		defer close(watched)
		leaveWith(ctx, p, ended)
	})
	_, err = p.Run()
	close(ended)
	cancel()
	<-watched
	if g.fault != nil {
		return g.fault
	}
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil // asked to end; the screen took too long to do it itself
	}
	return err
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
	ctx   context.Context
	end   context.CancelFunc // of the chat on the screen
	chat  int                // which one it is: they are counted
	fault *PanicError
	wake  func() // makes the program end when View failed, which has no command to say so
}

type faultMsg struct{ *PanicError }

func caught(v any) *PanicError { return &PanicError{Value: v, Stack: debug.Stack()} }

func (g *guard) Init() tea.Cmd { return watch(g.chat, g.Model.Init()) }

func (g *guard) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	defer func() {
		if v := recover(); v != nil {
			g.fault = caught(v)
			model, cmd = g, tea.Quit
		}
	}()
	if sent, ok := msg.(sentMsg); ok {
		if sent.chat != g.chat {
			return g, nil
		}
		msg = sent.msg
	}
	switch msg := msg.(type) {
	case faultMsg:
		g.fault = msg.PanicError
		return g, tea.Quit
	case switchVaultMsg:
		cmd = g.switchVault(msg)
	default:
		_, cmd = g.Model.Update(msg)
	}
	return g, watch(g.chat, cmd)
}

func (g *guard) View() (frame string) {
	defer func() {
		if v := recover(); v != nil {
			g.fault = caught(v)
			routine.Go("screen wake", g.wake)
			frame = ""
		}
	}()
	if g.fault != nil {
		return ""
	}
	if g.screen == nil {
		return g.Model.View()
	}
	g.show()
	g.awaited = false
	return ""
}

// watch makes a panic in a command, or in those it brings, a message, and says which chat the
// messages are for.
func watch(chat int, cmd tea.Cmd) tea.Cmd {
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
				batch[i] = watch(chat, batch[i])
			}
		}
		return addressed(chat, msg)
	}
}

// leaveWait is how long leaving waits for what was just sent to be durable.
const leaveWait = time.Second

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
func (m *Model) unsaved() []string {
	var texts []string
	if e := m.moving.edited; e != nil && !m.moving.asks { // then it stands in the draft
		texts = append(texts, e.typed())
	}
	for _, o := range m.outbox {
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

// suspend gives the terminal to the shell, where there is one that can give it back.
func (m *Model) suspend() tea.Cmd {
	if t, ok := m.o.Terminal.(interface{ Continuable() bool }); ok && !t.Continuable() {
		return m.flash("Not suspended: there is no shell to return to", 3*quitWindow)
	}
	t, window, screen := m.o.Terminal, m.o.Attention, m.screen
	return func() tea.Msg {
		window.End() // the title is the shell's meanwhile
		if screen != nil {
			screen.Pause()
		}
		if t != nil {
			if err := t.Suspend(); err != nil {
				return loop.Do(func() tea.Cmd {
					m.say(chat.NewError(m.env, "The terminal cannot be suspended: "+err.Error()))
					return nil
				})
			}
		}
		return loop.Do(func() tea.Cmd { return tea.Suspend }) // the terminal is ready for the shell
	}
}

// resumed is after fg: the terminal may have another size and shows the shell.
func (m *Model) resumed() tea.Cmd {
	if m.o.Terminal != nil {
		if err := m.o.Terminal.Resume(); err != nil {
			m.say(chat.NewError(m.env, "The terminal could not be restored: "+err.Error()+"\nLeave with Ctrl+D and start chatvault again."))
		}
	}
	m.o.Attention.Again()
	m.focused(true)
	m.notifier.shown = time.Time{}
	if m.screen != nil {
		m.screen.Resume()
	}
	return m.sized()
}
