//go:build unix

package cli

import (
	"os"
	"os/exec"
	"syscall"
)

// outlive lets a program continue after the chat, detached from its terminal.
func outlive(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// hangUp signals a program that its terminal is going away, so that it can save.
func hangUp(p *os.Process) error { return p.Signal(syscall.SIGHUP) }
