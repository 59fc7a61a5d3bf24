package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"chatvault/internal/base/lazyregexp"
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
	if err := copySample(copied, d.streams.Sample, time.Now()); err != nil {
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

// sampleWeek is the Monday of the week that is the present in the sample vault.
var sampleWeek = time.Date(2026, 11, 23, 0, 0, 0, 0, time.Local)

// day matches a date such as 2026-11-23.
var day = lazyregexp.New(`\b20\d\d-\d\d-\d\d\b`)

// copySample copies the sample vault as if it were in use now: its dates, in names and texts, are moved by whole weeks
// to the present, and a note was changed on the last past date that it mentions.
func copySample(to string, sample fs.FS, now time.Time) error {
	days := 7 * int(math.Floor(now.Sub(sampleWeek).Hours()/(7*24)))
	return fs.WalkDir(sample, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(sample, name)
		if err != nil {
			return err
		}
		var changed time.Time
		move := func(written string) string {
			t, err := time.ParseInLocation(time.DateOnly, written, time.Local)
			if err != nil {
				return written
			}
			t = t.AddDate(0, 0, days)
			if t.Before(now) && t.After(changed) {
				changed = t
			}
			return t.Format(time.DateOnly)
		}
		file := filepath.Join(to, filepath.FromSlash(day().ReplaceAllStringFunc(name, move)))
		text := day().ReplaceAllStringFunc(string(data), move)
		if changed.IsZero() {
			changed = sampleWeek.AddDate(0, -1, days)
		}
		return errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600), os.Chtimes(file, changed, changed))
	})
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
