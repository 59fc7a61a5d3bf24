package tui

import (
	"io"
	"os"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/tui/frame"
	"chatvault/tui/paint"
)

// display is what is shown, on what.
type display struct {
	screen *paint.Screen // nil: none, and View is what is looked at
	full   *paint.Full   // the same, where it is the terminal's whole one

	width, height int
	dirty         bool   // something is to be drawn
	awaited       bool   // a key was pressed, and is to be seen
	frame         string // what View returns
	lay           frame.Layout
	finisher      frame.Finisher
}

// takeScreen takes the terminal's screen, or what is below the output that is there. Bubble Tea
// draws nothing, and knows no size.
func (g *guard) takeScreen() {
	var out io.Writer = os.Stdout
	if g.o.Output != nil {
		out = g.o.Output
	}
	if g.o.AltScreen {
		g.full = paint.OpenFull(out, g.o.Mouse)
		g.screen = &g.full.Screen
	} else { // the wheel is the scrollback's
		s := paint.OpenPrinted(out)
		g.printed.Open(s)
		g.screen = &s.Screen
	}
}

// leaveScreen gives the terminal back; what was not printed yet is printed.
func (g *guard) leaveScreen() {
	if g.printed.Active() {
		g.printed.Close(g.lastLines())
		return
	}
	g.full.Close()
}

// lastLines are those that were not printed; after a fault, as far as they can be had.
func (g *guard) lastLines() (lines []string) {
	defer func() {
		if v := recover(); v != nil && g.fault == nil {
			g.fault = caught(v)
		}
	}()
	if g.fault != nil {
		return g.printed.Queued()
	}
	return g.unprinted()
}

// show has the terminal show the present frame.
func (m *Model) show() {
	switch {
	case m.printed.Active():
		m.paint()
	case m.full != nil:
		m.full.Paint(m.View(), m.width, m.height, m.awaited)
	default:
		m.View()
	}
}

// sized tells the program how large the terminal is, after something else had it.
func (d *display) sized() tea.Cmd {
	s := d.screen
	if s == nil {
		return nil
	}
	return func() tea.Msg {
		width, height, ok := s.Size()
		if !ok {
			return nil
		}
		return tea.WindowSizeMsg{Width: width, Height: height}
	}
}

// exec runs a command that needs the terminal for itself.
func (d *display) exec(c tea.ExecCommand, ended func(error) tea.Msg) tea.Cmd {
	if d.screen != nil {
		c = handedOver{c, d.screen}
	}
	return tea.Exec(c, ended)
}

// handedOver is a command that has the terminal while it runs.
type handedOver struct {
	tea.ExecCommand
	screen *paint.Screen
}

func (h handedOver) Run() error {
	h.screen.Pause()
	defer h.screen.Resume()
	return h.ExecCommand.Run()
}
