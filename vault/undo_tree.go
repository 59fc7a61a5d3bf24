package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"

	"chatvault/internal/atomicfile"
	"chatvault/vault/failure"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
)

// sameTree reports whether a folder contains exactly the files and folders listed in a change, unchanged.
func (v *workTree) sameTree(ctx context.Context, c *journal.Change) (bool, error) {
	p, err := v.findExact(ctx, c.Path, c.Path, refuseLinks)
	if err != nil {
		return false, err
	}
	defer p.close()
	if c.More > 0 { // the list is incomplete
		in := Contents{Folder: true}
		err := v.folderContents(ctx, p, &in)
		return err == nil && in.Print == c.Print, err
	}
	seen, err := p.countListed(ctx, c)
	return err == nil && seen == len(c.Files)+len(c.Tree), err
}

// isAllOf reports whether a folder contains nothing but files and folders listed in a change, unchanged. Some may be
// missing.
func (v *workTree) isAllOf(ctx context.Context, c *journal.Change) (bool, error) {
	p, err := v.findExact(ctx, c.Path, c.Path, refuseLinks)
	if errors.Is(err, failure.KindNotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer p.close()
	if !p.info.IsDir() {
		return false, nil
	}
	seen, err := p.countListed(ctx, c)
	return seen >= 0 && err == nil, err
}

var errOther = errors.New("it is not the same")

// countListed returns the number of files and folders in a folder, or -1 if one of them is not listed in the change
// or has changed.
func (p *place) countListed(ctx context.Context, c *journal.Change) (seen int, err error) {
	dir, err := fsys.OpenFolder(p.dir, p.name, p.info)
	if err != nil {
		return -1, failure.Wrap(err, c.Path, "read")
	}
	defer func() { _ = dir.Close() }()
	files := make(map[string]*journal.File, len(c.Files))
	for i := range c.Files {
		files[c.Files[i].Path] = &c.Files[i]
	}
	folders := make(map[string]bool, len(c.Tree))
	for _, f := range c.Tree {
		folders[f.Path] = true
	}
	err = fsys.Walk(ctx, dir, func(in *os.Root, name string, info fs.FileInfo, fault error) error {
		base := path.Base(name)
		if fault != nil || atomicfile.IsTemp(base) && info.Mode().IsRegular() {
			return fault
		}
		seen++
		called := path.Join(c.Path, name)
		if info.IsDir() {
			if !folders[called] {
				return errOther
			}
			return nil
		}
		f := files[called]
		if f == nil {
			return errOther
		}
		how := hashIt
		if !journal.IsPrint(f.After) {
			how = statIt
		}
		s, err := lookIn(in, base, info, how)
		if err == nil && !s.matches(f.After) {
			return errOther
		}
		return err
	})
	if errors.Is(err, errOther) {
		return -1, nil
	}
	return seen, err
}
