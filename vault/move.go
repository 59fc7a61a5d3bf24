package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/fsys"
	"chatvault/vault/lookup"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// planMove plans the move of a file or folder. Parent folders are created; an existing file is never overwritten, not
// even one that appears at the same time; a rename that differs in case only works. The links to and in what moves,
// and those that would mean it afterwards, are updated with it, all or none.
func (v *Vault) planMove(ctx context.Context, r Request) (Change, error) {
	if _, err := v.cleanNotRoot(r.Path, "moved"); err != nil {
		return Change{}, err
	}
	clean, err := v.cleanNotRoot(r.NewPath, "replaced")
	if err != nil {
		return Change{}, err
	}
	from, err := v.finder.Find(ctx, r.Path, lookup.ForChange)
	if err != nil {
		return Change{}, v.withNear(ctx, err, r.Path)
	}
	defer from.Close()
	c, err := v.planRename(ctx, from, r.NewPath, clean)
	if err != nil {
		return Change{}, err
	}
	move := v.linkMove(c.Path, c.NewPath)
	move.Folder = from.Info.IsDir()
	found, err := move.Plan(ctx)
	c.Rewrites, c.Note = found.Rewrites, found.Note
	return c, err
}

// planRename plans the move without its links. clean is the cleaned destination.
func (v *Vault) planRename(ctx context.Context, from *lookup.Place, destination, clean string) (Change, error) {
	if !from.Info.IsDir() && !from.Info.Mode().IsRegular() {
		return Change{}, vaulterr.New(vaulterr.KindDenied, destination, "Access denied: %s is not a regular file (a pipe, socket or device).", vaulterr.Quote(from.Path))
	}
	if err := v.checkNothingPrivate(ctx, from, from.Path, "moved"); err != nil {
		return Change{}, err
	}
	to, err := v.finder.Find(ctx, destination, lookup.ForChange)
	if err == nil {
		to.Close()
		if to.Path != from.Path {
			return Change{}, denyOverwrite(to, from, destination)
		}
		return v.planRespell(from, path.Base(clean), destination)
	}
	if !errors.Is(err, vaulterr.KindNotFound) {
		return Change{}, err
	}
	at, folders, err := v.findNew(ctx, destination, clean)
	if err != nil {
		return Change{}, err
	}
	if from.Info.IsDir() && pathname.In(at, from.Path) {
		return Change{}, vaulterr.New(vaulterr.KindDenied, destination, "Access denied: the folder %s cannot be moved into itself (%s).", vaulterr.Quote(from.Path), vaulterr.Quote(destination))
	}
	return Change{Op: "move", Path: from.Path, NewPath: at, Folders: folders}, nil
}

// planRespell plans a rename within a folder to a name that differs in case or Unicode normal form only.
func (v *Vault) planRespell(from *lookup.Place, name, destination string) (Change, error) {
	if name == from.Name {
		return Change{}, vaulterr.New(vaulterr.KindExists, destination, "%s already exists: source and destination are the same. To change the spelling of a folder, move the folder itself.", vaulterr.Quote(from.Path))
	}
	if fault := pathname.NewNameFault(name); fault != "" {
		return Change{}, vaulterr.New(vaulterr.KindDenied, destination, "Access denied: %s cannot be created, because it has %s. Choose another name.", vaulterr.Quote(destination), fault)
	}
	return Change{Op: "move", Path: from.Path, NewPath: path.Join(path.Dir(from.Path), name)}, nil
}

// respell renames an entry of a folder to a name that may be another spelling of its own.
func respell(dir *os.Root, old, name string) error {
	err := atomicfile.RenameNoReplace(dir, old, dir, name)
	if errors.Is(err, fs.ErrExist) && fsys.SameFile(dir, old, name) {
		err = dir.Rename(old, name) // for a file system that ignores case
	}
	return err
}

func denyOverwrite(to, from *lookup.Place, destination string) error {
	if to.Info.IsDir() {
		return vaulterr.New(vaulterr.KindExists, destination, "%s already exists, and is a folder. To move into it, give the full new path: %s.",
			vaulterr.Quote(to.Path), vaulterr.Quote(path.Join(to.Path, from.Name)))
	}
	return vaulterr.New(vaulterr.KindExists, destination, "%s already exists. Nothing was moved; choose another name, or delete it first.", vaulterr.Quote(to.Path))
}
