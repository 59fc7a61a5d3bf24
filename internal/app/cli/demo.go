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
	if s.Sample == nil {
		return failure("this build has no sample vault in it")
	}
	dir, err := os.MkdirTemp("", "chatvault-demo-")
	if err != nil {
		return failure("there is no folder for the sample vault: %v", err)
	}
	copied := filepath.Join(dir, "Sample vault")
	err = os.CopyFS(copied, s.Sample)
	began := time.Now()
	defer func() {
		if !changedSince(copied, began) {
			err = errors.Join(err, os.RemoveAll(dir))
			return
		}
		fmt.Fprintf(s.Err, "What you changed is in %s; delete it when you are done.\n", copied)
	}()
	if err != nil {
		return failure("the sample vault cannot be copied: %v", err)
	}
	if err := os.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state")); err != nil {
		return err
	}
	xdg.Reload()
	g.vault, g.demo = copied, true
	return runChat(s, g)
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
