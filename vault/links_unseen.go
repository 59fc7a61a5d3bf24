package vault

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"chatvault/vault/failure"
	"chatvault/vault/fsys"
	links "chatvault/vault/link"
	"chatvault/vault/pathname"
	"chatvault/vault/query"
	"chatvault/vault/walk"
)

// renaming is what becomes of the links of the vault that was read. A link may lead to a private
// file, which Obsidian sees: of those the names are gone through, and nothing else, so that no
// other file is taken for it.
func (p *linkPlan) renaming(ctx context.Context, moved map[string]string) (*links.Renaming, error) {
	var hidden []string
	err := p.eachUnseen(ctx, func(_ fsys.Tree, e walk.Found, private bool) {
		if name := e.Path(); private && utf8.ValidString(name) {
			hidden = append(hidden, name)
		}
	})
	if err != nil {
		return nil, err
	}
	names := links.NewNames(slices.Concat(append(p.paths, hidden)...))
	names.Hide(hidden)
	return links.NewRenaming(names, moved, links.Format(p.v.Settings().NewLinkFormat)), nil
}

// leaveUnnamed finds the files with links to put right whose names are not UTF-8. They are none of
// the vault's, as nobody could say what was done with them, nor take it back.
func (p *linkPlan) leaveUnnamed(ctx context.Context, r *links.Renaming, c *Change) error {
	var buffer []byte
	return p.eachUnseen(ctx, func(disk fsys.Tree, e walk.Found, private bool) {
		name := e.Path()
		if private || !query.HoldsLinks(name) {
			return
		}
		to := name
		if in, ok := strings.CutPrefix(name, c.Path+"/"); ok {
			to = path.Join(c.NewPath, in)
		}
		dir, err := disk.Open(e.Dir)
		if err != nil {
			return
		}
		defer dir.Close()
		text, _, _, err := walk.ReadText(dir, e.Name, buffer)
		switch {
		case err == nil:
			buffer = text[:0]
			if to == name && !p.prefilter.Keeps(name, text) {
				return
			}
			if done := r.RewriteTo(name, to, text); done.Links > 0 || len(done.Lost) > 0 {
				p.unnamed = append(p.unnamed, to)
			}
		case !fsys.Vanished(err):
			p.blind[0] = append(p.blind[0], name)
		}
	})
}

// eachUnseen visits the files that the walk did not see: those that are private, of which nobody
// may be told, and those whose names are not UTF-8. What cannot be listed is left out: nobody may
// be told why.
func (p *linkPlan) eachUnseen(ctx context.Context, visit func(disk fsys.Tree, e walk.Found, private bool)) error {
	if len(p.unseen) == 0 {
		return nil
	}
	disk, err := fsys.Open(p.v.root)
	if err != nil {
		return failure.Wrap(err, ".", "read")
	}
	defer func() { _ = disk.Close() }() // it was only read
	for todo := slices.Clone(p.unseen); len(todo) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		name := e.Path()
		if !e.Folder {
			visit(disk, e, p.v.private.Has(name))
			continue
		}
		dir, err := disk.Open(name)
		if err != nil {
			continue
		}
		_ = dir.Entries(func(base string, kind fsys.Kind) bool {
			if kind != fsys.KindOther && !pathname.Protected(base) {
				todo = append(todo, walk.Found{Dir: name, Name: base, Folder: kind == fsys.KindFolder})
			}
			return true
		})
		dir.Close()
	}
	return nil
}
