package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chatvault/conversation/artifact"
	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
	"chatvault/tools"
	"chatvault/vault"
)

// addTools offers the vault's tools, and those for its changes.
func (s *Server) addTools(o Options) error {
	var names []string
	offer := func(name string, changes bool, add func()) {
		names = append(names, name)
		if (!changes || !o.ReadOnly) && (o.Tools == nil || slices.Contains(o.Tools, name)) {
			add()
		}
	}
	for _, t := range s.notes.Guest().Tools() {
		offer(t.Name(), !t.ReadOnly(), func() { s.sdk.AddTool(described(t), s.call) })
	}
	s.addChanges(offer)
	for _, name := range o.Tools {
		if slices.Contains(names, name) {
			continue
		}
		slices.Sort(names)
		return fmt.Errorf("there is no tool %q; the tools are: %s", name, strings.Join(names, ", "))
	}
	return nil
}

// described returns the protocol's description of a tool.
func described(t tools.Tool) *sdk.Tool {
	traits := tools.TraitsOf(t.Name())
	no := false
	destroys := !traits.Adds
	a := &sdk.ToolAnnotations{Title: title(t.Name()), ReadOnlyHint: t.ReadOnly(), OpenWorldHint: &no}
	if !t.ReadOnly() {
		a.DestructiveHint, a.IdempotentHint = &destroys, traits.Again
	}
	d := &sdk.Tool{Name: t.Name(), Title: a.Title, Description: t.Description(), InputSchema: t.Schema(), Annotations: a}
	if schema := tools.OutputSchema(t.Name()); schema != nil {
		d.OutputSchema = schema
	}
	return d
}

// title returns a tool's name for a person: "Read file".
func title(name string) string {
	return text.Capital(strings.ReplaceAll(name, "_", " "))
}

// call runs a tool of the vault for a client.
func (s *Server) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c := s.consent(req)
	r := s.guest.Call(ctx, clientName(req.ClientInfo()), req.Params.Name, arguments(req), c.ask)
	if asked := c.request(); asked != nil {
		return asked, nil
	}
	return result(r), nil
}

// arguments returns the arguments of a call, which a client may omit.
func arguments(req *sdk.CallToolRequest) json.RawMessage {
	if args := req.Params.Arguments; len(args) > 0 && string(args) != "null" {
		return args
	}
	return json.RawMessage("{}")
}

// result converts a tool's result.
func result(r tools.Result) *sdk.CallToolResult {
	out := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: r.Text}}, IsError: r.IsError, StructuredContent: r.Data}
	if x := r.Shown; x != nil {
		out.Content = append(out.Content, shown(x))
	}
	for _, t := range r.Things {
		if a, err := artifact.Describe(t.Name, t.Data); err == nil {
			out.Content = append(out.Content, embedded(a, t.Data))
		}
	}
	return out
}

// shown returns a picture or document of a result.
func shown(x *tools.Shown) sdk.Content {
	if !x.Document() {
		return &sdk.ImageContent{Data: x.Data, MIMEType: x.Type}
	}
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uriOf(x.Name), MIMEType: x.Type, Blob: x.Data}}
}

// embedded returns a complete artifact.
func embedded(a artifact.Artifact, data []byte) sdk.Content {
	r := &sdk.ResourceContents{URI: (&url.URL{Scheme: "artifact", Host: a.Hash, Path: "/" + a.Name}).String(), MIMEType: a.MediaType}
	if utf8.Valid(data) {
		r.Text = string(data)
	} else {
		r.Blob = data
	}
	return &sdk.EmbeddedResource{Resource: r}
}

// failed returns the result of a failed call.
func failed(err error) *sdk.CallToolResult {
	return result(tools.Result{Text: "Error: " + strings.TrimSuffix(err.Error(), ".") + ".", IsError: true})
}

// clientName returns the name that a client gives itself.
func clientName(i *sdk.Implementation) string {
	if i == nil {
		return session.GuestName("")
	}
	return session.GuestName(cmp.Or(i.Title, i.Name))
}

const (
	changesName = "changes"
	undoName    = "undo"

	changesDefault = 20
	changesMost    = 200
)

type changesArgs struct {
	MaxResults int `json:"max_results,omitempty" jsonschema:"turns; default 20, at most 200"`
}

// changedTurns is the data of changes.
type changedTurns struct {
	Turns []changedTurn `json:"turns" jsonschema:"newest first"`
}

