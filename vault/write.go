package vault

import (
	"context"
	"errors"
	"os"
	"slices"
	"syscall"

	"chatvault/vault/fsys"
	"chatvault/vault/lookup"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// planWrite plans the atomic creation or replacement of a file, with its parent folders. An existing file keeps its
// mode; because of the rename, its other hard links keep the old content. Line endings and BOM are up to the caller.
func (v *Vault) planWrite(ctx context.Context, r Request) (Change, error) {
	clean, err := v.cleanNotRoot(r.Path, "written")
	if err != nil {
		return Change{}, err
	}
	p, err := v.finder.Find(ctx, r.Path, lookup.ForChange)
	switch {
	case errors.Is(err, vaulterr.KindNotFound) && r.IfHash != "":
		return Change{}, vaulterr.New(vaulterr.KindChanged, r.Path, "%s was moved or deleted since it was read. Nothing was written; look for it and read it again.", vaulterr.Quote(r.Path))
	case errors.Is(err, vaulterr.KindNotFound):
		c, err := v.planNew(ctx, "create", r.Path, clean)
		c.Data = r.Data
		return c, err
	case err != nil:
		return Change{}, err
	}
	defer p.Close()
	c := Change{Op: "overwrite", Path: p.Path, Data: r.Data}
	if err := mayWrite(p, r); err != nil || r.Data == nil {
		return c, err
	}
	if r.Section != nil {
		return v.planSection(ctx, p, c, *r.Section)
	}
	return v.followHeadings(ctx, p, c, r.partial)
}

// planRewrites plans the replacement of several files together. Files that cannot be written, or do not have their old
// content, are refused one by one. The links to headings that it renames follow, after the files of the request.
func (v *Vault) planRewrites(ctx context.Context, r Request) (Change, error) {
	p := Plan{Change: Change{Rewrites: slices.Clone(r.Rewrites), Refused: r.Left}}
	errs := fsys.InParallel(len(r.Rewrites), fsys.Workers, func(i int) error {
		w := &p.Change.Rewrites[i]
		at, err := v.finder.Find(ctx, w.Path, lookup.ForChange)
		if err != nil {
			return err
		}
		defer at.Close()
		w.Path, w.NewPath, w.Modified = at.Path, at.Path, at.Info.ModTime()
		return mayWrite(at, Request{Path: w.Path, IfHash: Hash(w.Before)})
	})
	next := -1
	p.Leave(func(Rewrite) error { next++; return errs[next] })
	if r.partial {
		return p.Change, ctx.Err()
	}
	return v.followManyHeadings(ctx, p.Change)
}

// planNew plans the creation of a file or, with the operation "mkdir", of a folder.
func (v *Vault) planNew(ctx context.Context, op, given, clean string) (Change, error) {
	at, folders, err := v.findNew(ctx, given, clean)
	return Change{Op: op, Path: at, Folders: folders}, err
}

// cleanNotRoot cleans the path of something to be changed, which must not be the vault itself.
func (v *Vault) cleanNotRoot(given, done string) (string, error) {
	clean, err := pathname.Clean(given)
	if err != nil {
		return "", err
	}
	if clean == "." {
		return "", vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s is the vault itself, which cannot be %s. Name a file or folder in it.", vaulterr.Quote(given), done)
	}
	return clean, nil
}

// mayWrite returns an error if a file cannot be overwritten.
func mayWrite(p *lookup.Place, r Request) error {
	if err := p.MustBeFile(r.Path); err != nil {
		return err
	}
	if err := mustBeWritable(p, r.Path); err != nil {
		return err
	}
	if r.IfHash != "" {
		now, err := stateIn(p.Dir, p.Name, hashIt)
		if err != nil && !errors.Is(err, fsys.ErrSwapped) {
			return vaulterr.Wrap(err, r.Path, "write")
		}
		if !now.is(r.IfHash) {
			return errStale(r.Path, p.Path)
		}
	}
	if r.New {
		return vaulterr.New(vaulterr.KindExists, p.Path, "%s already exists. Nothing was written.", vaulterr.Quote(p.Path))
	}
	return nil
}

// errStale returns the error for a file that does not have the hash that the caller expects.
func errStale(given, at string) error {
	return vaulterr.New(vaulterr.KindChanged, given, "%s changed on disk since it was read. Nothing was written; read it again, then repeat the change.", vaulterr.Quote(at))
}

// mustBeWritable returns an error for a file whose mode forbids writing; an atomic write depends on the folder's mode
// only.
func mustBeWritable(p *lookup.Place, given string) error {
	if p.Info.Mode().Perm()&0o222 == 0 {
		return vaulterr.New(vaulterr.KindOther, given, "Cannot write %s: the file is read-only. Nothing was changed; ask the user to make it writable.", vaulterr.Quote(p.Path))
	}
	f, err := p.Dir.OpenFile(p.Name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return vaulterr.Wrap(err, given, "write")
	}
	_ = f.Close()
	return nil
}

// planMkdir plans the creation of a folder with its parents, unless it exists.
func (v *Vault) planMkdir(ctx context.Context, given string) (Change, error) {
	clean, err := v.cleanNotRoot(given, "created")
	if err != nil {
		return Change{}, err
	}
	p, err := v.finder.Find(ctx, given, lookup.ForChange)
	switch {
	case errors.Is(err, vaulterr.KindNotFound):
		return v.planNew(ctx, "mkdir", given, clean)
	case err != nil:
		return Change{}, err
	}
	p.Close()
	if !p.Info.IsDir() {
		return Change{}, vaulterr.New(vaulterr.KindExists, given, "%s already exists, and is a file. Choose another name for the folder.", vaulterr.Quote(p.Path))
	}
	return Change{Path: p.Path}, nil
}
