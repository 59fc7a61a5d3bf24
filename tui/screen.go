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

	width, height int
	dirty         bool   // something is to be drawn
	awaited       bool   // a key was pressed, and is to be seen
	frame         string // what View returns
	lay           frame.Layout
	finisher      frame.Finisher
}

// takeScreen takes the terminal's screen. Bubble Tea draws nothing, and knows no size.
func (g *guard) takeScreen() {
	var out io.Writer = os.Stdout
	if g.o.Output != nil {
		out = g.o.Output
	}
	g.screen = paint.Open(out, g.o.Mouse)
}

// show has the terminal show the present frame.
func (m *Model) show() {
	if frame := m.View(); m.screen != nil {
		m.screen.Paint(frame, m.width, m.height, m.awaited)
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
