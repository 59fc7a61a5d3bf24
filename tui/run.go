package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"chatvault/internal/base/routine"
)

// Run shows the chat until the user quits, switches to another vault, or ctx is done. It returns the folder of the vault to open next. A
// running turn is not stopped: closing the processor interrupts it and keeps its message. Messages that are
// still being stored become the draft. The terminal is restored on every exit. Panics are passed to the handler of package
// routine, which must end ctx. Run closes Options.Events.
func Run(ctx context.Context, o Options) (next string, err error) { return run(ctx, o, nil) }

// run implements Run. If started is not nil, it receives the program before it runs.
func run(ctx context.Context, o Options, started func(*tea.Program)) (next string, err error) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	g := guard{New(inner, o)}
	defer o.Events.Close()

	options := []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithContext(ctx), tea.WithColorProfile(o.ColorProfile), tea.WithWindowSize(80, 24)} // default size
	if o.Input != nil {
		options = append(options, tea.WithInput(o.Input))
	}
	if o.Output != nil {
		options = append(options, tea.WithOutput(o.Output))
	}

	write := func(sequence string) {
		if o.Output != nil {
			_, _ = io.WriteString(o.Output, sequence) // the terminal may be gone
		}
	}
	write(o.Window.Begin())
	defer func() { write(o.Window.End()) }()
	p := tea.NewProgram(g, options...)
	if started != nil {
		started(p)
	}
	_, err = p.Run()
	if _, ok := o.Output.(interface{ Fd() uintptr }); ok {
		write(ansi.ResetModeBracketedPaste + ansi.ResetModeAltScreenSaveCursor) // of the first frame, if Bubble Tea has drawn none
	}
	cancel()
	switch {
	case errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil:
		defer routine.Catch("screen")
		g.quit() // keeps what was written
		return next, nil
	case ctx.Err() == nil:
		next = g.lists.next
	}
	return next, err
}

// guard passes panics in the model and in its commands to the handler of package routine, which ends the program.
type guard struct{ *Model }

// Init also draws the first frame. Bubble Tea 2.1.1 draws it with the first tick of its renderer, 17 ms later.
func (g guard) Init() tea.Cmd {
	cmd := watch(g.Model.Init())
	f, ok := g.o.Output.(interface{ Fd() uintptr })
	if !ok {
		return cmd
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return cmd
	}
	sized := g.guarded(tea.WindowSizeMsg{Width: width, Height: height})
	_, _ = io.WriteString(g.o.Output, firstFrame(g.View(), g.o.ColorProfile)) // the terminal may be gone
	return tea.Batch(cmd, sized)
}

// firstFrame returns what draws a view on a terminal whose modes are not set yet. It sets bracketed paste, so that a paste
// at once does not send its lines.
func firstFrame(v tea.View, profile colorprofile.Profile) string {
	var b strings.Builder
	b.WriteString(ansi.SetModeBracketedPaste + ansi.SetModeAltScreenSaveCursor + ansi.EraseEntireScreen + ansi.CursorHomePosition)
	out := colorprofile.Writer{Forward: &b, Profile: profile}
	_, _ = out.WriteString(strings.ReplaceAll(v.Content, "\n", "\r\n"))
	if v.Cursor != nil {
		b.WriteString(ansi.CursorPosition(v.Cursor.X+1, v.Cursor.Y+1))
	}
	return b.String()
}

func (g guard) Update(msg tea.Msg) (tea.Model, tea.Cmd) { return g, g.guarded(msg) }

func (g guard) guarded(msg tea.Msg) tea.Cmd {
	defer routine.Catch("screen")
	_, cmd := g.Model.Update(msg)
	return watch(cmd)
}

func (g guard) View() (v tea.View) {
	v.AltScreen = true
	defer routine.Catch("screen")
	return g.Model.View()
}

// watch guards a command and the commands that it returns.
func watch(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer routine.Catch("screen command")
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = watch(batch[i])
			}
		}
		return msg
	}
}

// quitMsg ends the program.
type quitMsg struct{}

// unsaved returns the sent texts that are not stored yet.
func (s *sending) unsaved() []string {
	var texts []string
	if e := s.moving.edited; e != nil {
		texts = append(texts, e.typed())
	}
	for _, o := range s.outbox {
		if o.ID == "" {
			texts = append(texts, typedIn(o.Mode, o.Text))
		}
	}
	return texts
}

// quit ends the program. Unlike Esc it does not stop the running turn: the turn is interrupted, and its message and the
// queued ones are offered at the next start. Messages that are being stored become the draft; the next start drops it if
// they were stored in time.
func (m *Model) quit() tea.Cmd {
	text := m.written()
	if rest := m.unsaved(); len(rest) > 0 {
		text = strings.TrimRight(strings.Join(append(rest, text), "\n"), "\n")
	}
	m.draft.text.Store(text)
	m.draft.save() // not as a command, since none runs after Quit
	return tea.Quit
}

// job suspends and resumes the process.
type job struct {
	*shared
	notifier  notifier
	suspended bool // stopped by Ctrl+Z and not known to have continued
}

// suspend suspends the process if there is a shell that can continue it.
func (j *job) suspend() tea.Cmd {
	t := j.o.Terminal
	if t == nil || t.Suspension() == nil {
		return j.flash("Not suspended: there is no shell to return to", 3*quitWindow)
	}
	j.suspended = true
	return tea.Exec(t.Suspension(), func(error) tea.Msg { return tea.ResumeMsg{} })
}

// continued sets the terminal's modes again if something other than suspend stopped the process.
func (j *job) continued(os.Signal) tea.Cmd {
	if j.suspended {
		return nil
	}
	return tea.Exec(j.o.Terminal.Refresh(), nil)
}
