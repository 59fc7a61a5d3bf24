package tty

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// program is what the tests of this package run in a pseudo-terminal: a program
// of Bubble Tea's that shows the keys it gets. It is the test binary itself.
type program struct {
	terminal *Terminal
	header   string
	keys     []string
	sized    bool // Bubble Tea has asked for the size: where the terminal is gone by then, it ends the program itself
}

type (
	suspendNow struct{}
	gone       struct{}
	executed   struct{ err error }
)

func (p *program) Init() tea.Cmd {
	return func() tea.Msg {
		<-p.terminal.Gone()
		return gone{}
	}
}

func (p *program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if msg.Paste {
			p.keys = append(p.keys, fmt.Sprintf("paste:%d:%.20q", len(string(msg.Runes)), string(msg.Runes)))
			return p, nil
		}
		p.keys = append(p.keys, msg.String())
		switch msg.String() {
		case "q":
			return p, tea.Quit
		case "ctrl+z":
			if !p.terminal.Continuable() {
				return p, nil
			}
			return p, func() tea.Msg {
				if err := p.terminal.Suspend(); err != nil {
					return executed{err}
				}
				return suspendNow{}
			}
		case "ctrl+e":
			c := exec.Command("/bin/sh", "-c", "echo editor; read line; echo edited $line; sleep 0.2")
			return p, tea.Exec(p.terminal.Command(c), func(err error) tea.Msg { return executed{err} })
		case "ctrl+k":
			p.keys = nil
		}
	case suspendNow:
		return p, tea.Suspend
	case tea.ResumeMsg:
		if err := p.terminal.Resume(); err != nil {
			p.keys = append(p.keys, err.Error())
		}
		p.keys = append(p.keys, "resumed")
	case executed:
		p.keys = append(p.keys, fmt.Sprint("executed:", msg.err))
	case tea.WindowSizeMsg:
		p.sized = true
	case tea.FocusMsg:
		p.keys = append(p.keys, "focus")
	case tea.BlurMsg:
		p.keys = append(p.keys, "blur")
	case tea.MouseMsg:
		p.keys = append(p.keys, "mouse:"+msg.String())
	case gone:
		_ = os.WriteFile(os.Getenv("TTY_GONE"), []byte("gone"), 0o600)
		return p, tea.Quit
	}
	return p, nil
}

func (p *program) View() string {
	if !p.sized {
		return ""
	}
	return p.header + "\nkeys: " + strings.Join(p.keys, ",") + ";"
}

func runProgram() int {
	t := New()
	if err := t.Open(); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	defer func() { _ = t.Close() }()
	p := &program{terminal: t}
	if wait, err := time.ParseDuration(os.Getenv("TTY_ASK")); err == nil {
		time.Sleep(100 * time.Millisecond) // for the test to type ahead
		start := time.Now()
		b := t.Background(os.Getenv, wait)
		p.header = fmt.Sprintf("background: %d, slow: %t", b, time.Since(start) > wait/2)
		if d := time.Since(start); d > 2*wait {
			p.header += fmt.Sprint(" far too slow: ", d)
		}
	}
	options := []tea.ProgramOption{tea.WithInput(t.Input()), tea.WithReportFocus(), tea.WithMouseCellMotion(), tea.WithFilter(whole(t.in))}
	if os.Getenv("TTY_ALT") != "" {
		options = append(options, tea.WithAltScreen())
	}
	if _, err := tea.NewProgram(p, options...).Run(); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}

// whole puts the pastes that stand aside into their places.
func whole(in *Input) func(tea.Model, tea.Msg) tea.Msg {
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		if k, ok := msg.(tea.KeyMsg); ok && k.Paste {
			if text, ok := in.Whole(string(k.Runes)); ok {
				k.Runes = []rune(text)
				return k
			}
		}
		return msg
	}
}
