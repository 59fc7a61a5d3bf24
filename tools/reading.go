package tools

import (
	"bytes"
	"context"
	"slices"

	"chatvault/tools/textedit"
	"chatvault/vault"
)

// reading is what the agent has seen of notes in a turn, and what it is about to do to them: so
// that what it writes over unread can be told, and what somebody else changes meanwhile. The zero
// value has seen nothing.
type reading struct {
	seen    map[string]bool            // true names of notes whose text the agent was shown, or wrote
	planned map[string]map[string]bool // of notes that calls of the turn write: the hashes
	leaving []string                   // what calls of the turn move or delete
	told    map[string]bool            // notes that were told to have changed
	before  replaced
}

// replaced is what the newest write replaced.
type replaced struct {
	path string
	text string
}

// maxReplaced bounds what is kept of it, in bytes: a longer one is not shown.
const maxReplaced = 1 << 20

// replaces keeps what a write is about to replace.
func (t *Turn) replaces(name string, data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reading.before = replaced{}
	if len(data) <= maxReplaced && bytes.IndexByte(data, 0) < 0 {
		t.reading.before = replaced{name, string(data)}
	}
}

// whatChanged is the diff of the write that just happened, for a screen; empty where nobody kept
// what it replaced.
func (t *Turn) whatChanged(name, after string) string {
	t.mu.Lock()
	before := t.reading.before
	t.reading.before = replaced{}
	t.mu.Unlock()
	if before.path != name {
		return ""
	}
	return textedit.ResultDiff(name, before.text, after)
}

// saw notes that the agent has seen a note's text.
func (t *Turn) saw(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reading.seen == nil {
		t.reading.seen = map[string]bool{}
	}
	t.reading.seen[name] = true
	delete(t.reading.told, name)
}

// hasRead says whether the agent has seen a note's text.
func (t *Turn) hasRead(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reading.seen[name]
}

// plans notes what a call is about to do, right before it happens.
func (t *Turn) plans(c vault.Change, data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &t.reading
	if r.planned == nil {
		r.planned = map[string]map[string]bool{}
	}
	plan := func(name string, data []byte) {
		if r.planned[name] == nil {
			r.planned[name] = map[string]bool{}
		}
		r.planned[name][vault.Hash(data)] = true
	}
	switch c.Op {
	case "create", "overwrite":
		plan(c.Path, data)
	case "move", "delete":
		r.leaving = append(r.leaving, c.Path)
	}
	for _, w := range c.Rewrites {
		plan(w.Path, w.After)
		plan(w.NewPath, w.After)
	}
}

// ChangedOnDisk are, of some paths that changed on disk, the notes that the agent has read in this
// turn and that are no more as it knows them, each told once until it is read again. What the
// turn did itself is not among them. It may be called at any time.
func (t *Turn) ChangedOnDisk(ctx context.Context, paths []string) []string {
	var out []string
	for _, name := range paths {
		if !t.hasRead(name) {
			continue
		}
		hash := ""
		switch f, err := t.notes.Read(ctx, name); {
		case err == nil && f.Path == name:
			hash = f.Hash
		case err != nil && !isKind(err, vault.KindNotFound):
			continue // nobody knows
		}
		if t.ours(name, hash) {
			continue
		}
		out = append(out, name)
	}
	return out
}

// Gone are those of some paths where there is no note any more.
func (t *Turn) Gone(ctx context.Context, paths []string) []string {
	var out []string
	for _, name := range paths {
		if f, err := t.notes.Read(ctx, name); isKind(err, vault.KindNotFound) || err == nil && f.Path != name {
			out = append(out, name)
		}
	}
	return out
}

// Outdated are, of some notes that ChangedOnDisk told of, those that were not read again since.
func (t *Turn) Outdated(names []string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []string
	for _, name := range names {
		if t.reading.told[name] && t.reading.seen[name] {
			out = append(out, name)
		}
	}
	return out
}

// ours says whether a note's hash ("": it is gone) is one that the turn knows or brought about,
// or was told of before.
func (t *Turn) ours(name, hash string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &t.reading
	switch {
	case !r.seen[name], r.told[name], hash != "" && (hash == t.seen[name] || r.planned[name][hash]):
		return true
	case hash == "" && slices.ContainsFunc(r.leaving, func(gone string) bool { return within(name, gone) }):
		return true
	}
	if r.told == nil {
		r.told = map[string]bool{}
	}
	r.told[name] = true
	return false
}
