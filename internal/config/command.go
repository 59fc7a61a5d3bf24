package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// KeyCommandTimeout bounds an api_key_command; a password manager may have to ask
// for its passphrase in the meantime.
const KeyCommandTimeout = 30 * time.Second

// maxKeyOutput bounds what is kept of a command's output, in bytes.
const maxKeyOutput = 64 << 10

// runKeyCommand runs the line in the system's shell and returns what it printed to its
// standard output. No error repeats the line or the output.
func runKeyCommand(ctx context.Context, line string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, KeyCommandTimeout)
	defer cancel()
	cmd := shellCommand(ctx, line)
	out := &bounded{left: maxKeyOutput}
	cmd.Stdout = out // of stderr nothing is kept: what a password manager complains with may be the key
	cmd.Env = os.Environ()
	cmd.WaitDelay = time.Second // a grandchild that keeps the pipe open does not hold us
	err := cmd.Run()
	if ctx.Err() != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", fmt.Errorf("the command did not end within %s and was stopped", KeyCommandTimeout)
		}
		return "", fmt.Errorf("stopped")
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if err != nil {
		return "", fmt.Errorf("the command failed (%w); run it by hand to see why", err)
	}
	return out.String(), nil
}

// bounded keeps the first bytes written to it and drops the rest.
type bounded struct {
	buf  bytes.Buffer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.buf.Write(p[:n])
	b.left -= n
	return len(p), nil
}

func (b *bounded) String() string { return b.buf.String() }
