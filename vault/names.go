package vault

import (
	"context"
	"path"
)

// eachName calls visit with every visible file and folder, folder by folder, without
// looking at sizes or times, until visit is false, ctx ends or limit entries were seen.
// complete tells whether that was all of them. It holds one folder open at a time,
// however deep the vault.
func (v *Vault) eachName(ctx context.Context, limit int, visit func(name string, folder bool) bool) (complete bool) {
	tr, err := v.openTree(ctx)
	if err != nil {
		return false
	}
	defer func() { _ = tr.close() }() // it was only read
	complete = true
	for folders := []string{""}; len(folders) > 0; {
		folder := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		dir, err := tr.open(folder)
		if err != nil {
			complete = false // it went meanwhile, or may not be read
			continue
		}
		stopped := false
		err = dir.entries(func(base string, kind entryKind) bool {
			name := path.Join(folder, base)
			if kind == kindOther || v.hidden(base, name) {
				return true
			}
			if limit <= 0 || !visit(name, kind == kindFolder) || ctx.Err() != nil {
				stopped = true
				return false
			}
			limit--
			if kind == kindFolder {
				folders = append(folders, name)
			}
			return true
		})
		dir.close()
		if stopped {
			return false
		}
		complete = complete && err == nil
	}
	return complete && ctx.Err() == nil
}

// mostNames bounds how many names are gone through where all of them are.
const mostNames = 1_000_000
