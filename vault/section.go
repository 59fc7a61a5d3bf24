package vault

import (
	"context"
	"slices"
	"strings"

	links "chatvault/vault/link"
	"chatvault/vault/lookup"
	"chatvault/vault/relink"
	"chatvault/vault/vaulterr"
	"chatvault/vault/walk"
)

// Section is a part of a note that a write moves to another note. The links to its headings and blocks follow it.
type Section struct {
	Start, End int    // its range in the note's old text, in bytes
	To         string // path of the other note, which is created if IfHash is ""
	IfHash     string // expected hash of the other note
	Host       []byte // text of the other note, with other changes
	At         int    // where the part is inserted in Host, in bytes
	Text       []byte // the part as inserted
	Whole      bool   // it is the whole note, which is removed: all links to it follow
}

// followHeadings adds to the planned write of a note the updates of links to headings that it renames, in this and in
// other notes. With others, only the other notes are changed.
func (v *Vault) followHeadings(ctx context.Context, p *lookup.Place, c Change, others bool) (Change, error) {
	if !IsNote(p.Path) || max(p.Info.Size(), int64(len(c.Data))) > walk.MaxText {
		return c, nil
	}
	before, err := v.Read(ctx, p.Path)
	if err != nil {
		return Change{}, err
	}
	all, err := v.followManyHeadings(ctx, Change{Rewrites: []Rewrite{{Path: p.Path, Before: before.Data, After: c.Data}}})
	if err != nil {
		return Change{}, err
	}
	if !others {
		c.Data, c.Links = all.Rewrites[0].After, all.Rewrites[0].Links
	}
	c.Rewrites, c.Note = all.Rewrites[1:], all.Note
	return c, nil
}

// followManyHeadings does the same for a change of many notes.
func (v *Vault) followManyHeadings(ctx context.Context, c Change) (Change, error) {
	var shifts []*links.Shift
	var own []relink.Part
	for _, w := range c.Rewrites {
		own = append(own, relink.Part{From: w.Path, To: w.Path, Text: w.After})
		if !IsNote(w.Path) || max(len(w.Before), len(w.After)) > walk.MaxText {
			continue
		}
		if s := links.Renamed(w.Path, w.Before, w.After); s != nil {
			shifts = append(shifts, s)
		}
	}
	if shifts == nil {
		return c, ctx.Err()
	}
	move := v.linkMove(shifts[0].Note, shifts[0].Note)
	move.Shifts, move.Own = shifts, own
	found, err := move.Plan(ctx)
	if err != nil {
		return Change{}, err
	}
	c.Note = found.Note
	for i, t := range found.Texts {
		c.Rewrites[i].After = t.Text
		c.Rewrites[i].Links += t.Links
	}
	c.Rewrites = append(c.Rewrites, found.Rewrites...)
	return c, nil
}

// planSection plans the write of a note from which a part moves to another one.
func (v *Vault) planSection(ctx context.Context, p *lookup.Place, c Change, s Section) (Change, error) {
	before, err := v.Read(ctx, p.Path)
	if err != nil {
		return Change{}, err
	}
	to, err := v.planWrite(ctx, Request{Op: OpWrite, Path: s.To, IfHash: s.IfHash, New: s.IfHash == ""})
	if err != nil {
		return Change{}, err
	}
	if to.Path == p.Path {
		return Change{}, vaulterr.New(vaulterr.KindExists, s.To, "%s has this section already. Name another note.", vaulterr.Quote(p.Path))
	}
	other := Rewrite{Path: to.Path, NewPath: to.Path}
	if to.Op == "overwrite" {
		f, err := v.Read(ctx, to.Path)
		if err != nil {
			return Change{}, err
		}
		other.Before, other.Modified = f.Data, f.Modified
	}
	joined := slices.Concat(s.Host[:s.At], s.Text, s.Host[s.At:])
	move := v.linkMove(p.Path, to.Path)
	move.Shifts = []*links.Shift{links.Moved(p.Path, before.Data, s.Start, s.End, c.Data, to.Path, joined, s.At, s.Whole)}
	move.Own = []relink.Part{{From: p.Path, To: p.Path, Text: c.Data}, {From: to.Path, To: to.Path, Text: s.Host}, {From: p.Path, To: to.Path, Text: s.Text}}
	found, err := move.Plan(ctx)
	if err != nil {
		return Change{}, err
	}
	if len(found.Lost) > 0 {
		return Change{}, vaulterr.New(vaulterr.KindOther, to.Path, "%s Nothing was moved; rename one of the two first.", found.Note)
	}
	rest, host, part := found.Texts[0], found.Texts[1], found.Texts[2]
	at := host.Offset(s.At)
	other.After, other.Links = slices.Concat(host.Text[:at], part.Text, host.Text[at:]), host.Links+part.Links
	c.NewPath, c.Folders, c.Note, c.Data, c.Links = to.Path, to.Folders, found.Note, rest.Text, rest.Links
	c.Gone = s.Whole
	c.Rewrites = slices.Concat(found.Rewrites, []Rewrite{other})
	slices.SortFunc(c.Rewrites, func(a, b Rewrite) int { return strings.Compare(a.Path, b.Path) })
	return c, nil
}

// linkMove returns the search for links that a move of a file or of headings changes.
func (v *Vault) linkMove(from, to string) relink.Move {
	m := relink.Move{
		Files: v.Source(), From: from, To: to, Private: v.PrivateFiles, Home: v.Home(),
		Format: links.Format(v.Obsidian.Settings().NewLinkFormat),
	}
	m.Files.Open = v.openDisk
	return m
}
