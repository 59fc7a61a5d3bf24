package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"chatvault/internal/atomicfile"
	"chatvault/internal/clipboard"
	"chatvault/internal/config"
	"chatvault/internal/picture"
)

// Copied is what became of a text that was copied.
type Copied = clipboard.Result

// copiedFile is the file in the state folder that holds what was copied last where no clipboard is
// known to have taken it.
const copiedFile = "copied.md"

// Copying puts texts into a clipboard, and reads a picture out of it.
type Copying struct {
	clipboard clipboard.Clipboard
	setting   func() string // by which means
}

// NewCopying copies by means of an environment and a terminal, which is given whole sequences.
func (a *Session) NewCopying(getenv func(string) string, terminal func(sequence []byte) error) *Copying {
	c := clipboard.Clipboard{
		GOOS: runtime.GOOS, Getenv: getenv, Keep: keepCopied,
		Find:     clipboard.Program,
		Terminal: terminal,
	}
	return &Copying{clipboard: c, setting: func() string { return a.Settings.Current().Clipboard.V }}
}

// Copy puts a text into the clipboard, or where it can be taken from, without what a terminal that it
// is pasted into would obey. An error says that it is nowhere.
func (c *Copying) Copy(ctx context.Context, text string) (Copied, error) {
	by := c.clipboard
	by.Setting = c.setting()
	return by.Copy(ctx, text)
}

// Picture is the picture that the clipboard holds; an error says why there is none.
func (c *Copying) Picture(ctx context.Context) ([]byte, error) {
	by := c.clipboard
	by.Setting = c.setting()
	return by.Picture(ctx, picture.MaxBytes)
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

// Transcript is the conversation that goes on, as the Markdown of an export.
func (s *Conversations) Transcript(context.Context) (string, error) {
	t, err := s.activeTelling("this conversation is empty")
	if err != nil {
		return "", err
	}
	return s.hide(AsNote(t)), nil
}
