// Package process starts programs in a session of their own.
package process

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// Detach has a command of exec.CommandContext run without the console. It survives this process.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}
