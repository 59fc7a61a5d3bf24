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

// noteHistories are the notes that a journal knows: which changes are of one note, whatever it was called, and
// where it is now.
type noteHistories struct {
	at    map[string]*noteHistory // the note that was at a path last
	notes map[noteKey]*noteHistory
}

// noteHistory is one note's.
type noteHistory struct {
	at     string           // where it is, or was last
	gone   bool             // it was deleted
	prints map[string]int64 // what it held, but for nothing, with the sizes
}

// noteKey names a note by a change and what the note was called before or after it.
type noteKey struct {
	turn string
	seq  int
	path string
}

// livesOf follows the notes of all turns.
func livesOf(turns []journal.Turn) *noteHistories {
	l := &noteHistories{at: map[string]*noteHistory{}, notes: map[noteKey]*noteHistory{}}
	type step struct {
		turn   string
		change *journal.Change
	}
	var steps []step
	for i := range slices.Backward(turns) { // the oldest first
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

// note is the note that is at a path, which may be heard of for the first time.
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
		delete(l.at, c.Path) // what was there went without a word
	}
	if c.Op == "move" && !c.Folder {
		l.note(c.Path)
	}
	for i := range c.Files {
		f := &c.Files[i]
		n := l.note(f.Path)
		n.gone = f.After == ""
		maps.Copy(n.prints, heldBy(f))
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
		n.at = calledAfter(c, n.at)
		l.at[n.at] = n
		l.notes[noteKey{turn, c.Seq, n.at}] = n
	}
}

// calledAfter is what a note that a move moves is called after it.
func calledAfter(c *journal.Change, at string) string { return c.NewPath + at[len(c.Path):] }

// of is the note that a change is one of; nil: the journal lists it nowhere.
func (l *noteHistories) of(c *NoteChange) *noteHistory {
	return l.notes[noteKey{c.Turn.Turn, c.Change.Seq, c.Path}]
}

// heldBy are the prints of what a file held before and after a change, with the sizes; of nothing, and of
// what was not read, there is none.
func heldBy(f *journal.File) map[string]int64 {
	held := map[string]int64{f.Before: f.Size, f.After: f.NewSize}
	maps.DeleteFunc(held, func(print string, size int64) bool { return !journal.IsPrint(print) || size == 0 })
	return held
}

// withoutPrivate leaves out the changes of what is private now: of a note that is, also when it was
// called otherwise, whoever moved it; and what was done with a note when it was called so.
func (v *Vault) withoutPrivate(ctx context.Context, turns []journal.Turn, changes []NoteChange) []NoteChange {
	if v.private == nil {
		return changes
	}
	l := livesOf(turns)
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
			is = v.Private(n.at) || !itself && texts.hold(ctx, n.prints) || !there && !n.gone && texts.called(path.Base(n.at))
			hidden[n] = is
		}
		return is
	})
}

// readable is a version without the texts of it that a private file holds, and no visible one at its place.
func (v *Vault) readable(ctx context.Context, o Version) Version {
	if v.private == nil || len(o.Before)+len(o.After) == 0 {
		return o
	}
	texts := newPrivateTexts(ctx, v)
	seen := ""
	if s, err := v.ground().look(ctx, cmp.Or(o.NewPath, o.Path), hashIt); err == nil {
		seen = s.print
	}
	for _, text := range []*[]byte{&o.Before, &o.After} {
		print := Hash(*text)
		if len(*text) > 0 && print != seen && texts.hold(ctx, map[string]int64{print: int64(len(*text))}) {
			*text, o.Known = nil, false
		}
	}
	return o
}

// stays says whether something is where the journal has a note, and whether that is the note beyond
// doubt: it holds what the note once held.
func (v *Vault) stays(ctx context.Context, n *noteHistory, l *noteHistories) (there, itself bool) {
	if n.gone || l.at[n.at] != n {
		return false, false
	}
	s, err := v.ground().look(ctx, n.at, hashIt)
	there = err == nil && s.there && !s.folder
	_, held := n.prints[s.print]
	return there, there && held
}

// privateTexts are the files that are private now, by what they hold.
type privateTexts struct {
	owner *Vault // the vault with nothing private
	sizes map[int64][]string
	names map[string]bool   // folded
	read  map[string]string // hashes by path
}

func newPrivateTexts(ctx context.Context, v *Vault) *privateTexts {
	p := &privateTexts{owner: &Vault{root: v.root, dir: v.dir}, sizes: map[int64][]string{}, names: map[string]bool{}, read: map[string]string{}}
	for _, at := range v.PrivateFiles(ctx) {
		p.names[fold.Name(path.Base(at))] = true
		if s, err := p.owner.ground().look(ctx, at, statIt); err == nil && s.there {
			p.sizes[s.size] = append(p.sizes[s.size], at)
		}
	}
	return p
}

// called says whether a private file has a name.
func (p *privateTexts) called(name string) bool { return p.names[fold.Name(name)] }

// hold says whether one of some prints is that of a private file.
func (p *privateTexts) hold(ctx context.Context, prints map[string]int64) bool {
	for print, size := range prints {
		for _, at := range p.sizes[size] {
			hash, ok := p.read[at]
			if !ok {
				if s, err := p.owner.ground().look(ctx, at, hashIt); err == nil {
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
