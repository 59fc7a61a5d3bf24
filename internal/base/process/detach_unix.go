//go:build unix

// Package process starts programs in a session of their own.
package process

import (
	"os/exec"
	"syscall"
)

// Detach has a command of exec.CommandContext run in its own session, which is killed as a whole. It survives this
// process and its terminal.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
