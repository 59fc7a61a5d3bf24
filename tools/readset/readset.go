// Package readset tracks what a turn knows of notes and what it changed, to detect overwriting unread notes and notes
// that other programs changed.
package readset

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"chatvault/tools/wording"
	"chatvault/vault"
)

// Notes are a turn's knowledge. It is safe for concurrent use.
type Notes struct {
	mu      sync.Mutex
	files   map[string]file // by actual path
	changes []Change
}

// file is what a turn knows of a file.
type file struct {
	hash  string // of the known content
	shown bool   // the agent has seen or written its text
}

// New returns empty knowledge.
func New() *Notes {
	return &Notes{files: map[string]file{}}
}

// Read records that the agent has seen a note's text, and the hash of its content.
func (n *Notes) Read(name, hash string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.files[name] = file{hash, true}
}

// HasRead reports whether the agent has seen a note's text.
func (n *Notes) HasRead(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.files[name].shown
}

// Hash returns the hash of a file's content as the turn last knew it, or "".
func (n *Notes) Hash(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.files[name].hash
}

// Forget removes a file, or everything in a folder.
func (n *Notes) Forget(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forget(name)
}

func (n *Notes) forget(name string) {
	maps.DeleteFunc(n.files, func(p string, _ file) bool { return within(p, name) })
}

// follow renames a file or folder.
func (n *Notes) follow(from, to string) {
	moved := map[string]file{}
	for p, f := range n.files {
		if within(p, from) {
			delete(n.files, p)
			moved[path.Join(to, strings.TrimPrefix(p, from))] = f
		}
	}
	maps.Copy(n.files, moved)
}

// within reports whether p is name or lies below it.
func within(p, name string) bool {
	return p == name || strings.HasPrefix(p, name+"/")
}

// Change is a change that the turn made.
type Change struct {
	Verb string // "created", "overwrote", "edited", "moved", "deleted", "created folder"
	Path string
	To   string // moved: the new name
	More string // further remark
}

// Made records a completed change for Changes: c described by a verb and a further remark, which may be empty. Of the
// other notes that it wrote, those that had changed since the turn read them stay outdated.
func (n *Notes) Made(verb string, c vault.Change, more string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	done := Change{Verb: verb, Path: c.Path, More: more}
	switch c.Op {
	case "mkdir":
	case "delete":
		n.forget(c.Path)
	case "move":
		done.To = c.NewPath
		n.follow(c.Path, c.NewPath)
	default:
		switch done.To = c.NewPath; {
		case c.Many:
			done.Path = wording.Counted(len(c.Rewrites), "note")
		case c.Gone:
			n.forget(c.Path)
		default:
			n.files[c.Path] = file{vault.Hash(c.Data), n.files[c.Path].shown}
		}
	}
	for _, r := range c.Rewrites {
		if f := n.files[r.NewPath]; f.hash == vault.Hash(r.Before) {
			n.files[r.NewPath] = file{vault.Hash(r.After), f.shown}
		}
	}
	n.changes = append(n.changes, done)
}

// Changes describes the turn's changes for the user, a line each.
func (n *Notes) Changes() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return changeLines(n.changes)
}

// changeLines describes changes, oldest first, each once since the last move or deletion.
func changeLines(changes []Change) []string {
	var lines []string
	since := 0
	for _, c := range changes {
		line := c.Verb + " " + wording.PlainName(c.Path)
		if c.To != "" {
			line += " → " + wording.PlainName(c.To)
		}
		if c.More != "" {
			line += " (" + c.More + ")"
		}
		if c.Verb == "moved" || c.Verb == "deleted" {
			since = len(lines)
		}
		if !slices.Contains(lines[since:], line) {
			lines = append(lines, line)
		}
	}
	return lines
}
