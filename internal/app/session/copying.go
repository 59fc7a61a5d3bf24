package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"chatvault/internal/app/config"
	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/clipboard"
	"chatvault/internal/base/picture"
)

// Copied is the result of copying a text.
type Copied = clipboard.Result

// copiedFile is the file in the state folder with the text last copied, if no clipboard is known to have taken it.
const copiedFile = "copied.md"

// Copying writes texts to the clipboard and reads pictures from it.
type Copying struct{ clipboard *clipboard.Clipboard }

// NewCopying returns a Copying for an environment and a terminal. terminal gets whole escape sequences.
func (a *Session) NewCopying(getenv func(string) string, terminal func(sequence []byte) error) *Copying {
	return &Copying{&clipboard.Clipboard{
		GOOS: runtime.GOOS, Getenv: getenv, Keep: keepCopied, Find: clipboard.Program, Terminal: terminal,
	}}
}

// Copy copies a text to the clipboard or to a file, without control sequences that a terminal would obey when it is
// pasted. It returns an error if neither is possible.
func (c *Copying) Copy(ctx context.Context, text string) (Copied, error) {
	return c.clipboard.Copy(ctx, text)
}

// Picture returns the picture in the clipboard. Its error is the reason if there is none.
func (c *Copying) Picture(ctx context.Context) ([]byte, error) {
	return c.clipboard.Picture(ctx, picture.MaxBytes)
}

// keepCopied writes a text to a file in the state folder that only the user can read.
func keepCopied(text string) (string, error) {
	file := filepath.Join(config.StateDir(), copiedFile)
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = atomicfile.WritePath(file, []byte(text), 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("the text cannot be kept: %w", err)
	}
	return file, nil
}

// Transcript returns the active conversation as Markdown, as in an export.
func (s *Conversations) Transcript(context.Context) (string, error) {
	c, err := s.active("this conversation is empty")
	if err != nil {
		return "", err
	}
	return s.hide(AsNote(c)), nil
}
