//go:build unix

package clipboard

import (
	"os/exec"
	"syscall"
)

// detach starts a program in its own session, which is killed as a whole.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
