package tui

import (
	"context"
	"fmt"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/routine"
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
