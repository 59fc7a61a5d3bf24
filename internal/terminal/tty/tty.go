// Package tty is the terminal the program runs in, as far as Bubble Tea does not know it: its
// former mode, whether it is gone, other programs that use it in between, pastes that it does not
// mark.
//
// A Terminal promises: Rescue and Close restore its mode, after any of the other methods and as
// often as they are called; what is pasted reaches the program as a paste, whether the terminal
// marks it or not.
package tty

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// ErrNoTerminal says that there is no terminal to read keys from.
var ErrNoTerminal = errors.New("there is no terminal to read keys from; for use in scripts and pipes there is: chatvault ask")

// A Terminal is the terminal the process runs in. Its methods may be called from
// several goroutines.
type Terminal struct {
	cooked atomic.Pointer[term.State] // its mode before Open; nil while it is not open
	gone   chan struct{}
	lost   sync.Once
	lent   atomic.Bool
	output output

	continued chan os.Signal
}

// New returns a Terminal that is not open.
func New() *Terminal {
	return &Terminal{gone: make(chan struct{}), continued: make(chan os.Signal, 1), output: output{File: os.Stdout}}
}

// Open notes the terminal's mode, for Close and Rescue. The error is ErrNoTerminal where
// there is none.
func (t *Terminal) Open() error {
	state, err := term.GetState(int(os.Stdin.Fd()))
	if err != nil {
		return ErrNoTerminal
	}
	t.cooked.Store(state)
	notifyContinued(t.continued)
	return nil
}

// Close gives the terminal its former mode.
func (t *Terminal) Close() error {
	signal.Stop(t.continued)
	state := t.cooked.Swap(nil)
	if state == nil {
		return nil
	}
	if err := term.Restore(int(os.Stdin.Fd()), state); err != nil && !errors.Is(err, syscall.EIO) { // EIO: it is gone
		return fmt.Errorf("the terminal's mode cannot be restored, the command \"reset\" does it: %w", err)
	}
	return nil
}

// Rescue gives the terminal its former mode, for the end of a process that cannot Close any more. It
// returns whether the Terminal was open.
func (t *Terminal) Rescue() (open bool) {
	state := t.cooked.Load()
	if state == nil {
		return false
	}
	_ = term.Restore(int(os.Stdin.Fd()), state)
	return true
}

// Hold keeps what is typed unseen and unread, for what reads next, until release is called.
func (t *Terminal) Hold() (release func()) {
	state, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(int(os.Stdin.Fd()), state) }
}

// Lent reports whether another program has the terminal (Command).
func (t *Terminal) Lent() bool { return t.lent.Load() }

// Gone is closed when the terminal can no longer be read: its window was closed,
// its connection lost.
func (t *Terminal) Gone() <-chan struct{} { return t.gone }

// Input is where the keys are read.
func (t *Terminal) Input() io.Reader { return &input{File: os.Stdin, terminal: t} }

// Continued brings a signal each time the process continues after it was stopped, while it is open.
func (t *Terminal) Continued() <-chan os.Signal { return t.continued }

// Retake puts the terminal into raw mode, in which something else may not have left it. It returns the sequences
// that turn on the modes of a full screen, with the mouse if it is to be read.
func (t *Terminal) Retake(mouse bool) (modes string, err error) {
	if _, err := term.MakeRaw(int(os.Stdin.Fd())); err != nil {
		return "", err
	}
	modes = ansi.SetModeAltScreenSaveCursor + ansi.SetModeBracketedPaste + ansi.SetModeFocusEvent +
		ansi.SetModifyOtherKeys2 + ansi.PopKittyKeyboard(1) + ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes)
	if mouse {
		modes += ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr
	}
	return modes, nil
}

// settle waits until Bubble Tea has given the terminal back: 2.1.1 stops the ticker of its frames in a goroutine
// that may run only after the frames began again, which then never come.
func settle() { time.Sleep(50 * time.Millisecond) }

// Command is a program that needs the terminal for itself, such as an editor: give it to tea.Exec.
func (t *Terminal) Command(c *exec.Cmd) *Command { return &Command{Cmd: c, t: t} }

// A Command is a program that has the terminal while it runs. Its standard input, output and error
// are the terminal's where they were not set.
type Command struct {
	*exec.Cmd
	t *Terminal
}

// SetStdin implements tea.ExecCommand. The reader is not used: it would be a pipe to the program.
func (c *Command) SetStdin(io.Reader) {
	if c.Stdin == nil {
		c.Stdin = os.Stdin
	}
}

// SetStdout implements tea.ExecCommand. The writer is not used either: what the program draws is its own.
func (c *Command) SetStdout(io.Writer) {
	if c.Stdout == nil {
		c.Stdout = os.Stdout
	}
}

// SetStderr implements tea.ExecCommand.
func (c *Command) SetStderr(w io.Writer) {
	if c.Stderr == nil {
		c.Stderr = w
	}
}

// Run runs the program. Ctrl+C is the program's meanwhile: it does not end this process, unless that
// handles it elsewhere.
func (c *Command) Run() error {
	keyboard := make(chan os.Signal, 1)
	signal.Notify(keyboard, syscall.SIGINT, syscall.SIGQUIT)
	defer signal.Stop(keyboard)
	c.t.lent.Store(true)
	defer c.t.lent.Store(false)
	settle()
	return c.Cmd.Run()
}
