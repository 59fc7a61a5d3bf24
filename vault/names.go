package vault

import (
	"chatvault/vault/fsys"
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
	defer func() { _ = tr.Close() }() // it was only read
	complete = true
	for folders := []string{""}; len(folders) > 0; {
		folder := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		dir, err := tr.Open(folder)
		if err != nil {
			complete = false // it went meanwhile, or may not be read
			continue
		}
		stopped := false
		err = dir.Entries(func(base string, kind fsys.Kind) bool {
			name := path.Join(folder, base)
			if kind == fsys.KindOther || v.hidden(base, name) {
				return true
			}
			if limit <= 0 || !visit(name, kind == fsys.KindFolder) || ctx.Err() != nil {
				stopped = true
				return false
			}
			limit--
			if kind == fsys.KindFolder {
				folders = append(folders, name)
			}
			return true
		})
		dir.Close()
		if stopped {
			return false
		}
		complete = complete && err == nil
	}
	return complete && ctx.Err() == nil
}

// mostNames bounds how many names are gone through where all of them are.
const mostNames = 1_000_000
