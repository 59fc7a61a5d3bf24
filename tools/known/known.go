// Package known holds what a turn knows of notes, and what it did to them: so that what it writes
// over unread can be told, and what somebody else changes meanwhile.
package known

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"chatvault/tools/wording"
	"chatvault/vault"
)

// Notes are what a turn knows. It is safe for concurrent use.
type Notes struct {
	mu      sync.Mutex
	files   map[string]file    // by their true names
	planned map[[2]string]bool // notes that calls of the turn write, each with its hash
	leaving []string           // what calls of the turn move or delete
	told    map[string]bool    // notes that were told to have changed
	changes []Change
}

// file is what a turn knows of one.
type file struct {
	hash  string // of the content the turn knows
	shown bool   // the agent was shown its text, or wrote it
}

// New knows nothing.
func New() *Notes {
	return &Notes{files: map[string]file{}, planned: map[[2]string]bool{}, told: map[string]bool{}}
}

// Saw notes that the agent has seen a note's text.
func (n *Notes) Saw(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.files[name] = file{n.files[name].hash, true}
	delete(n.told, name)
}

// HasRead says whether the agent has seen a note's text.
func (n *Notes) HasRead(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.files[name].shown
}

// Plans notes what a call is about to do, right before it happens.
func (n *Notes) Plans(c vault.Change, data []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	plan := func(name string, data []byte) { n.planned[[2]string{name, vault.Hash(data)}] = true }
	switch c.Op {
	case "create", "overwrite":
		plan(c.Path, data)
	case "move", "delete":
		n.leaving = append(n.leaving, c.Path)
	}
	for _, w := range c.Rewrites {
		plan(w.Path, w.After)
		plan(w.NewPath, w.After)
	}
}

// Rewritten follows what the turn knew of notes whose links were put right: what it read before
// is what is there now, but for the links. Of a note that somebody else had changed meanwhile it
// knows no more than before.
func (n *Notes) Rewritten(rewrites []vault.Rewrite) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, r := range rewrites {
		if f := n.files[r.NewPath]; f.hash == vault.Hash(r.Before) {
			n.files[r.NewPath] = file{vault.Hash(r.After), f.shown}
		}
	}
}

// Outdated are, of some notes that ChangedOnDisk told of, those that were not read again since.
func (n *Notes) Outdated(names []string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out []string
	for _, name := range names {
		if n.told[name] && n.files[name].shown {
			out = append(out, name)
		}
	}
	return out
}

// Ours says whether a note's hash ("": it is gone) is one that the turn knows or brought about,
// or was told of before.
func (n *Notes) Ours(name, hash string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch f := n.files[name]; {
	case !f.shown, n.told[name], hash != "" && (hash == f.hash || n.planned[[2]string{name, hash}]):
		return true
	case hash == "" && slices.ContainsFunc(n.leaving, func(gone string) bool { return within(name, gone) }):
		return true
	}
	n.told[name] = true
	return false
}

// Remember notes that the turn knows the content of a file.
func (n *Notes) Remember(name, hash string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.files[name] = file{hash, n.files[name].shown}
}

// Wrote notes what a change made of a file.
func (n *Notes) Wrote(verb string, c vault.Change, data []byte) {
	n.Remember(c.Path, vault.Hash(data))
	n.Changed(Change{Verb: verb, Path: c.Path})
}

// Hash is the hash of a file's content as the turn last knew it, or "".
func (n *Notes) Hash(name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.files[name].hash
}

// KnowsSpelling reports whether name, but for case and Unicode form, is one the turn read.
func (n *Notes) KnowsSpelling(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	name = norm.NFC.String(name)
	for p := range n.files {
		if strings.EqualFold(norm.NFC.String(p), name) {
			return true
		}
	}
	return false
}

// Forget drops what the turn knew of a file or of everything in a folder.
func (n *Notes) Forget(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	maps.DeleteFunc(n.files, func(p string, _ file) bool { return within(p, name) })
}

// Follow carries what the turn knew of a file or folder over to its new name.
func (n *Notes) Follow(from, to string) {
	n.mu.Lock()
	defer n.mu.Unlock()
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

// Change is one thing the turn did.
type Change struct {
	Verb string // "created", "overwrote", "edited", "moved", "deleted", "created folder"
	Path string
	To   string // moved: the new name
	More string // what else was done with it
}

// Changed notes what the turn did.
func (n *Notes) Changed(c Change) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.changes = append(n.changes, c)
}

// Changes says what the turn changed so far, one line each, for the user.
func (n *Notes) Changes() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return changeLines(n.changes)
}

// changeLines tells changes in order, each once; an edit of what the turn itself
// created or overwrote goes without saying.
func changeLines(changes []Change) []string {
	var lines []string
	told := make(map[string]bool)
	fresh := make(map[string]bool)
	for _, c := range changes {
		line := c.Verb + " " + wording.PlainName(c.Path)
		switch c.Verb {
		case "created", "overwrote":
			if fresh[c.Path] {
				continue
			}
			fresh[c.Path] = true
		case "edited":
			if fresh[c.Path] {
				continue
			}
		case "moved":
			line += " → " + wording.PlainName(c.To)
			if c.More != "" {
				line += " (" + c.More + ")"
			}
			if fresh[c.Path] {
				delete(fresh, c.Path)
				fresh[c.To] = true
			}
			// What is done to the old or new name from here on is news again.
			clear(told)
		case "deleted":
			delete(fresh, c.Path)
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
