//go:build unix

package mcpclient

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a process into a group of its own, which ends whole.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup ends what is left of the group.
func endGroup(c *exec.Cmd) {
	if c.Process != nil {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
	}
}
