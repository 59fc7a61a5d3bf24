package tty

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Command runs a program that needs the terminal for itself, such as an editor.
// It has the methods of Bubble Tea's ExecCommand: give it to tea.Exec, and not
// the exec.Cmd to tea.ExecProcess, which would hand the program a pipe in place
// of the terminal. Standard input, output and error of the program are the
// terminal's where they were not set.
func (t *Terminal) Command(c *exec.Cmd) *Command {
	return &Command{t: t, cmd: c}
}

// A Command is a program that has the terminal while it runs.
type Command struct {
	t   *Terminal
	cmd *exec.Cmd
}

// SetStdin is there for tea.Exec; its reader is not the terminal and not used.
func (c *Command) SetStdin(io.Reader) {}

// SetStdout sets the program's standard output if it was not set.
func (c *Command) SetStdout(w io.Writer) {
	if c.cmd.Stdout == nil {
		c.cmd.Stdout = w
	}
}

// SetStderr sets the program's standard error if it was not set.
func (c *Command) SetStderr(w io.Writer) {
	if c.cmd.Stderr == nil {
		c.cmd.Stderr = w
	}
}

// Run gives the terminal to the program and takes it back when that has ended.
// Ctrl+C is the program's meanwhile: it does not end this process, unless that
// handles it elsewhere.
func (c *Command) Run() error {
	if err := c.t.Suspend(); err != nil {
		return err
	}
	c.t.mu.Lock()
	if file := c.t.file; c.cmd.Stdin == nil && file != nil {
		c.cmd.Stdin = file
	}
	c.t.mu.Unlock()
	keyboard := make(chan os.Signal, 1)
	signal.Notify(keyboard, syscall.SIGINT, syscall.SIGQUIT)
	c.t.lent.Store(true)
	err := c.cmd.Run()
	c.t.lent.Store(false)
	signal.Stop(keyboard)
	if back := c.t.Resume(); back != nil {
		return back
	}
	return err
}
