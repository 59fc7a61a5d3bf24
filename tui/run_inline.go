package tui

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/routine"
	"chatvault/tui/inline"
)

// startPrinting prepares a chat that leaves the screen to the terminal. Bubble Tea then draws nothing,
// and knows no size.
func (g *guard) startPrinting() tea.ProgramOption {
	var out io.Writer = os.Stdout
	if g.o.Output != nil {
		out = g.o.Output
	}
	g.printing.screen = inline.Open(out, g.o.Attention != nil)
	return tea.WithoutRenderer()
}

// stopPrinting prints what was not printed yet, and gives the terminal back.
func (g *guard) stopPrinting() {
	g.printing.screen.Close(g.lastLines())
}

// lastLines are those that were not printed; after a fault, as far as they can be had.
func (g *guard) lastLines() (lines []string) {
	defer func() {
		if v := recover(); v != nil && g.fault == nil {
			g.fault = caught(v)
		}
	}()
	if g.fault != nil {
		return g.printing.queue
	}
	return g.unprintedLines()
}

// watchSize tells the program the terminal's size, now and whenever it changes, until ended.
func watchSize(p *tea.Program, s *inline.Screen, ended <-chan struct{}) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	routine.Go("screen size", func() {
		defer signal.Stop(changed)
		for {
			if width, height, ok := s.Size(); ok {
				p.Send(tea.WindowSizeMsg{Width: width, Height: height})
			}
			select {
			case <-ended:
				return
			case <-changed:
			}
		}
	})
}
