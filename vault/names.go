package vault

import (
	"context"
	"errors"
	"io"
	"path"
)

// eachName calls visit with every visible file and folder, folder by folder, without
// looking at sizes or times, until visit is false, ctx ends or limit entries were seen.
// complete tells whether that was all of them. Folders are opened one at a time by the
// same lookup as everything else.
func (v *Vault) eachName(ctx context.Context, limit int, visit func(name string, folder bool) bool) (complete bool) {
	complete = true
	for folders := []string{"."}; len(folders) > 0; {
		folder := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		more, ok := v.eachIn(ctx, folder, &limit, visit)
		if !ok {
			complete = false
			if ctx.Err() != nil || limit <= 0 {
				return false
			}
		}
		folders = append(folders, more...)
	}
	return complete
}

// eachIn visits one folder and returns the folders in it. ok is false when it could not
// be gone through whole.
func (v *Vault) eachIn(ctx context.Context, folder string, limit *int, visit func(name string, folder bool) bool) (more []string, ok bool) {
	p, err := v.findExact(ctx, folder, folder, refuseLinks)
	if err != nil {
		return nil, false
	}
	defer p.close()
	d, err := p.dir.Open(p.name)
	if err != nil {
		return nil, false
	}
	defer func() { _ = d.Close() }()
	for {
		entries, err := d.ReadDir(1024)
		for _, e := range entries {
			if !v.visible(folder, e) {
				continue
			}
			if *limit <= 0 {
				return more, false
			}
			*limit--
			name := path.Join(folder, e.Name())
			if !visit(name, e.IsDir()) {
				*limit = 0
				return more, false
			}
			if e.IsDir() {
				more = append(more, name)
			}
		}
		if errors.Is(err, io.EOF) {
			return more, true
		}
		if err != nil || ctx.Err() != nil {
			return more, false
		}
	}
}
