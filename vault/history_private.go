package vault

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"

	"chatvault/vault/fold"
	"chatvault/vault/journal"
	"chatvault/vault/pathname"
)

// noteHistories assigns the changes in a journal to notes, across renames, with the current place of each note.
type noteHistories struct {
	at    map[string]*noteHistory // the last note at each path
	notes map[noteKey]*noteHistory
}

// noteHistory is the history of one note.
type noteHistory struct {
	at     string           // current or last path
	gone   bool             // it was deleted
	prints map[string]int64 // hashes of its non-empty contents, with their sizes
}

// noteKey identifies a note by a change and the note's path before or after it.
type noteKey struct {
	turn string
	seq  int
	path string
}

// newNoteHistories builds the histories of the notes in all turns.
func newNoteHistories(turns []journal.Turn) *noteHistories {
	l := &noteHistories{at: map[string]*noteHistory{}, notes: map[noteKey]*noteHistory{}}
	type step struct {
		turn   string
		change *journal.Change
	}
	var steps []step
	for i := range slices.Backward(turns) { // oldest first
		for k := range turns[i].Changes {
			if c := &turns[i].Changes[k]; c.State != journal.Failed {
				steps = append(steps, step{turns[i].Turn, c})
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.change.Time.Compare(b.change.Time) })
	for _, s := range steps {
		l.follow(s.turn, s.change)
	}
	return l
}

// note returns the note at a path, adding it if it is new.
func (l *noteHistories) note(at string) *noteHistory {
	n := l.at[at]
	if n == nil {
		n = &noteHistory{at: at, prints: map[string]int64{}}
		l.at[at] = n
	}
	return n
}

func (l *noteHistories) follow(turn string, c *journal.Change) {
	if c.Op == "create" {
		delete(l.at, c.Path) // an unrecorded deletion preceded it
	}
	if c.Op == "move" && !c.Folder {
		l.note(c.Path)
	}
	for i := range c.Files {
		f := &c.Files[i]
		n := l.note(f.Path)
		n.gone = f.After == ""
		maps.Copy(n.prints, contentPrints(f))
		l.notes[noteKey{turn, c.Seq, f.Path}] = n
	}
	if c.Op != "move" {
		return
	}
	var moved []*noteHistory
	for at, n := range l.at {
		if pathname.In(at, c.Path) {
			delete(l.at, at)
			moved = append(moved, n)
			l.notes[noteKey{turn, c.Seq, at}] = n
		}
	}
	for _, n := range moved {
		n.at = pathAfter(c, n.at)
		l.at[n.at] = n
		l.notes[noteKey{turn, c.Seq, n.at}] = n
	}
}

// pathAfter returns the path of a note after a move of it or of its folder.
func pathAfter(c *journal.Change, at string) string { return c.NewPath + at[len(c.Path):] }

// of returns the note of a change, or nil if the journal does not list it.
func (l *noteHistories) of(c *NoteChange) *noteHistory {
	return l.notes[noteKey{c.Turn.Turn, c.Change.Seq, c.Path}]
}

// contentPrints returns the hashes of a file's content before and after a change, with the sizes. Empty and unread
// contents are omitted.
func contentPrints(f *journal.File) map[string]int64 {
	held := map[string]int64{f.Before: f.Size, f.After: f.NewSize}
	maps.DeleteFunc(held, func(print string, size int64) bool { return !journal.IsPrint(print) || size == 0 })
	return held
}

// withoutPrivate removes the changes of notes that are private now, also under earlier names and when others moved
// them, and the changes of other notes under a name that is private.
func (v *Vault) withoutPrivate(ctx context.Context, turns []journal.Turn, changes []NoteChange) []NoteChange {
	if v.private == nil {
		return changes
	}
	l := newNoteHistories(turns)
	texts := newPrivateTexts(ctx, v)
	hidden := map[*noteHistory]bool{}
	return slices.DeleteFunc(changes, func(c NoteChange) bool {
		if v.Private(c.Change.Path) || v.Private(c.Change.NewPath) || v.Private(c.Path) {
			return true
		}
		n := l.of(&c)
		if n == nil {
			return false
		}
		is, known := hidden[n]
		if !known {
			there, itself := v.stays(ctx, n, l)
			is = v.Private(n.at) || !itself && texts.contains(ctx, n.prints) || !there && !n.gone && texts.hasName(path.Base(n.at))
			hidden[n] = is
		}
		return is
	})
}

// readable removes the texts of a version that equal a private file's and not the visible file at its path.
func (v *Vault) readable(ctx context.Context, o Version) Version {
	if v.private == nil || len(o.Before)+len(o.After) == 0 {
		return o
	}
	texts := newPrivateTexts(ctx, v)
	seen := ""
	if s, err := v.workTree().look(ctx, cmp.Or(o.NewPath, o.Path), hashIt); err == nil {
		seen = s.print
	}
	for _, text := range []*[]byte{&o.Before, &o.After} {
		print := Hash(*text)
		if len(*text) > 0 && print != seen && texts.contains(ctx, map[string]int64{print: int64(len(*text))}) {
			*text, o.Known = nil, false
		}
	}
	return o
}

// stays reports whether a file exists at the note's path, and whether its content proves that it is that note.
func (v *Vault) stays(ctx context.Context, n *noteHistory, l *noteHistories) (there, itself bool) {
	if n.gone || l.at[n.at] != n {
		return false, false
	}
	s, err := v.workTree().look(ctx, n.at, hashIt)
	there = err == nil && s.exists && !s.folder
	_, held := n.prints[s.print]
	return there, there && held
}

// privateTexts indexes the private files by content.
type privateTexts struct {
	owner *Vault // the vault without a private list
	sizes map[int64][]string
	names map[string]bool   // folded
	read  map[string]string // hashes by path
}

func newPrivateTexts(ctx context.Context, v *Vault) *privateTexts {
	p := &privateTexts{owner: &Vault{root: v.root, dir: v.dir}, sizes: map[int64][]string{}, names: map[string]bool{}, read: map[string]string{}}
	for _, at := range v.PrivateFiles(ctx) {
		p.names[fold.Name(path.Base(at))] = true
		if s, err := p.owner.workTree().look(ctx, at, statIt); err == nil && s.exists {
			p.sizes[s.size] = append(p.sizes[s.size], at)
		}
	}
	return p
}

// hasName reports whether a private file has this name.
func (p *privateTexts) hasName(name string) bool { return p.names[fold.Name(name)] }

// contains reports whether a private file has one of these hashes.
func (p *privateTexts) contains(ctx context.Context, prints map[string]int64) bool {
	for print, size := range prints {
		for _, at := range p.sizes[size] {
			hash, ok := p.read[at]
			if !ok {
				if s, err := p.owner.workTree().look(ctx, at, hashIt); err == nil {
					hash = s.print
				}
				p.read[at] = hash
			}
			if hash == print {
				return true
			}
		}
	}
	return false
}
