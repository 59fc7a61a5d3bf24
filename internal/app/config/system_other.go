//go:build !unix

package config

import (
	"context"
	"os/exec"
)

// shellCommand returns a command that runs a line in the command interpreter.
func shellCommand(ctx context.Context, line string) *exec.Cmd {
	return exec.CommandContext(ctx, "cmd", "/C", line)
}
