package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chatvault/agent/pending"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/export"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/text"
	"chatvault/tools/textedit"
	"chatvault/vault"
	"chatvault/vault/journal"
)

type changesOptions struct {
	id    string
	diff  bool
	json  bool
	limit int
}

func newChanges(s Streams, g *globals) *cobra.Command {
	var o changesOptions
	c := &cobra.Command{
		Use:   "changes [ID]",
		Short: "Changes in the vault, turn by turn",
		Long: `What was changed in the vault through chatvault, turn by turn, the newest first: the turn's ID,
when it was, where it came from, what was asked for, and each change. The beginning of an ID is
enough. Changes are kept for journal_days, as long as they take no more than journal_megabytes.`,
		Example: `  chatvault changes
  chatvault changes --diff 20261121-1015
  chatvault changes --json -n 100`,
		Args: argCount(0, 1, "one turn at a time: chatvault changes ID"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.id = args[0]
			}
			return runChanges(s, g, o)
		},
	}
	c.Flags().BoolVarP(&o.diff, "diff", "d", false, "show how the texts changed")
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object per turn")
	return limited(c, &o.limit)
}

// records are the turns of a vault's journal, for commands.
type records struct {
	*place
	turns []journal.Turn // newest first
}

// withRecords recovers an interrupted change, if possible, and runs do with the journal until the user interrupts it.
func withRecords(s Streams, g *globals, do func(context.Context, *records) error) error {
	ctx, stop := interruptible()
	defer stop()
	return withPlace(s, g, func(p *place) error {
		j := home.KeepJournal(p.Vault, s.warn)
		defer func() { _ = j.Close() }()
		if err := p.History.Recover(ctx); err != nil {
			s.warn(err.Error())
		}
		turns, err := p.History.Turns(ctx, 0)
		if err != nil {
			return failure("the journal cannot be read: %v", err)
		}
		err = do(ctx, &records{p, turns})
		if ctx.Err() != nil {
			return &exitError{Status: exitStopped}
		}
		return err
	})
}

func runChanges(s Streams, g *globals, o changesOptions) error {
	return withRecords(s, g, func(ctx context.Context, r *records) error {
		turns, more := r.turns, 0
		if o.id != "" {
			t, err := vault.FindTurn(r.turns, o.id)
			if err != nil {
				return err
			}
			turns = []journal.Turn{t}
		} else if len(turns) > o.limit {
			turns, more = turns[:o.limit], len(turns)-o.limit
		}
		switch {
		case o.json:
			return r.printJSON(ctx, s.Out, turns, o.diff)
		case len(turns) == 0:
			return s.say("Nothing was changed in this vault through chatvault, as far as its journal goes back.")
		}
		for i := range turns {
			if i > 0 {
				fmt.Fprintln(s.Out)
			}
			if err := r.print(ctx, s, &turns[i], o); err != nil {
				return err
			}
		}
		if more > 0 {
			fmt.Fprintf(s.Err, "%d more: chatvault changes -n %d\n", more, len(r.turns))
		}
		return nil
	})
}

// turnJSON is a turn in JSON output.
type turnJSON struct {
	journal.Turn
	Cut     bool         `json:"cut,omitempty"`
	Changes []changeJSON `json:"changes"`
}

type changeJSON struct {
	journal.Change
	Text string `json:"text"`
	Diff string `json:"diff,omitempty"`
}

func (r *records) printJSON(ctx context.Context, w io.Writer, turns []journal.Turn, diff bool) error {
	enc := text.Encoder(w)
	for i := range turns {
		t := turnJSON{Turn: turns[i], Cut: turns[i].Cut(), Changes: []changeJSON{}}
		for k := range turns[i].Changes {
			c := changeJSON{Change: turns[i].Changes[k], Text: turns[i].Changes[k].Text()}
			if diff {
				c.Diff = r.diff(ctx, &c.Change)
			}
			t.Changes = append(t.Changes, c)
		}
		if err := cmp.Or(ctx.Err(), enc.Encode(t)); err != nil {
			return err
		}
	}
	return nil
}

