package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"chatvault/internal/text"
	"chatvault/tools/wording"
	"chatvault/vault"
)

// Turn holds the tools of one turn together with what they need to remember: the
// content hash of every file the turn read, and what it changed. Read-only tools may
// be called concurrently.
type Turn struct {
	stores
	messenger Messenger
	tools     []Tool
	byName    map[string]Tool

	mu      sync.Mutex
	seen    map[string]string // true name of a file: hash of the content the turn knows
	changes []change
	reading reading // what of it the agent has read
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
	names := make([]string, len(t.tools))
	for i, tool := range t.tools {
		names[i] = tool.Name()
	}
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
func (t *Turn) Changes() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return changeLines(t.changes)
}

// remember notes that the turn knows the content of a file.
func (t *Turn) remember(name, hash string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen[name] = hash
}

// wrote notes what a change made of a file.
func (t *Turn) wrote(verb string, c vault.Change, data []byte) {
	t.remember(c.Path, vault.Hash(data))
	t.changed(change{verb: verb, path: c.Path})
}

// known is the hash of a file's content as the turn last knew it, or "".
func (t *Turn) known(name string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seen[name]
}

// knowsSpelling reports whether name, but for case and Unicode form, is one the turn read.
func (t *Turn) knowsSpelling(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	name = norm.NFC.String(name)
	for p := range t.seen {
		if strings.EqualFold(norm.NFC.String(p), name) {
			return true
		}
	}
	return false
}

// forget drops what the turn knew of a file or of everything in a folder.
func (t *Turn) forget(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.seen, func(p, _ string) bool { return within(p, name) })
	maps.DeleteFunc(t.reading.seen, func(p string, _ bool) bool { return within(p, name) })
}

// follow carries what the turn knew of a file or folder over to its new name.
func (t *Turn) follow(from, to string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	follow(t.seen, from, to)
	follow(t.reading.seen, from, to)
}

// follow gives what is known by paths within from the paths within to.
func follow[V any](known map[string]V, from, to string) {
	moved := make(map[string]V)
	for p, v := range known {
		if within(p, from) {
			delete(known, p)
			moved[path.Join(to, strings.TrimPrefix(p, from))] = v
		}
	}
	maps.Copy(known, moved)
}

// within reports whether p is name or lies below it.
func within(p, name string) bool {
	return p == name || strings.HasPrefix(p, name+"/")
}

// change is one thing the turn did, for Changes.
type change struct {
	verb string // "created", "overwrote", "edited", "moved", "deleted", "created folder"
	path string
	to   string // moved: the new name
	more string // what else was done with it
}

func (t *Turn) changed(c change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changes = append(t.changes, c)
}

// changeLines tells changes in order, each once; an edit of what the turn itself
// created or overwrote goes without saying.
func changeLines(changes []change) []string {
	var lines []string
	told := make(map[string]bool)
	fresh := make(map[string]bool)
	for _, c := range changes {
		line := c.verb + " " + wording.PlainName(c.path)
		switch c.verb {
		case "created", "overwrote":
			if fresh[c.path] {
				continue
			}
			fresh[c.path] = true
		case "edited":
			if fresh[c.path] {
				continue
			}
		case "moved":
			line += " → " + wording.PlainName(c.to)
			if c.more != "" {
				line += " (" + c.more + ")"
			}
			if fresh[c.path] {
				delete(fresh, c.path)
				fresh[c.to] = true
			}
			// What is done to the old or new name from here on is news again.
			clear(told)
		case "deleted":
			delete(fresh, c.path)
			clear(told)
		}
		if told[line] {
			continue
		}
		told[line] = true
		lines = append(lines, line)
	}
	return lines
}
