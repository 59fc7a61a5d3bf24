package vault

import (
	"context"
	"errors"
	"slices"
	"strings"

	"chatvault/vault/journal"
	"chatvault/vault/lookup"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// History is the part of a Vault that lists and undoes its recorded changes. It is safe for concurrent use.
type History struct {
	vault   *Vault
	journal *journal.Journal                             // records the changes; optional
	guard   func(ctx context.Context, path string) error // see Guard
}

// NoteChange is a recorded change of a note. Its Version has no texts until History.Texts reads them, because there may
// be many changes of a large note.
type NoteChange struct {
	Turn    journal.Turn // the turn, without its changes
	Change  journal.Change
	Path    string // path of the note after the change, or before it if it no longer exists
	Version Version

	file *journal.File // of Version; nil if the journal does not list the file
}

// Version is the effect of a change on one file.
type Version struct {
	Path    string // after the change, or before it if it no longer exists
	NewPath string // new path, if it moved
	Was     bool   // it existed before
	Is      bool   // it exists afterwards
	Same    bool   // its content did not change
	Known   bool   // the old and new texts, where it existed, are available
	Before  []byte
	After   []byte
	Links   int // number of links changed in it

	Size, NewSize int64 // old and new size in bytes
}

// Texts returns the version of a note's change with its texts, except for private ones.
func (h *History) Texts(ctx context.Context, c *NoteChange) Version {
	if c.file == nil {
		return c.Version
	}
	return h.vault.readable(ctx, h.Version(ctx, c.file))
}

// outline returns the version of a file without its texts.
func outline(f *journal.File) Version {
	o := Version{Path: f.Path, Was: f.Before != "", Is: f.After != "", Same: f.Before == f.After, Links: f.Links, Size: f.Size, NewSize: f.NewSize}
	if f.NewPath != f.Path {
		o.NewPath = f.NewPath
	}
	return o
}

// Version returns the version of one file, with its texts where available: from the journal, or because the vault
// still has them.
func (h *History) Version(_ context.Context, f *journal.File) Version {
	o := outline(f)
	o.Known = true
	text := func(print, at string) []byte {
		if print == "" {
			return nil
		}
		if data, err := h.journal.Content(print); err == nil {
			return data
		}
		if s, err := h.vault.stateOf(at, readIt); err == nil && s.matches(print) && s.data != nil {
			return s.data
		}
		o.Known = false
		return nil
	}
	o.Before = text(f.Before, f.Path)
	if f.Before == f.After {
		o.After = o.Before
	} else {
		o.After = text(f.After, f.At())
	}
	return o
}

// Note returns the recorded changes of a note, newest first, including those under earlier names and its
// deletion. name is its current or last name. The error is that of an invalid path, or KindNotFound if neither the
// vault nor the journal has the note. Notes that are private now are omitted, under whatever name the journal has
// them.
func (h *History) Note(ctx context.Context, name string) (at string, changes []NoteChange, err error) {
	v := h.vault
	if at, err = pathname.Clean(name); err != nil {
		return "", nil, err
	}
	p, err := v.finder.Find(ctx, name, lookup.FollowLinks)
	notThere := errors.Is(err, vaulterr.KindNotFound)
	switch {
	case err == nil:
		at = p.Path
		folder := p.Info.IsDir()
		p.Close()
		if folder {
			return "", nil, vaulterr.New(vaulterr.KindIsFolder, name, "%s is a folder, not a file. Name a file in it.", vaulterr.Quote(at))
		}
	case !notThere:
		return "", nil, err
	}
	if h.journal == nil && !notThere {
		return at, nil, ErrNoJournal
	}
	turns, err := h.Turns(ctx, 0)
	if err != nil {
		return "", nil, err
	}
	if notThere {
		at = lastSpelling(turns, at)
	}
	changes = v.withoutPrivate(ctx, turns, historyOf(turns, at))
	if notThere && len(changes) == 0 {
		return "", nil, v.withNear(ctx, lookup.NotFound(name, at), name, filesOnly)
	}
	for i := range changes {
		c := &changes[i]
		for k := range c.Change.Files {
			if f := &c.Change.Files[k]; f.At() == c.Path || f.After == "" && f.Path == c.Path {
				c.Version, c.file = outline(f), f
			}
		}
	}
	return at, changes, nil
}

// lastSpelling returns the last spelling of a name in the journal, ignoring case and normal form.
func lastSpelling(turns []journal.Turn, at string) string {
	folded := pathname.Fold(at)
	for i := range turns {
		for _, c := range slices.Backward(turns[i].Changes) {
			for k := range c.Files {
				if f := &c.Files[k]; pathname.Fold(f.Path) == folded {
					return f.Path
				}
			}
		}
	}
	return at
}

// historyOf returns the changes of the note whose current or last path is at. turns must be sorted, newest first.
func historyOf(turns []journal.Turn, at string) []NoteChange {
	var all []NoteChange
	for i := range turns {
		t := turns[i]
		changes := t.Changes
		t.Changes = nil
		for _, c := range slices.Backward(changes) {
			if c.State == journal.Failed || !touches(&c, at) {
				continue
			}
			all = append(all, NoteChange{Turn: t, Change: c, Path: at})
			at = pathBefore(&c, at)
		}
	}
	slices.SortStableFunc(all, func(a, b NoteChange) int { return b.Change.Time.Compare(a.Change.Time) })
	return all
}

// touches reports whether a change affects the note with the path at, before or after the change.
func touches(c *journal.Change, at string) bool {
	if c.Op == "move" && (pathname.In(at, c.NewPath) || at == c.Path) {
		return true
	}
	for i := range c.Files {
		if f := &c.Files[i]; f.At() == at || f.After == "" && f.Path == at {
			return true
		}
	}
	return c.Folder && c.More > 0 && pathname.In(at, c.Path)
}

// pathBefore returns the path that a note had before a change, given its path afterwards.
func pathBefore(c *journal.Change, at string) string {
	if c.Op == "move" && pathname.In(at, c.NewPath) {
		return c.Path + strings.TrimPrefix(at, c.NewPath)
	}
	return at
}
