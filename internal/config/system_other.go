//go:build !unix

package config

import (
	"context"
	"io/fs"
	"os/exec"
)

// readableByOthers is not told by mode bits here.
func readableByOthers(fs.FileInfo) bool { return false }

// shellCommand runs a line in the command interpreter.
func shellCommand(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "cmd", "/C", line)
}
