package vault

import (
	"context"
	"errors"
	"slices"
	"strings"

	"chatvault/vault/failure"
	"chatvault/vault/fold"
	"chatvault/vault/journal"
	"chatvault/vault/pathname"
)

// NoteChange is one change of a note, as the journal has it. Its Version has no texts: ReadVersion
// reads them, as there may be many changes of a large note.
type NoteChange struct {
	Turn    journal.Turn // whose change it is, without its changes
	Change  journal.Change
	Path    string // what the note was called after it; before it, where it went with it
	Version Version

	file *journal.File // of Version; nil: the journal says nothing of it
}

// Version is what a change made of one file.
type Version struct {
	Path    string // after it; before it, where it went
	NewPath string // of one that moved: where to
	Was     bool   // it was there before
	Is      bool   // it is there after
	Same    bool   // its bytes are those that it had
	Known   bool   // the texts of it that there were are known
	Before  []byte
	After   []byte
	Links   int // that were changed in it

	Size, NewSize int64 // before and after, in bytes
}

// Versions are the files that a change is about, by path, with their texts as far as they are known:
// from the journal, or because they are in the vault still.
func (v *Vault) Versions(ctx context.Context, c *journal.Change) ([]Version, error) {
	if v.journal == nil {
		return nil, ErrNoJournal
	}
	versions := make([]Version, 0, len(c.Files))
	for i := range c.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		versions = append(versions, v.FileVersion(ctx, &c.Files[i]))
	}
	return versions, nil
}

// ReadVersion is the version of a change of a note with its texts, but for those that are private now.
func (v *Vault) ReadVersion(ctx context.Context, c *NoteChange) Version {
	if c.file == nil {
		return c.Version
	}
	return v.readable(ctx, v.FileVersion(ctx, c.file))
}

// outline is the version of a file without its texts.
func outline(f *journal.File) Version {
	o := Version{Path: f.Path, Was: f.Before != "", Is: f.After != "", Same: f.Before == f.After, Links: f.Links, Size: f.Size, NewSize: f.NewSize}
	if f.NewPath != f.Path {
		o.NewPath = f.NewPath
	}
	return o
}

// FileVersion is what a change made of a file, with the texts that are known, as Versions has them.
func (v *Vault) FileVersion(ctx context.Context, f *journal.File) Version {
	o := outline(f)
	o.Known = true
	text := func(print, at string) []byte {
		if print == "" {
			return nil
		}
		if data, err := v.journal.Object(print); err == nil {
			return data
		}
		if s, err := v.ground().look(ctx, at, readIt); err == nil && s.holds(print) && s.data != nil {
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

// NoteHistory is what the journal has of a note: its changes, the newest first, also under names
// that it had before, and what became of it where it was deleted. name is its name now, or the last
// it had; the error is that of a path no operation takes, or KindNotFound where neither the vault nor
// the journal has it. What is private now is left out, under whatever name the journal knows it.
func (v *Vault) NoteHistory(ctx context.Context, name string) (at string, changes []NoteChange, err error) {
	if at, err = pathname.Clean(name); err != nil {
		return "", nil, err
	}
	p, err := v.find(ctx, name, followLinks)
	notThere := errors.Is(err, failure.KindNotFound)
	switch {
	case err == nil:
		at = p.path
		folder := p.info.IsDir()
		p.close()
		if folder {
			return "", nil, failure.New(failure.KindIsFolder, name, "%s is a folder, not a file. Name a file in it.", failure.Quote(at))
		}
	case !notThere:
		return "", nil, err
	}
	if v.journal == nil && !notThere {
		return at, nil, ErrNoJournal
	}
	turns, err := v.ChangedTurns(ctx, 0)
	if err != nil {
		return "", nil, err
	}
	if notThere {
		at = lastSpelling(turns, at)
	}
	changes = v.withoutPrivate(ctx, turns, historyOf(turns, at))
	if notThere && len(changes) == 0 {
		return "", nil, v.withNear(ctx, notFound(name, at), name, filesOnly)
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

// lastSpelling is how a name was spelled in the journal last, case and normal form ignored.
func lastSpelling(turns []journal.Turn, at string) string {
	folded := fold.Name(at)
	for i := range turns {
		for _, c := range slices.Backward(turns[i].Changes) {
			for k := range c.Files {
				if f := &c.Files[k]; fold.Name(f.Path) == folded {
					return f.Path
				}
			}
		}
	}
	return at
}

// historyOf are the changes of the note that is called at, or was last: turns are sorted, newest
// first.
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
			at = calledBefore(&c, at)
		}
	}
	slices.SortStableFunc(all, func(a, b NoteChange) int { return b.Change.Time.Compare(a.Change.Time) })
	return all
}

// touches says whether a change is one of the note that is called at after it, or was before it.
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

// calledBefore is what a note was called before a change after which it is called at.
func calledBefore(c *journal.Change, at string) string {
	if c.Op == "move" && pathname.In(at, c.NewPath) {
		return c.Path + strings.TrimPrefix(at, c.NewPath)
	}
	return at
}
