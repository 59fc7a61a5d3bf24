// Package cli is the composition root: it wires all packages together. Each command, or a few similar ones, has its
// own file, with options, construction and execution separated. A command that fails prints one message with advice
// and returns the exit status: 1 for a failure, 2 for wrong usage or configuration; for ask see package ask.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"chatvault/internal/app/ask"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/app/statedir"
	"chatvault/internal/base/routine"
	"chatvault/internal/base/terminal/output"
	"chatvault/internal/base/text"
)

// Exit statuses.
const (
	exitOK      = 0
	exitFailed  = ask.Failed
	exitUsage   = 2
	exitWaiting = ask.Waiting
	exitStopped = ask.Stopped
)

// Streams are a command's connections to the outside.
type Streams struct {
	In io.Reader
	// Out and Err sanitize what is printed on a terminal. Screens write to Out.Unfiltered.
	Out, Err *output.Writer
	// LookupEnv reads the environment.
	LookupEnv func(string) (string, bool)
	// InIsTerminal reports whether In is a terminal.
	InIsTerminal bool
	// Guide holds the pages of the documentation, Sample the sample vault; may be nil.
	Guide, Sample fs.FS

	faults *faults // handles panics
}

// System returns the process's own streams.
func System() Streams {
	return Streams{
		In: os.Stdin, Out: output.Stdout(), Err: output.Stderr(), LookupEnv: os.LookupEnv,
		InIsTerminal: term.IsTerminal(int(os.Stdin.Fd())),
	}
}

// attended reports whether a person reads stderr and types on stdin.
func (s Streams) attended() bool { return s.InIsTerminal && s.Err.IsTerminal() }

// say prints a line.
func (s Streams) say(text string) error {
	_, err := fmt.Fprintln(s.Out, text)
	return err
}

// warn prints a warning.
func (s Streams) warn(text string) { fmt.Fprintln(s.Err, "Warning: "+text) }

// exitError ends a command with a status. Its text may be empty if everything has been printed.
type exitError = ask.Exit

// exitOf returns how a command ends with an error; nil means success.
func exitOf(err error) exitError {
	if err == nil {
		return exitError{}
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		return *e
	}
	e := exitError{Status: exitFailed, Text: err.Error()}
	if _, settings := errors.AsType[*provider.SettingsError](err); settings || errors.Is(err, config.ErrNoVault) {
		e.Status = exitUsage
	} else if args := []string{"unknown command", "accepts ", "requires "}; slices.ContainsFunc(args, func(p string) bool { return strings.HasPrefix(e.Text, p) }) {
		e.Status = exitUsage // cobra's errors for arguments have no type
		e.Text += "\nTo open a vault: chatvault --vault DIR; to ask once: chatvault ask \"…\"; for usage: chatvault --help"
	}
	return e
}

func usageError(format string, args ...any) error {
	return &exitError{Status: exitUsage, Text: fmt.Sprintf(format, args...)}
}

func failure(format string, args ...any) error {
	return &exitError{Status: exitFailed, Text: fmt.Sprintf(format, args...)}
}

// Main runs the program with args (without its name) and returns its exit status.
func Main(args []string, s Streams) int {
	defer func() { _ = errors.Join(s.Out.Flush(), s.Err.Flush()) }() // the reader may be gone
	log.SetFlags(0)
	log.SetOutput(io.Discard) // libraries would write over the screen; a vault's log takes it
	statedir.Program = versionText()
	s.faults = &faults{streams: s, json: slices.Contains(args, "ask") && slices.Contains(args, "--json")}
	defer routine.OnPanic(s.faults.handle)()
	root := newRoot(s)
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	e := exitOf(root.ExecuteContext(context.Background()))
	if e.Text != "" && s.faults.json {
		code := "error"
		if e.Status == exitUsage {
			code = "usage"
		}
		_ = ask.JSONFailure(s.Out, code, e.Text)
	}
	if e.Text != "" {
		fmt.Fprintln(s.Err, "chatvault: "+e.Text)
	}
	return e.Status
}

// argCount validates the argument count. otherwise is the error message.
func argCount(least, most int, otherwise string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usageError("%s", otherwise)
		}
		return nil
	}
}

// group returns a parent of sub-commands, with an example of each.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(subs...)
	c.Example = strings.Join(text.Of(subs, func(c *cobra.Command) string {
		first, _, _ := strings.Cut(c.Example, "\n")
		return first
	}), "\n")
	return c
}

// limited gives a command of a list the flag --limit.
func limited(c *cobra.Command, limit *int) *cobra.Command {
	c.Flags().IntVarP(limit, "limit", "n", 20, "maximum number to list")
	c.PreRunE = func(*cobra.Command, []string) error {
		if *limit < 1 {
			return usageError("--limit is at least 1")
		}
		return nil
	}
	return c
}

// printLines prints the items of a list as JSON, one per line; of returns what is printed of an item.
func printLines[E, T any](s Streams, list []E, of func(E) T) error {
	enc := text.Encoder(s.Out)
	for _, e := range list {
		if err := enc.Encode(of(e)); err != nil {
			return err
		}
	}
	return nil
}

// safeOut returns text as Out prints it, for computing a layout.
func (s Streams) safeOut(text string) string { return s.Out.Text(text) }

// interruptible returns a context that ends on SIGINT or SIGTERM.
func interruptible() (ctx context.Context, stop context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
}