// maxChangeLines is the maximum number of changes listed per turn.
const maxChangeLines = 12

// print prints a turn for a person.
func (r *records) print(ctx context.Context, s Streams, t *journal.Turn, o changesOptions) error {
	shown, tail := session.ChangedTurnOf(t), ""
	if state := shown.State(); state != "" {
		tail = " [" + state + "]"
	}
	head := fmt.Sprintf("%s  %s  %-5s  ", t.Turn, t.Began.Local().Format(export.WhenLayout), oneLineOf(t.Source))
	fmt.Fprintln(s.Out, head+s.fitTitle(text.OneLine(cmp.Or(shown.Name(), "(untitled)")), head+tail)+tail)
	for n := range t.Changes {
		c := &t.Changes[n]
		if n == maxChangeLines && o.id == "" && !o.diff {
			fmt.Fprintf(s.Out, "    … and %d more: chatvault changes %s\n", len(t.Changes)-n, t.Turn)
			break
		}
		fmt.Fprintln(s.Out, "    "+oneLineOf(c.Text()))
		if !o.diff {
			continue
		}
		if diff := r.diff(ctx, c); diff != "" {
			fmt.Fprintln(s.Out, diff)
		}
	}
	return ctx.Err()
}

// diff returns the unified diffs of a change, one per file.
func (r *records) diff(ctx context.Context, c *journal.Change) string {
	var diffs []string
	for i := range c.Files {
		v := r.History.Version(ctx, &c.Files[i])
		diffs = append(diffs, versionDiff(&v))
	}
	return text.Join("\n", diffs...)
}

// versionDiff returns the diff of one file, or "" if its text is unchanged.
func versionDiff(v *vault.Version) string {
	name := cmp.Or(v.NewPath, v.Path)
	switch {
	case v.Same || v.Known && len(v.Before) == 0 && len(v.After) == 0:
		return ""
	case !v.Known:
		return fmt.Sprintf("[%s: its texts are too large, or not kept any more]", name)
	case bytes.IndexByte(v.Before, 0) >= 0 || bytes.IndexByte(v.After, 0) >= 0:
		return fmt.Sprintf("[%s: no text, %d bytes before and %d after]", name, len(v.Before), len(v.After))
	}
	return textedit.TextDiff(name, string(v.Before), string(v.After))
}

func newUndo(s Streams, g *globals) *cobra.Command {
	since, yes := "", false
	c := &cobra.Command{
		Use:   "undo [ID]",
		Short: "Undo what a turn changed in the vault (without an ID: the last one)",
		Long: `Take back everything that a turn changed in the vault, as one. Without an ID it is the last turn
that is not taken back yet; chatvault changes lists them, and chatvault redo restores them.
What was changed since is left as it is, file by file, and named: the exit status is 1 then.

With --since, everything that was changed since a time is undone: 14:00, "2026-11-29 14:00",
yesterday, 2h or 3d. You see it first and are asked; in scripts, use --yes.`,
		Example: `  chatvault undo
  chatvault undo 20261121-1015
  chatvault undo --since 14:00`,
		Args: argCount(0, 1, "one turn at a time: chatvault undo ID; chatvault changes lists them"),
		RunE: func(c *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				if id = strings.TrimSpace(args[0]); id == "" {
					return usageError("the ID is empty; chatvault changes lists them")
				}
			}
			if c.Flags().Changed("since") {
				if id != "" {
					return usageError("an ID names one turn; leave out --since")
				}
				return undoSince(s, g, since, yes)
			}
			return runUndo(s, g, false, func(ctx context.Context, r *records) ([]vault.Undone, error) { return one(r.History.Undo(ctx, id)) })
		},
	}
	c.Flags().StringVar(&since, "since", "", "undo everything that was changed since this time")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask before --since")
	return c
}

