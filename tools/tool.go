// Package tools holds what the agent can do to a vault, one tool a file, each
// with its description beside it. Tools know the vault and no model, no screen.
//
// It promises that a call runs only what its arguments say: they are checked
// strictly against a schema derived from the Go struct the tool receives; that
// every result is text of a bounded size; that a failed call begins "Error: " and
// says what to do; and that within a turn no note is written over that changed on
// disk since the turn last read it.
package tools

import (
	"context"
	"encoding/json"

	"chatvault/internal/artifact"
	"chatvault/internal/picture"

	"chatvault/tools/listing"
	"chatvault/tools/wording"
)

// Tool is one thing the agent can do.
type Tool interface {
	Name() string
	Description() string
	// Schema is a JSON Schema (type object) of the arguments.
	Schema() json.RawMessage
	// ReadOnly tools change nothing and may run concurrently.
	ReadOnly() bool
	// Call runs the tool. args was not checked yet: Call validates it.
	// It never panics on bad input and returns promptly when ctx ends.
	Call(ctx context.Context, args json.RawMessage) Result
}

// Result is what a tool call gives back.
type Result struct {
	Text    string // exactly what the model sees; starts with "Error: " when IsError
	IsError bool
	Summary string           // a few words for one line of a screen: "12 lines", "3 notes", "not found"
	Diff    string           // unified, for a screen: what the call changed, where Text does not show it
	Shown   *Shown           // what it is to be shown beside Text; nil: nothing
	Things  []artifact.Thing // what the call brought beside words; Text names them
	Data    any              // what Text says, for a program: of the tool's shape (ShapeOf); nil: there is no more than Text
	again   bool             // the call changed nothing, and may be made again as it is
}

// listed is the result of a list after head, with what else there is to say; note is that in the data.
func listed(l *listing.List, head string, all int, noun, narrow, more string, note *string, data any) Result {
	*note = listing.Remarks(l.LeftOut(all, noun, narrow), l.Over(), more)
	return Result{
		Text: head + l.Text(all, noun, narrow) + l.Over() + more, Summary: wording.Counted(all, noun), Data: data,
	}
}

// Shown is a picture or a document that a result shows.
type Shown struct {
	picture.Info
	Name string
	Data []byte
}

// Messenger receives what the agent says mid-task. It is the agent's end of send_message.
type Messenger interface {
	SendMessage(ctx context.Context, text string, isQuestion bool) error
}
