//go:build unix

package mcpclient

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// ownGroup puts a process into its own group, so that it can be ended with its children.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate sends SIGTERM to the group.
func (p *process) terminate() { _ = syscall.Kill(-p.Process.Pid, syscall.SIGTERM) }

// kill kills the group and, on systems with /proc, processes that have left it.
func (p *process) kill() {
	_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
	mark := []byte("\x00" + markName + "=" + p.dir + "\x00")
	for range 3 { // a process may start another one at the same time
		found := false
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range files {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			env, err := os.ReadFile(file)
			if err == nil && pid > 0 && bytes.Contains(append([]byte{0}, env...), mark) {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
			}
		}
		if !found {
			return
		}
	}
}
