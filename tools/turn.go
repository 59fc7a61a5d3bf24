// Package tools holds what the agent can do to a vault: one tool per file, with its description next to it. Tools
// know the vault but no model and no screen.
//
// Arguments are checked strictly against a schema derived from the Go struct that the tool receives. Every result is
// text of bounded size; one that has a shape, such as a list, also holds its items as typed data. The result of a
// failed call starts with "Error: " and says what to do. Within a turn, no tool overwrites a note that has changed on
// disk since the turn last read it.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chatvault/conversation/artifact"
	"chatvault/internal/base/picture"
	"chatvault/internal/base/text"
	"chatvault/tools/listing"
	"chatvault/tools/readset"
	"chatvault/tools/wording"
)

// Turn holds the tools of one turn and their memory. Read-only tools may be called concurrently.
type Turn struct {
	stores
	messenger Messenger
	tools     []Tool
	known     *readset.Notes
}

// Tools returns the turn's tools in a fixed order.
func (t *Turn) Tools() []Tool { return slices.Clone(t.tools) }

// Lookup returns a tool by its exact name.
func (t *Turn) Lookup(name string) (Tool, bool) {
	i := slices.IndexFunc(t.tools, func(tool Tool) bool { return tool.Name() == name })
	if i < 0 {
		return nil, false
	}
	return t.tools[i], true
}

// Call runs the named tool. For an unknown name it returns an error result with the nearest name.
func (t *Turn) Call(ctx context.Context, name string, args json.RawMessage) Result {
	if tool, ok := t.Lookup(name); ok {
		return tool.Call(ctx, args)
	}
	names := text.Of(t.tools, Tool.Name)
	meant := "."
	if near := text.Near(name, names); near != "" {
		meant = fmt.Sprintf("; did you mean %q?", near)
	}
	return failf("unknown tool", "There is no tool %s%s The tools are: %s.", wording.Quote(wording.Shorten(name, 80)), meant, strings.Join(names, ", "))
}

// Changes describes the turn's changes so far for the user, a line each: "edited Projects/Alpha.md".
func (t *Turn) Changes() []string { return t.known.Changes() }

// Exists reports whether a path or a note's name refers to an existing file.
func (t *Turn) Exists(ctx context.Context, path string) bool {
	at, err := t.noteNamed(ctx, path, false)
	if err != nil {
		return true // ambiguous, so it exists
	}
	_, err = t.notes.Stat(ctx, at)
	return err == nil
}

// Tool is an action of the agent.
type Tool interface {
	Name() string
	Description() string
	// Schema is the JSON Schema (type object) of the arguments.
	Schema() json.RawMessage
	// ReadOnly tools change nothing and may run concurrently.
	ReadOnly() bool
	// Call runs the tool. It validates args, never panics on bad input, and returns promptly when ctx ends.
	Call(ctx context.Context, args json.RawMessage) Result
}

// Result is the result of a tool call.
type Result struct {
	Text    string // exactly what the model sees; starts with "Error: " if IsError
	IsError bool
	Summary string           // a few words for display: "12 lines", "3 notes", "not found"
	Diff    string           // unified diff of the change for display, if Text does not show it
	Shown   *Shown           // picture or document for the model in addition to Text; may be nil
	Things  []artifact.Thing // files that the call produced; Text names them
	Data    any              // content of Text for programs, see OutputSchema; nil if there is only text
	again   bool             // the call changed nothing and can be repeated unchanged
}

// remainder is the end of a list as data.
type remainder struct {
	Total int    `json:"total" jsonschema:"including omitted ones"`
	Note  string `json:"note,omitempty" jsonschema:"what was omitted, or why there is nothing"`
}

func (r *remainder) end(total int, note string) { r.Total, r.Note = total, strings.TrimSpace(note) }

// listed returns the result for a list with a heading, or for an empty one, and a remark. data holds the items and
// embeds a remainder, which listed sets.
func listed(l *listing.List, head, empty string, all int, noun, narrow, more string, data interface{ end(int, string) }) Result {
	if all == 0 {
		data.end(0, empty+more)
		return Result{Text: empty + more, Summary: strings.Replace(wording.Counted(0, noun), "0", "no", 1), Data: data}
	}
	last := l.LeftOut(all, noun, narrow) + more
	data.end(all, last)
	return Result{Text: head + l.String() + last, Summary: wording.Counted(all, noun), Data: data}
}

// Shown is a picture or a document in a result.
type Shown struct {
	picture.Info
	Name string
	Data []byte
}

// Messenger receives the agent's messages during a turn. It is the agent's end of send_message.
type Messenger interface {
	SendMessage(ctx context.Context, text string, isQuestion bool) error
}
