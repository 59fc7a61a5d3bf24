package clipboard

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// apart starts a program detached from the console.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}
