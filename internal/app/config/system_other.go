//go:build !unix

package config

import (
	"context"
	"io/fs"
	"os/exec"
)

// readableByOthers returns false: mode bits mean nothing here.
func readableByOthers(fs.FileInfo) bool { return false }

// shellCommand returns a command that runs a line in the command interpreter.
func shellCommand(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "cmd", "/C", line)
}
