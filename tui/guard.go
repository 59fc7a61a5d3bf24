package tui

import (
	"fmt"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"
)

// PanicError is a fault of chatvault itself that ended the screen, after the
// terminal was restored. Stack is for the report.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("chatvault failed: %v (a fault of the program; your notes and messages are kept)", e.Value)
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
	if f, ok := msg.(faultMsg); ok {
		g.fault = f.PanicError
		return g, tea.Quit
	}
	_, cmd = g.Model.Update(msg)
	return g, watch(cmd)
}

func (g *guard) View() (frame string) {
	defer func() {
		if v := recover(); v != nil {
			g.fault = caught(v)
			go g.wake()
			frame = ""
		}
	}()
	if g.fault != nil {
		return ""
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
