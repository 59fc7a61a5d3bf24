package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chatvault/internal/text"
	"chatvault/tools/known"
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