type changedTurn struct {
	ID      string    `json:"id" jsonschema:"for undo"`
	Time    time.Time `json:"time"`
	Source  string    `json:"source" jsonschema:"mcp: a client of this server; chat, ask and tool: chatvault itself; undo and redo: what takes another turn back, or restores it"`
	Title   string    `json:"title,omitempty"`
	Changes []string  `json:"changes"`
	State   string    `json:"state,omitempty" jsonschema:"undone, partly undone, restored since, partly restored since, running, or cut off"`
}

type undoArgs struct {
	ID    string `json:"id,omitempty" jsonschema:"of a turn, or its beginning; default the last turn of this client in this session"`
	Since string `json:"since,omitempty" jsonschema:"instead of id: all turns since 14:00, 2026-11-29 14:00, yesterday or 2h"`
}

// undone is the data of undo.
type undone struct {
	Done      []string `json:"done" jsonschema:"what was undone"`
	Unchanged []string `json:"unchanged,omitempty" jsonschema:"what was left unchanged, and why"`
}

// addChanges offers the tools for what was changed.
func (s *Server) addChanges(offer func(name string, changes bool, add func())) {
	no, yes := false, true
	offer(changesName, false, func() {
		sdk.AddTool(s.sdk, &sdk.Tool{
			Name: changesName, Title: title(changesName),
			Description: "Lists what was changed in the vault through chatvault, turn by turn, the newest first, with the id by which undo takes a turn back.",
			Annotations: &sdk.ToolAnnotations{Title: title(changesName), ReadOnlyHint: true, OpenWorldHint: &no},
		}, s.changes)
	})
	offer(undoName, true, func() {
		sdk.AddTool(s.sdk, &sdk.Tool{
			Name: undoName, Title: title(undoName),
			Description: "Takes back everything that a turn changed in the vault: what it created goes, what it edited gets its text back, " +
				"what it moved moves back with the links to it, what it deleted comes back. What was changed since is left as it is, and named.",
			Annotations: &sdk.ToolAnnotations{Title: title(undoName), DestructiveHint: &yes, OpenWorldHint: &no},
		}, s.undo)
	})
}

func (s *Server) changes(ctx context.Context, _ *sdk.CallToolRequest, a changesArgs) (*sdk.CallToolResult, changedTurns, error) {
	turns, err := s.notes.Turns(ctx, min(max(cmp.Or(a.MaxResults, changesDefault), 1), changesMost))
	out := changedTurns{Turns: []changedTurn{}}
	for _, t := range turns {
		out.Turns = append(out.Turns, changedAs(t))
	}
	return nil, out, err
}

// maxChangeLines is the maximum number of listed changes of a turn.
const maxChangeLines = 20

// changedAs converts a turn, bounded in size.
func changedAs(t session.ChangedTurn) changedTurn {
	c := changedTurn{ID: t.ID, Time: t.Time, Source: cmp.Or(t.Source, "chat"), Title: text.Excerpt(t.Title, 200), State: t.State()}
	c.Changes = text.Of(t.Changes[:min(len(t.Changes), maxChangeLines)], func(line string) string { return text.Excerpt(line, 400) })
	if more := len(t.Changes) - maxChangeLines; more > 0 {
		c.Changes = append(c.Changes, fmt.Sprintf("and %d more", more))
	}
	return c
}

func (s *Server) undo(ctx context.Context, req *sdk.CallToolRequest, a undoArgs) (*sdk.CallToolResult, undone, error) {
	c := s.consent(req)
	undo, what := s.guest.Undo, a.ID
	switch {
	case a.ID != "" && a.Since != "":
		return nil, undone{}, errors.New("id and since cannot be combined: id is one turn, since is all turns from a time on")
	case a.Since != "":
		undo, what = s.guest.UndoSince, a.Since
	}
	u, err := undo(ctx, what, c.ask)
	if asked := c.request(); asked != nil {
		return asked, undone{}, nil
	}
	var denied *tools.Denied
	switch {
	case errors.As(err, &denied):
		err = errors.New("the user denied it; nothing was changed")
	case errors.Is(err, vault.ErrUndone):
		err = errors.New("this turn was already undone")
	case err == nil && len(u.Lines) == 0 && len(u.Left) > 0:
		err = errors.New("nothing was undone: " + strings.Join(u.Left, "; "))
	}
	return nil, undone{Done: append([]string{}, u.Lines...), Unchanged: u.Left}, err
}
