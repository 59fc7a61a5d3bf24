package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"chatvault/internal/atomicfile"
	"chatvault/internal/clipboard"
	"chatvault/internal/config"
	"chatvault/internal/session"
	"chatvault/tui"
)

// copiedFile is the file in the state folder that holds what was copied last where no clipboard is
// known to have taken it.
const copiedFile = "copied.md"

// copying is how the chat copies. hide takes keys out of the whole conversation.
func (a *app) copying(s Streams, hide func(string) string) tui.Copying {
	c := clipboard.Clipboard{
		GOOS: runtime.GOOS, Getenv: s.getenv, Keep: keepCopied,
		Find: func(name string) string {
			path, err := exec.LookPath(name)
			if err != nil { // one in the working folder is not taken either
				return ""
			}
			return path
		},
		// One write: the screen's are whole frames, and none comes between.
		Terminal: func(sequence []byte) error { _, err := s.Out.Unfiltered().Write(sequence); return err },
	}
	return tui.Copying{
		Copy: func(ctx context.Context, text string) (session.Copied, error) {
			c := c
			c.Setting = a.current().Clipboard.V
			r, err := c.Copy(ctx, text)
			return session.Copied(r), err
		},
		Transcript: func(context.Context) (string, error) { return a.transcript(hide) },
	}
}

// keepCopied writes a text into a file of the state folder, for the user alone.
func keepCopied(text string) (string, error) {
	file := filepath.Join(config.StateDir(), copiedFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", fmt.Errorf("the text cannot be kept: %w", err)
	}
	if err := atomicfile.WritePath(file, []byte(text), 0o600); err != nil {
		return "", fmt.Errorf("the text cannot be kept: %w", err)
	}
	return file, nil
}

// transcript is the conversation that goes on, as the Markdown of an export.
func (a *app) transcript(hide func(string) string) (string, error) {
	conv, err := a.conversations.Active()
	switch {
	case err != nil:
		return "", err
	case conv == nil:
		return "", errors.New("nothing was said in this conversation yet")
	}
	t, err := tellingOf(conv, 0)
	if err != nil {
		return "", err
	}
	if t.gone, err = removed(a.conversations, conv.Continues); err != nil {
		return "", err
	}
	return hide(note(t)), nil
}
