package clipboard

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach starts a program detached from the console.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}
