//go:build unix

package config

import (
	"context"
	"os/exec"
	"syscall"
)

// shellCommand returns a command that runs a line in sh, in a process group that is killed as a whole.
func shellCommand(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}