func one(u vault.Undone, err error) ([]vault.Undone, error) { return []vault.Undone{u}, err }

// undoSince shows what was changed since a time, and undoes it with consent.
func undoSince(s Streams, g *globals, since string, yes bool) error {
	from, err := session.SinceTime(since, time.Now())
	if err != nil {
		return usageError("--since: %v", err)
	}
	return runUndo(s, g, false, func(ctx context.Context, r *records) ([]vault.Undone, error) {
		turns := vault.Since(r.turns, from)
		when := from.Local().Format(export.WhenLayout)
		if len(turns) == 0 {
			return nil, failure("nothing that can be undone was changed since %s", when)
		}
		question := fmt.Sprintf("%s\nUndo %s since %s?", strings.Join(session.SinceLines(session.ChangedTurns(turns)), "\n"), text.Count(len(turns), "turn"), when)
		if err := s.consented(question, yes, "nothing was undone"); err != nil {
			return nil, err
		}
		return r.History.UndoSince(ctx, from)
	})
}

func newRedo(s Streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "redo",
		Short:   "Redo what the last undo undid",
		Long:    "Restore what the last undo took back, except what was changed since: the exit status is 1 then.",
		Example: "  chatvault redo",
		Args:    argCount(0, 0, "redo takes no ID: it restores what the last undo undid; to undo an undo by its ID: chatvault undo ID"),
		RunE: func(*cobra.Command, []string) error {
			return runUndo(s, g, true, func(ctx context.Context, r *records) ([]vault.Undone, error) { return one(r.History.Redo(ctx)) })
		},
	}
}

// runUndo undoes or restores turns.
func runUndo(s Streams, g *globals, redo bool, do func(context.Context, *records) ([]vault.Undone, error)) error {
	return withRecords(s, g, func(ctx context.Context, r *records) error {
		all, err := do(ctx, r)
		var left error
		for _, u := range all {
			if note := session.ToldOf(r.Vault, u, redo); note != "" {
				if err := pending.AddUndo(r.state, "", note); err != nil {
					s.warn("the agent will not be told of it: " + err.Error())
				}
			}
			printUndone(s, u, redo, err)
			if len(u.Refused) > 0 {
				left = &exitError{Status: exitFailed}
			}
		}
		if n := len(all); err != nil && n > 0 && all[n-1].Turn.Turn != "" {
			err = failure("%s: %v", undoneTitle(all[n-1]), err)
		}
		return cmp.Or(err, left)
	})
}

// printUndone prints the result of an undo, which may have ended with an error.
func printUndone(s Streams, u vault.Undone, redo bool, err error) {
	title := undoneTitle(u)
	switch {
	case len(u.Lines) > 0:
		did := "Undid "
		if redo || u.Turn.Source == "undo" {
			did = "Restored "
		}
		fmt.Fprintln(s.Out, did+title+":")
	case err == nil && len(u.Refused) == 0:
		fmt.Fprintln(s.Out, "Nothing to do for "+title+": everything is already as it was before.")
	}
	for _, line := range u.Lines {
		fmt.Fprintln(s.Out, "  "+oneLineOf(line))
	}
	if len(u.Refused) == 0 {
		return
	}
	fmt.Fprintln(s.Err, "Unchanged, of "+title+":")
	for _, no := range u.Refused {
		fmt.Fprintln(s.Err, "  "+oneLineOf(no.Why))
	}
	if !redo {
		fmt.Fprintln(s.Err, "When that is fixed, chatvault undo "+u.Turn.Turn+" tries again. chatvault changes lists the others.")
	}
}

// undoneTitle names the turn of an undo.
func undoneTitle(u vault.Undone) string {
	return fmt.Sprintf("“%s” (%s, %s)", text.Excerpt(u.Turn.Title, 60), u.Turn.Turn, u.Turn.Began.Local().Format(export.WhenLayout))
}

func oneLineOf(text string) string {
	return strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(text)) // names may contain two spaces
}
