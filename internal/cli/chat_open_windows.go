package cli

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// outlive has a program go on after the chat, without a part in its console.
func outlive(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

// hangUp ends a program: there is no signal that asks it to.
func hangUp(p *os.Process) error { return p.Kill() }
