package vault

import (
	"context"
	"slices"
	"unicode/utf8"

	links "chatvault/vault/link"
)

// renaming is what becomes of the links of the vault that was read. A link may lead to a private
// file, which Obsidian sees: of those the names are gone through, and nothing else, so that no
// other file is taken for it.
func (p *linkPlan) renaming(ctx context.Context, moved map[string]string) (*links.Renaming, error) {
	hidden, err := p.private(ctx)
	if err != nil {
		return nil, err
	}
	names := links.NewNames(slices.Concat(append(p.paths, hidden)...))
	names.Hide(hidden)
	return links.NewRenaming(names, moved, links.Format(p.v.settings().NewLinkFormat)), nil
}

// private are the private files of the vault that was read. Nobody may be told of them, nor why a
// folder among them cannot be read.
func (p *linkPlan) private(ctx context.Context) ([]string, error) {
	disk, err := openTree(p.v.root)
	if err != nil {
		return nil, wrap(err, ".", "read")
	}
	defer func() { _ = disk.close() }() // it was only read
	var files []string
	for todo := slices.Clone(p.unseen); len(todo) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch name := e.path(); {
		case !utf8.ValidString(name):
		case !e.folder:
			files = append(files, name)
		default:
			dir, err := disk.open(name)
			if err != nil {
				continue
			}
			_ = dir.entries(func(base string, kind entryKind) bool {
				if kind != kindOther && !protectedName(base) {
					todo = append(todo, walkEntry{dir: name, name: base, folder: kind == kindFolder})
				}
				return true
			})
			dir.close()
		}
	}
	return files, nil
}
