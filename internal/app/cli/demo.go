package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"
)

func newDemo(s Streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "Chat with a copy of the sample vault", Args: cobra.NoArgs,
		Long: `Chat with a copy of the sample vault, which is built into the program. Without --model the embedded
offline engine answers: no key, no network. The copy is removed at the end unless you changed it.`,
		Example: "  chatvault demo\n  chatvault demo --model ollama/qwen3",
		RunE:    func(*cobra.Command, []string) error { return runDemo(s, g) },
	}
}

// runDemo runs the chat on a copy of the sample vault, in a temporary folder with its state.
func runDemo(s Streams, g *globals) (err error) {
	d := &demo{streams: s, globals: g}
	defer func() { err = errors.Join(err, d.remove()) }()
	if g.vault, err = d.open(); err != nil {
		return failure("%v", err)
	}
	return runChat(s, g)
}

// A demo is a copy of the sample vault in a temporary folder with its state.
type demo struct {
	streams     Streams
	globals     *globals
	dir, copied string // empty if not open
	began       time.Time
}

// open makes the copy, or returns the existing one, and makes this run a demo.
func (d *demo) open() (string, error) {
	switch {
	case d.copied != "":
		return d.copied, nil
	case d.streams.Sample == nil:
		return "", errors.New("this build has no sample vault in it")
	}
	dir, err := os.MkdirTemp("", "chatvault-demo-")
	if err != nil {
		return "", fmt.Errorf("there is no folder for the sample vault: %w", err)
	}
	copied := filepath.Join(dir, "Sample vault")
	if err := os.CopyFS(copied, d.streams.Sample); err != nil {
		return "", errors.Join(fmt.Errorf("the sample vault cannot be copied: %w", err), os.RemoveAll(dir))
	}
	d.dir, d.copied, d.began = dir, copied, time.Now()
	if err := os.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state")); err != nil {
		return "", err
	}
	xdg.Reload()
	d.globals.demo = true
	return copied, nil
}

// remove removes the copy unless the user changed it.
func (d *demo) remove() error {
	if d.dir == "" {
		return nil
	}
	if !changedSince(d.copied, d.began) {
		return os.RemoveAll(d.dir)
	}
	fmt.Fprintf(d.streams.Err, "What you changed is in %s; delete it when you are done.\n", d.copied)
	return nil
}

// changedSince reports whether anything in a folder was changed, made or removed after a time.
func changedSince(dir string, began time.Time) bool {
	return filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if info, err := d.Info(); err != nil || info.ModTime().After(began) {
			return fs.ErrExist
		}
		return nil
	}) != nil
}
