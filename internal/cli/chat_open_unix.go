//go:build unix

package cli

import (
	"os"
	"os/exec"
	"syscall"
)

// outlive has a program go on after the chat, without a part in its terminal.
func outlive(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// hangUp tells a program that its terminal goes, so that it can keep what was typed.
func hangUp(p *os.Process) error { return p.Signal(syscall.SIGHUP) }
