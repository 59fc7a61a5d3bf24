package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chatvault/agent/pending"
	"chatvault/internal/session"
	"chatvault/internal/session/export"
	"chatvault/internal/session/home"
	"chatvault/vault"
)

func newUndo(s Streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "undo [ID]",
		Short: "Undo what a turn changed in the vault (without an ID: the last one)",
		Long: `Take back everything that a turn changed in the vault, as one: what it created goes, what
it edited gets its text back, what it moved moves back and the links to it with it, what it
deleted comes back. Without an ID it is the last turn that is not taken back yet, so that
undo again takes the one before; chatvault changes lists them.

What was changed since is left as it is, file by file, and named; the rest is taken back, and
undo can be tried again. chatvault redo restores what was taken back. The exit status is 1
where something was left, or where there is nothing to undo.`,
		Example: `  chatvault undo
  chatvault undo 20261121-1015`,
		Args: argCount(0, 1, "one turn at a time: chatvault undo ID; chatvault changes lists them"),
		RunE: func(_ *cobra.Command, args []string) error {
			id := ""
			if len(args) > 0 {
				if id = strings.TrimSpace(args[0]); id == "" {
					return usageError("the ID is empty; chatvault changes lists them")
				}
			}
			return runUndo(s, g, "undo", func(ctx context.Context, v *vault.Vault) (vault.Undone, error) { return v.Undo(ctx, id) })
		},
	}
}

func newRedo(s Streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "redo",
		Short: "Redo what the last undo undid",
		Long: `Restore what the last undo took back that was not restored yet. What was changed since is
left as it is, and named; the exit status is 1 then, and where there is nothing to redo.`,
		Example: "  chatvault redo",
		Args:    argCount(0, 0, "redo takes no ID: it restores what the last undo undid; to undo an undo by its ID: chatvault undo ID"),
		RunE: func(*cobra.Command, []string) error {
			return runUndo(s, g, "redo", func(ctx context.Context, v *vault.Vault) (vault.Undone, error) { return v.Redo(ctx) })
		},
	}
}

// runUndo undoes or restores a turn.
func runUndo(s Streams, g *globals, what string, do func(context.Context, *vault.Vault) (vault.Undone, error)) error {
	return withRecords(s, g, func(ctx context.Context, r *records) error {
		if len(r.turns) == 0 { // without creating a state folder
			return failure("there is nothing to %s", what)
		}
		state, err := home.Open(r.Dir())
		if err != nil {
			return failure("%v", err)
		}
		defer func() { _ = state.Close() }()
		u, err := do(ctx, r.Vault)
		if note := session.ToldOf(r.Vault, u, what == "redo"); note != "" {
			if err := pending.AddUndo(state, "", note); err != nil {
				s.warn("the agent will not be told of it: " + err.Error())
			}
		}
		return r.printUndone(s, u, what, err)
	})
}

// printUndone prints the result of an undo.
func (r *records) printUndone(s Streams, u vault.Undone, what string, err error) error {
	title := ""
	if u.Turn.Turn != "" {
		title = fmt.Sprintf("“%s” (%s, %s)", excerpt(u.Turn.Title, 60), u.Turn.Turn, u.Turn.Began.Local().Format(export.WhenLayout))
	}
	if len(u.Lines) > 0 {
		did := "Undid "
		if what == "redo" || u.Turn.Source == "undo" {
			did = "Restored "
		}
		fmt.Fprintln(s.Out, did+title+":")
		for _, line := range u.Lines {
			fmt.Fprintln(s.Out, "  "+oneLineOf(line))
		}
	}
	switch {
	case err != nil && title != "":
		return failure("%s: %v", title, err)
	case err != nil:
		return err
	}
	if len(u.Refused) == 0 {
		if len(u.Lines) == 0 {
			fmt.Fprintln(s.Out, "Nothing to do for "+title+": everything is already as it was before.")
		}
		return nil
	}
	fmt.Fprintln(s.Err, "Unchanged, of "+title+":")
	for _, no := range u.Refused {
		fmt.Fprintln(s.Err, "  "+oneLineOf(no.Why))
	}
	if what == "undo" {
		if slices.ContainsFunc(u.Refused, func(no vault.Refusal) bool { return !no.Final }) {
			fmt.Fprintln(s.Err, "When that is fixed, chatvault undo "+u.Turn.Turn+" tries again.")
		}
		if before := session.TurnBefore(r.turns, u.Turn.Turn); before != "" {
			fmt.Fprintln(s.Err, "To skip it and undo the turn before it: chatvault undo "+before)
		}
	}
	return &exitError{Status: exitFailed}
}

func oneLineOf(text string) string {
	return strings.TrimSpace(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(text)) // names may contain two spaces
}
