// Package tty handles the parts of the process's terminal that Bubble Tea does not: its former mode, its loss,
// programs that borrow it, and unmarked pastes.
//
// Rescue and Close restore the mode after any of the other methods, however often they are called. Pasted text
// reaches the program as a paste, marked by the terminal or not.
package tty

import (
	"cmp"
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

	"golang.org/x/term"
)

// ErrNoTerminal is returned if there is no terminal to read keys from.
var ErrNoTerminal = errors.New("there is no terminal to read keys from; for use in scripts and pipes there is: chatvault ask")

// A Terminal is the terminal in which the process runs. It is safe for concurrent use.
type Terminal struct {
	cooked atomic.Pointer[term.State] // mode before Open; nil if not open
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

// Open saves the terminal's mode for Close and Rescue. It returns ErrNoTerminal if there is no terminal.
func (t *Terminal) Open() error {
	state, err := term.GetState(int(os.Stdin.Fd()))
	if err != nil {
		return ErrNoTerminal
	}
	t.cooked.Store(state)
	notifyContinued(t.continued)
	return nil
}

// Close restores the terminal's former mode.
func (t *Terminal) Close() error {
	signal.Stop(t.continued)
	state := t.cooked.Swap(nil)
	if state == nil {
		return nil
	}
	if err := term.Restore(int(os.Stdin.Fd()), state); err != nil && !errors.Is(err, syscall.EIO) { // EIO: the terminal is gone
		return fmt.Errorf("the terminal's mode cannot be restored, the command \"reset\" does it: %w", err)
	}
	return nil
}

// Rescue restores the terminal's former mode when the process cannot call Close, and drops further output of the
// screen. It reports whether the Terminal was open.
func (t *Terminal) Rescue() (open bool) {
	state := t.cooked.Load()
	if state == nil {
		return false
	}
	t.output.end()
	_ = term.Restore(int(os.Stdin.Fd()), state)
	return true
}

// Hold stops echoing and leaves typed input for the next reader until release is called.
func (t *Terminal) Hold() (release func()) {
	state, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(int(os.Stdin.Fd()), state) }
}

// Lent reports whether another program is using the terminal; see Command.
func (t *Terminal) Lent() bool { return t.lent.Load() }

// Gone returns a channel that is closed when the terminal can no longer be read, because its window or connection was
// closed.
func (t *Terminal) Gone() <-chan struct{} { return t.gone }

// Input returns the reader for keys.
func (t *Terminal) Input() io.Reader { return &input{File: os.Stdin, terminal: t} }

// Continued returns a channel that, while the Terminal is open, receives a signal each time the process continues
// after being stopped.
func (t *Terminal) Continued() <-chan os.Signal { return t.continued }

// settle waits for Bubble Tea 2.1.1 to release the terminal: it stops its frame ticker in a goroutine, and if that
// runs after drawing has resumed, no more frames are drawn.
func settle() { time.Sleep(50 * time.Millisecond) }

// Command returns c as a command for tea.Exec that takes over the terminal, such as an editor.
func (t *Terminal) Command(c *exec.Cmd) *Command {
	c.Stdin, c.Stdout = cmp.Or[io.Reader](c.Stdin, os.Stdin), cmp.Or[io.Writer](c.Stdout, os.Stdout)
	return &Command{Cmd: c, t: t}
}

// A Command is a program that uses the terminal while it runs. Standard input, output and error default to the
// terminal's.
type Command struct {
	*exec.Cmd
	direct
	t *Terminal
}

// direct implements the setters of tea.ExecCommand for a command that uses the process's own streams: Bubble Tea's reader
// would reach a program as a pipe.
type direct struct{}

func (direct) SetStdin(io.Reader)  {}
func (direct) SetStdout(io.Writer) {}
func (direct) SetStderr(io.Writer) {}

// SetStderr implements tea.ExecCommand.
func (c *Command) SetStderr(w io.Writer) { c.Stderr = cmp.Or(c.Stderr, w) }

// Run runs the program. Until it ends, Ctrl+C goes to the program and does not end this process, unless that is
// handled elsewhere.
func (c *Command) Run() error {
	keyboard := make(chan os.Signal, 1)
	signal.Notify(keyboard, syscall.SIGINT, syscall.SIGQUIT)
	defer signal.Stop(keyboard)
	c.t.lent.Store(true)
	defer c.t.lent.Store(false)
	settle()
	return c.Cmd.Run()
}
