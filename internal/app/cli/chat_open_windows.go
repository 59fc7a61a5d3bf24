package cli

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// outlive lets a program continue after the chat, detached from its console.
func outlive(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

// hangUp kills a program: Windows has no signal for it.
func hangUp(p *os.Process) error { return p.Kill() }
