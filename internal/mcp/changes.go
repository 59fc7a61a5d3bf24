package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/internal/session"
	"chatvault/internal/text"
	"chatvault/tools"
	"chatvault/tools/argument"
	"chatvault/vault"
)

const (
	changesName = "changes"
	undoName    = "undo"

	changesDefault = 20
	changesMost    = 200
)

type changesArgs struct {
	MaxResults int `json:"max_results,omitempty" jsonschema:"turns; default 20, at most 200"`
}

// changedTurns is what changes gives.
type changedTurns struct {
	Turns []changedTurn `json:"turns" jsonschema:"newest first"`
}

type changedTurn struct {
	ID      string   `json:"id" jsonschema:"for undo"`
	Time    string   `json:"time"`
	Source  string   `json:"source" jsonschema:"mcp: a client of this server; chat, ask and tool: chatvault itself; undo and redo: what takes another turn back, or restores it"`
	Title   string   `json:"title,omitempty"`
	Changes []string `json:"changes"`
	State   string   `json:"state,omitempty" jsonschema:"undone, partly undone, restored since, partly restored since, running, or cut off"`
}

type undoArgs struct {
	ID string `json:"id,omitempty" jsonschema:"of a turn, or its beginning; default the last turn of this client in this session"`
}

// undone is what undo gives.
type undone struct {
	Done      []string `json:"done" jsonschema:"what was undone"`
	Unchanged []string `json:"unchanged,omitempty" jsonschema:"what was left as it is, and why"`
}

// addChanges offers the tools for what was changed.
func (s *Server) addChanges(offer func(name string, changes bool, add func())) {
	no, yes := false, true
	offer(changesName, false, func() {
		addShaped[changedTurns](s, &sdk.Tool{
			Name:        changesName,
			Description: "Lists what was changed in the vault through chatvault, turn by turn, the newest first, with the id by which undo takes a turn back.",
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
		}, s.changes)
	})
	offer(undoName, true, func() {
		addShaped[undone](s, &sdk.Tool{
			Name: undoName,
			Description: "Takes back everything that a turn changed in the vault: what it created goes, what it edited gets its text back, " +
				"what it moved moves back with the links to it, what it deleted comes back. What was changed since is left as it is, and named.",
			Annotations: &sdk.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &no},
		}, s.undo)
	})
}

// addShaped offers a tool with the schemas of its arguments and of its result. The schemas are made of
// types of this package: one that cannot be is a mistake here.
func addShaped[Out, In any](s *Server, t *sdk.Tool, run func(context.Context, *sdk.CallToolRequest, In) *sdk.CallToolResult) {
	takes := argument.Derive(reflect.TypeFor[In]())
	t.Title, t.InputSchema, t.OutputSchema = title(t.Name), takes.Text, argument.Shape(reflect.TypeFor[Out]())
	t.Annotations.Title = t.Title
	s.sdk.AddTool(t, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		done, err := s.work(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
		var in In
		if err := takes.Decode(t.Name, arguments(req), &in); err != nil {
			return failed(err), nil
		}
		return run(ctx, req, in), nil
	})
}

func (s *Server) changes(ctx context.Context, _ *sdk.CallToolRequest, a changesArgs) *sdk.CallToolResult {
	turns, err := s.notes.Turns(ctx, min(max(cmp.Or(a.MaxResults, changesDefault), 1), changesMost))
	if err != nil {
		return failed(err)
	}
	out := changedTurns{Turns: []changedTurn{}}
	var b strings.Builder
	for i := range turns {
		t := changedAs(&turns[i])
		out.Turns = append(out.Turns, t)
		fmt.Fprintf(&b, "\n[%s] %s, %s", t.ID, t.Time, t.Source)
		if t.Title != "" {
			fmt.Fprintf(&b, ": “%s”", t.Title)
		}
		if t.State != "" {
			fmt.Fprintf(&b, " (%s)", t.State)
		}
		for _, line := range t.Changes {
			b.WriteString("\n  " + line)
		}
		b.WriteByte('\n')
	}
	said := fmt.Sprintf("The last %s, newest first:\n%s", text.Count(len(turns), "turn"), b.String())
	if len(turns) == 0 {
		said = "Nothing was changed through chatvault, as far as its journal goes back."
	}
	return result(tools.Result{Text: strings.TrimSpace(said), Data: out})
}

// maxChangeLines is how many changes of a turn are listed.
const maxChangeLines = 20

func changedAs(t *session.ChangedTurn) changedTurn {
	c := changedTurn{ID: t.ID, Time: t.Time.Format(time.RFC3339), Source: cmp.Or(t.Source, "chat"), Title: text.Excerpt(t.Title, 200), State: t.State(), Changes: []string{}}
	for i, line := range t.Changes {
		if i == maxChangeLines {
			c.Changes = append(c.Changes, fmt.Sprintf("and %d more", len(t.Changes)-i))
			break
		}
		c.Changes = append(c.Changes, text.Excerpt(line, 400))
	}
	return c
}

func (s *Server) undo(ctx context.Context, req *sdk.CallToolRequest, a undoArgs) *sdk.CallToolResult {
	c := s.consent(req)
	u, err := s.guest(req.Session).Undo(ctx, a.ID, c.ask)
	if asked := c.request(); asked != nil {
		return asked
	}
	var denied *tools.Denied
	switch {
	case errors.As(err, &denied):
		return failed(errors.New("the user denied it; nothing was changed"))
	case errors.Is(err, vault.ErrUndone):
		return failed(errors.New("this turn was already undone"))
	case err != nil:
		return failed(err)
	}
	said := "Everything is already as it was before."
	if len(u.Lines) > 0 {
		said = "Undone:\n  " + strings.Join(u.Lines, "\n  ")
	}
	if len(u.Left) > 0 {
		said += "\nUnchanged:\n  " + strings.Join(u.Left, "\n  ")
	}
	if len(u.Lines) == 0 && len(u.Left) > 0 {
		return result(tools.Result{Text: "Error: Nothing was undone. " + said, IsError: true})
	}
	return result(tools.Result{Text: said, Data: undone{Done: append([]string{}, u.Lines...), Unchanged: u.Left}})
}
