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
	"fmt"
	"slices"
	"strings"

	"chatvault/internal/artifact"
	"chatvault/internal/picture"
	"chatvault/internal/text"
	"chatvault/tools/known"
	"chatvault/tools/listing"
	"chatvault/tools/wording"
	"chatvault/vault"
)

// Turn holds the tools of one turn together with what they need to remember. Read-only tools may
// be called concurrently.
type Turn struct {
	stores
	messenger Messenger
	tools     []Tool
	byName    map[string]Tool
	known     *known.Notes
}

// Tools are the turn's tools, always in the same order.
func (t *Turn) Tools() []Tool { return slices.Clone(t.tools) }

// Lookup finds a tool by its exact name.
func (t *Turn) Lookup(name string) (Tool, bool) {
	tool, ok := t.byName[name]
	return tool, ok
}

// Call runs the named tool. An unknown name is an error result that names the nearest tool.
func (t *Turn) Call(ctx context.Context, name string, args json.RawMessage) Result {
	if tool, ok := t.byName[name]; ok {
		return tool.Call(ctx, args)
	}
	names := text.Of(t.tools, Tool.Name)
	var b strings.Builder
	fmt.Fprintf(&b, "Error: There is no tool %s", wording.Quote(wording.Shorten(name, 80)))
	if near := text.Near(name, names); near != "" {
		fmt.Fprintf(&b, "; did you mean %q?", near)
	} else {
		b.WriteByte('.')
	}
	fmt.Fprintf(&b, " The tools are: %s.", strings.Join(names, ", "))
	return Result{Text: b.String(), IsError: true, Summary: "unknown tool"}
}

// Changes says what the turn changed so far, one line each, for the user:
// "edited Projects/Alpha.md".
func (t *Turn) Changes() []string { return t.known.Changes() }

// Exists reports whether a path, or a note's name, names a file that is there.
func (t *Turn) Exists(ctx context.Context, path string) bool {
	at, err := t.noteNamed(ctx, path, false)
	if err != nil {
		return true // it names several
	}
	_, err = t.notes.Stat(ctx, at)
	return err == nil
}

// ChangedOnDisk are, of some paths that changed on disk, the notes that the agent has read in this
// turn and that are no more as it knows them, each told once until it is read again; and those of
// them where there is no note any more. What the turn did itself is not among them. It may be called
// at any time.
func (t *Turn) ChangedOnDisk(ctx context.Context, paths []string) (changed, gone []string) {
	for _, name := range paths {
		if !t.known.HasRead(name) {
			continue
		}
		hash := ""
		switch f, err := t.notes.Read(ctx, name); {
		case err == nil && f.Path == name:
			hash = f.Hash
		case err != nil && !isKind(err, vault.KindNotFound):
			continue // nobody knows
		}
		if t.known.Ours(name, hash) {
			continue
		}
		changed = append(changed, name)
		if hash == "" {
			gone = append(gone, name)
		}
	}
	return changed, gone
}

// Outdated are, of some notes that ChangedOnDisk told of, those that were not read again since.
func (t *Turn) Outdated(names []string) []string { return t.known.Outdated(names) }

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
