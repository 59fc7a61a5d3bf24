package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/internal/session"
	"chatvault/internal/session/home"
	"chatvault/internal/smarthole"
	"chatvault/internal/text"
)

func newInbox(s Streams, g *globals) *cobra.Command {
	var asJSON bool
	list := &cobra.Command{
		Use: "list", Short: "List unfinished messages", Args: cobra.NoArgs,
		Example: "  chatvault inbox list\n  chatvault inbox list --json | jq -r .id",
		RunE:    func(*cobra.Command, []string) error { return inboxList(s, g, asJSON) },
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per entry")
	var yes bool
	retry := &cobra.Command{
		Use: "retry [ID]", Short: "Work on an unfinished message again (without an ID: on all, oldest first)", Args: cobra.MaximumNArgs(1),
		Example: "  chatvault inbox retry\n  chatvault inbox retry 20261121-1015 --yes",
		RunE:    func(_ *cobra.Command, args []string) error { return inboxRetry(s, g, args, yes) },
	}
	retry.Flags().BoolVarP(&yes, "yes", "y", false, "also messages whose tools may have changed the vault already")
	drop := &cobra.Command{
		Use: "drop ID", Short: "Remove an unfinished message for good",
		Example: "  chatvault inbox drop 20261121-1015",
		Args:    argCount(1, 1, "which message? chatvault inbox list shows their IDs; then: chatvault inbox drop ID"),
		RunE:    func(_ *cobra.Command, args []string) error { return inboxDrop(s, g, args[0]) },
	}
	return group("inbox", "Unfinished messages", list, retry, drop)
}

// stateFolder opens the state folder of the vault in dir, or returns nil if there is none.
func stateFolder(s Streams, g *globals) (root *os.Root, dir string, err error) {
	v, _, err := openVault(s, g)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = v.Close() }()
	if root, err = home.LookIfThere(v.Dir()); err != nil {
		return nil, "", failure("%v", err)
	}
	return root, v.Dir(), nil
}

// entries opens the state folder and reads the inbox.
func entries(s Streams, g *globals) (*inbox.Box, []inbox.Entry, func(), error) {
	root, _, err := stateFolder(s, g)
	if err != nil {
		return nil, nil, nil, err
	}
	if root == nil { // no message was ever accepted
		return nil, nil, func() {}, nil
	}
	box := inbox.Open(root)
	list, warnings, err := box.List()
	for _, w := range warnings {
		s.warn(w)
	}
	if err != nil {
		_ = root.Close()
		return nil, nil, nil, failure("the inbox cannot be read: %v", err)
	}
	return box, list, func() { _ = root.Close() }, nil
}

func inboxList(s Streams, g *globals, asJSON bool) error {
	box, list, done, err := entries(s, g)
	if err != nil {
		return err
	}
	defer done()
	if asJSON {
		lines := make([]pendingJSON, len(list))
		for i, e := range list {
			lines[i] = pendingJSON{e, box.Others(e)}
		}
		return printLines(s, lines)
	}
	if len(list) == 0 {
		return s.say("The inbox is empty: there are no unfinished messages.")
	}
	for _, e := range list {
		fmt.Fprintf(s.Out, "%s  %s  %s\n", e.ID, e.Time.Local().Format("2006-01-02 15:04"), excerpt(e.Text, 60))
		fmt.Fprintln(s.Out, indent(s.safeOut(pendingStatus(e, box.Others(e))), "    "))
	}
	return s.say("\nchatvault inbox retry [ID] works on them again; chatvault inbox drop ID removes one.")
}

// pendingJSON is an unfinished message in JSON output.
type pendingJSON struct {
	inbox.Entry
	Running bool `json:"running,omitempty"`
}

func pendingStatus(e inbox.Entry, running bool) string {
	status := "not begun"
	switch {
	case running && e.LastError == "":
		return "with another running chatvault process"
	case e.LastError != "":
		status = "failed: " + e.LastError
	case e.Attempts > 0:
		status = "interrupted"
	}
	if e.ToolsRan {
		status += "; the vault may have been changed already"
		if len(e.Changes) > 0 {
			status += " (" + strings.Join(e.Changes, ", ") + ")"
		}
	}
	if e.Conversation != "" {
		status += "; in conversation " + e.Conversation
	}
	return status
}

func inboxRetry(s Streams, g *globals, args []string, yes bool) error {
	box, list, done, err := entries(s, g)
	if err != nil {
		return err
	}
	var picked []inbox.Entry
	for _, e := range list {
		switch {
		case len(args) > 0 && e.ID == args[0]:
			picked = append(picked, e)
		case len(args) == 0 && box.Others(e):
			fmt.Fprintf(s.Err, "%s is with another running chatvault process, and left to it.\n", e.ID)
		case len(args) == 0:
			picked = append(picked, e)
		}
	}
	done()
	if len(picked) == 0 {
		if len(args) > 0 {
			return failure("there is no message %q in the inbox; chatvault inbox list shows what there is", args[0])
		}
		return s.say("There is nothing to retry.")
	}
	var failed error
	for _, e := range picked {
		if e.ToolsRan && !yes {
			fmt.Fprintf(s.Err, "%s: its tools may have changed the vault already; what is known to be done is not repeated, but look, then run: chatvault inbox retry --yes %s\n", e.ID, e.ID)
			failed = &exitError{Status: exitFailed}
			continue
		}
		fmt.Fprintln(s.Err, "» "+excerpt(e.Text, 100))
		err := retryOne(s, g, e.ID)
		exit, ended := errors.AsType[*exitError](err)
		if !ended {
			continue
		}
		if exit.Status >= 128 { // by a signal: do not continue with the next
			return err
		}
		if exit.Text != "" {
			fmt.Fprintln(s.Err, "chatvault: "+exit.Text)
		}
		failed = &exitError{Status: exit.Status}
	}
	return failed
}

// retryOne runs a message in a new session, which switches to its conversation.
func retryOne(s Streams, g *globals, id string) error {
	a, err := open(s, g, session.Options{Name: "inbox retry", Attended: s.attended()})
	if err != nil {
		return err
	}
	defer a.Close()
	return follow(a, s, false, nil, func() (string, error) { return id, a.Retry(id) })
}

func inboxDrop(s Streams, g *globals, id string) error {
	box, _, done, err := entries(s, g)
	if err != nil {
		return err
	}
	defer done()
	if box == nil {
		return failure("there is no message %q in the inbox", id)
	}
	e, err := box.Load(id)
	if errors.Is(err, fs.ErrNotExist) {
		return failure("there is no message %q in the inbox; chatvault inbox list shows what there is", id)
	}
	if err != nil {
		return usageError("%v", err)
	}
	if err := box.Drop(id); err != nil {
		return failure("the message was not removed: %v", err)
	}
	if err := tellDropped(s, g, e.Inbound); err != nil {
		fmt.Fprintf(s.Err, "Warning: SmartHole, which sent the message, was not told that it was dropped: %v\n", err)
	}
	return s.say("Removed: " + excerpt(e.Text, 100))
}

// tellDropped notifies the sender of a message that it was dropped.
func tellDropped(s Streams, g *globals, in event.Inbound) error {
	root, dir, err := stateFolder(s, g)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return smarthole.TellDropped(root, session.RoutedTitle(filepath.Base(dir)), in)
}

// excerpt shortens text to one line of at most n runes.
func excerpt(s string, n int) string { return text.Excerpt(s, n) }
