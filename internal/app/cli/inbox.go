package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"chatvault/agent/inbox"
	"chatvault/internal/app/ask"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/export"
	"chatvault/internal/app/smarthole"
	"chatvault/internal/base/text"
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

// unfinished is the inbox of a vault.
type unfinished struct {
	*place
	*inbox.Box // nil if no message was ever accepted
	list       []inbox.Entry
}

// withInbox runs do with the inbox.
func withInbox(s Streams, g *globals, do func(*unfinished) error) error {
	return withPlace(s, g, func(p *place) error {
		if p.state == nil {
			return do(&unfinished{place: p})
		}
		u := &unfinished{place: p, Box: inbox.Open(p.state)}
		list, warnings, err := u.List()
		for _, w := range warnings {
			s.warn(w)
		}
		if err != nil {
			return failure("the inbox cannot be read: %v", err)
		}
		u.list = list
		return do(u)
	})
}

func inboxList(s Streams, g *globals, asJSON bool) error {
	return withInbox(s, g, func(u *unfinished) error {
		if asJSON {
			return printLines(s, u.list, func(e inbox.Entry) pendingJSON { return pendingJSON{e, u.Others(e)} })
		}
		if len(u.list) == 0 {
			return s.say("The inbox is empty: there are no unfinished messages.")
		}
		for _, e := range u.list {
			fmt.Fprintf(s.Out, "%s  %s  %s\n", e.ID, e.Time.Local().Format(export.WhenLayout), text.Join(": ", e.Sender(), text.Excerpt(e.Text, 60)))
			stands := session.Unfinished{Attempts: e.Attempts, ToolsRan: e.ToolsRan, LastError: e.LastError}.Stands()
			if u.Others(e) && e.LastError == "" {
				stands = "with another running chatvault process"
			}
			fmt.Fprintln(s.Out, "    "+stands)
		}
		return s.say("\nchatvault inbox retry [ID] works on them again; chatvault inbox drop ID removes one.")
	})
}

// pendingJSON is an unfinished message in JSON output.
type pendingJSON struct {
	inbox.Entry
	Running bool `json:"running,omitempty"`
}

func inboxRetry(s Streams, g *globals, args []string, yes bool) error {
	var picked []inbox.Entry
	err := withInbox(s, g, func(u *unfinished) error {
		for _, e := range u.list {
			switch {
			case len(args) > 0 && e.ID != args[0]:
			case len(args) == 0 && u.Others(e):
				fmt.Fprintf(s.Err, "%s is with another running chatvault process, and left to it.\n", e.ID)
			default:
				picked = append(picked, e)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(picked) == 0 {
		if len(args) > 0 {
			return noMessage(args[0])
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
		fmt.Fprintln(s.Err, "» "+text.Excerpt(e.Text, 100))
		exit := exitOf(retryOne(s, g, e))
		switch {
		case exit.Status >= 128: // by a signal: do not continue with the next
			return &exit
		case exit.Text != "":
			fmt.Fprintln(s.Err, "chatvault: "+exit.Text)
		}
		if exit.Status != exitOK {
			failed = &exitError{Status: exit.Status}
		}
	}
	return failed
}

// retryOne runs a message in a new session, which switches to its conversation.
func retryOne(s Streams, g *globals, e inbox.Entry) error {
	a, err := open(s, g, session.Options{Name: "inbox retry", Attended: s.attended()})
	if err != nil {
		return err
	}
	defer a.Close()
	if err := formable(a, e.AnswerSchema); err != nil {
		return err
	}
	return follow(a, s, ask.Options{Typed: e.AnswerSchema != nil, Render: answers(a, s)}, func() (string, error) { return e.ID, a.Retry(e.ID) })
}

func noMessage(id string) error {
	return failure("there is no message %q in the inbox; chatvault inbox list shows what there is", id)
}

func inboxDrop(s Streams, g *globals, id string) error {
	return withInbox(s, g, func(u *unfinished) error {
		if u.Box == nil {
			return noMessage(id)
		}
		e, err := u.Load(id)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return noMessage(id)
		case err != nil:
			return usageError("%v", err)
		}
		if err := u.Drop(id); err != nil {
			return failure("the message was not removed: %v", err)
		}
		if err := smarthole.TellDropped(u.state, session.RoutedTitle(u.Name()), e.Inbound); err != nil {
			s.warn(fmt.Sprintf("SmartHole, which sent the message, was not told that it was dropped: %v", err))
		}
		return s.say("Removed: " + text.Excerpt(e.Text, 100))
	})
}
