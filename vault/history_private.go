package vault

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"

	"chatvault/vault/journal"
	"chatvault/vault/pathname"
)

// withoutPrivate removes from the history of the note at a path, newest first, the changes of notes that are private
// now, also under earlier names and when others moved them, and changes that name something private.
func (v *Vault) withoutPrivate(ctx context.Context, at string, changes []NoteChange) []NoteChange {
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
	hidden := map[bool]bool{} // whether the changes of the current note, or of those before it, are private
	earlier := false          // the change affects a note that was deleted or replaced since
	return slices.DeleteFunc(changes, func(c NoteChange) bool {
		earlier = earlier || c.Change.Op == "delete"
		is, known := hidden[earlier]
		if !known {
			is = texts.holdNote(ctx, at, earlier, prints)
			hidden[earlier] = is
		}
		earlier = earlier || c.Change.Op == "create"
		return is || v.Private(c.Change.Path) || v.Private(c.Change.NewPath) || v.Private(c.Path)
	})
}

// holdNote reports whether the note at a path, or an earlier one with that path, is private now. prints are the hashes
// of the contents that it had.
func (p *privateTexts) holdNote(ctx context.Context, at string, earlier bool, prints map[string]int64) bool {
	there, itself := false, false
	if !earlier {
		s, err := p.owner.workTree().look(ctx, at, hashIt)
		there = err == nil && s.exists && !s.folder
		_, itself = prints[s.print]
	}
	return !itself && p.contain(ctx, prints) || !there && !earlier && p.names[pathname.Fold(path.Base(at))]
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
	if s, err := v.workTree().look(ctx, cmp.Or(o.NewPath, o.Path), hashIt); err == nil {
		seen = s.print
	}
	for _, text := range []*[]byte{&o.Before, &o.After} {
		print := Hash(*text)
		if len(*text) > 0 && print != seen && texts.contain(ctx, map[string]int64{print: int64(len(*text))}) {
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
		if s, err := p.owner.workTree().look(ctx, at, statIt); err == nil && s.exists {
			p.sizes[s.size] = append(p.sizes[s.size], at)
		}
	}
	return p
}

// contain reports whether a private file has one of these hashes.
func (p *privateTexts) contain(ctx context.Context, prints map[string]int64) bool {
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
