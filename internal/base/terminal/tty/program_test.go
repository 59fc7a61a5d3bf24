package tty

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// program is the Bubble Tea program that this package's tests run in a pseudo-terminal. It shows the keys it
// receives, and is the test binary itself.
type program struct {
	terminal *Terminal
	keys     []string
}

type (
	gone     struct{}
	executed struct{ err error }
)

func (p *program) Init() tea.Cmd {
	return func() tea.Msg {
		<-p.terminal.Gone()
		return gone{}
	}
}

func (p *program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		p.keys = append(p.keys, fmt.Sprintf("paste:%.40q", msg.Content))
	case tea.KeyPressMsg:
		p.keys = append(p.keys, msg.String())
		switch msg.String() {
		case "q":
			return p, tea.Quit
		case "ctrl+z":
			return p, tea.Exec(p.terminal.Suspension(), func(error) tea.Msg { return tea.ResumeMsg{} })
		case "ctrl+e":
			c := exec.Command("/bin/sh", "-c", "echo editor; read line; echo edited $line; sleep 0.2")
			return p, tea.Exec(p.terminal.Command(c), func(err error) tea.Msg { return executed{err} })
		case "ctrl+k":
			p.keys = nil
		}
	case tea.ResumeMsg:
		p.keys = append(p.keys, "resumed")
	case executed:
		p.keys = append(p.keys, fmt.Sprint("executed:", msg.err))
	case gone:
		_ = os.WriteFile(os.Getenv("TTY_GONE"), []byte("gone"), 0o600)
		return p, tea.Quit
	}
	return p, nil
}

func (p *program) View() tea.View {
	return tea.View{Content: "keys: " + strings.Join(p.keys, ",") + ";", AltScreen: os.Getenv("TTY_ALT") != ""}
}

func runProgram() int {
	t := New()
	if err := t.Open(); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	defer func() { _ = t.Close() }()
	if _, err := tea.NewProgram(&program{terminal: t}, tea.WithInput(t.Input())).Run(); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}
