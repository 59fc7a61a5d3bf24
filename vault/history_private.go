package vault

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"chatvault/vault/journal"
	"chatvault/vault/pathname"
)

// withoutPrivate removes from a note's history, newest first, the changes of notes that are private now, also under
// earlier names and when others moved them, and changes that name something private.
func (v *Vault) withoutPrivate(ctx context.Context, turns []journal.Turn, changes []NoteChange) []NoteChange {
	if v.finder.Private == nil {
		return changes
	}
	texts, prints := newPrivateTexts(ctx, v), map[string]int64{}
	for i := range changes {
		c := &changes[i]
		for k := range c.Change.Files {
			if f := &c.Change.Files[k]; f.Path == c.Path || f.At() == c.Path {
				maps.Copy(prints, contentPrints(f))
			}
		}
	}
	var all []*journal.Change // oldest first
	for i := range turns {
		for k := range turns[i].Changes {
			if c := &turns[i].Changes[k]; c.State != journal.Failed {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *journal.Change) int { return a.Time.Compare(b.Time) })
	hidden := map[string]bool{} // by current path
	return slices.DeleteFunc(changes, func(c NoteChange) bool {
		if v.Private(c.Change.Path) || v.Private(c.Change.NewPath) || v.Private(c.Path) {
			return true
		}
		now, gone := placeNow(all, &c)
		key := now
		if gone {
			key += " (gone)"
		}
		is, known := hidden[key]
		if !known {
			there, itself := false, false
			if !gone {
				s, err := v.stateOf(now, hashIt)
				there = err == nil && s.exists && !s.folder
				_, itself = prints[s.print]
			}
			is = v.Private(now) || (!there || !itself) && texts.contain(prints) || !there && !gone && texts.names[pathname.Fold(path.Base(now))]
			hidden[key] = is
		}
		return is
	})
}

// placeNow returns the current path of the note that a change affected, according to the later ones, and whether it
// was deleted. all must be sorted, oldest first.
func placeNow(all []*journal.Change, of *NoteChange) (at string, gone bool) {
	at = of.Path
	for _, c := range all {
		if !c.Time.After(of.Change.Time) {
			continue
		}
		rest, in := strings.CutPrefix(at, c.Path)
		in = in && (rest == "" || rest[0] == '/')
		switch {
		case c.Op == "create" && c.Path == at: // an unrecorded deletion preceded it
			return at, true
		case c.Op == "move" && in:
			at, gone = c.NewPath+rest, false
		case c.Op == "delete" && in:
			gone = true
		}
		for i := range c.Files {
			if f := &c.Files[i]; f.Path == at {
				gone = f.After == ""
			}
		}
	}
	return at, gone
}

// contentPrints returns the hashes of a file's content before and after a change, with the sizes. Empty and unread
// contents are omitted.
func contentPrints(f *journal.File) map[string]int64 {
	held := map[string]int64{f.Before: f.Size, f.After: f.NewSize}
	maps.DeleteFunc(held, func(print string, size int64) bool { return !journal.IsPrint(print) || size == 0 })
	return held
}

// readable removes the texts of a version that equal a private file's and not the visible file at its path.
func (v *Vault) readable(ctx context.Context, o Version) Version {
	if v.finder.Private == nil || len(o.Before)+len(o.After) == 0 {
		return o
	}
	texts := newPrivateTexts(ctx, v)
	seen := ""
	if s, err := v.stateOf(cmp.Or(o.NewPath, o.Path), hashIt); err == nil {
		seen = s.print
	}
	for _, text := range []*[]byte{&o.Before, &o.After} {
		print := Hash(*text)
		if len(*text) > 0 && print != seen && texts.contain(map[string]int64{print: int64(len(*text))}) {
			*text, o.Known = nil, false
		}
	}
	return o
}

// privateTexts indexes the private files by content.
type privateTexts struct {
	owner *Vault // the vault without a private list
	sizes map[int64][]string
	names map[string]bool   // folded
	read  map[string]string // hashes by path
}

func newPrivateTexts(ctx context.Context, v *Vault) *privateTexts {
	p := &privateTexts{owner: v.unrestricted(), sizes: map[int64][]string{}, names: map[string]bool{}, read: map[string]string{}}
	for _, at := range v.PrivateFiles(ctx) {
		p.names[pathname.Fold(path.Base(at))] = true
		if s, err := p.owner.stateOf(at, statIt); err == nil && s.exists {
			p.sizes[s.size] = append(p.sizes[s.size], at)
		}
	}
	return p
}

// contain reports whether a private file has one of these hashes.
func (p *privateTexts) contain(prints map[string]int64) bool {
	for print, size := range prints {
		for _, at := range p.sizes[size] {
			hash, ok := p.read[at]
			if !ok {
				if s, err := p.owner.stateOf(at, hashIt); err == nil {
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
