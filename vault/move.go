package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/fsys"
	"chatvault/vault/lookup"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// LinkMode defines how a move treats the links to and in what it moves.
type LinkMode int

// The ways to treat the links to what is moved.
const (
	LinksAsSet   LinkMode = iota // update them unless Obsidian's alwaysUpdateLinks is false
	LinksUpdated                 // update them
)

// LeftLinks counts the links that a move did not update.
type LeftLinks struct{ Links, Notes int }

// planLinks plans the links that a move updates. It sets the change's Rewrites and Note, or Left.
func (v *Vault) planLinks(ctx context.Context, c *Change, folder bool, mode LinkMode) error {
	move := v.linkMove(c.Path, c.NewPath)
	move.Folder = folder
	found, err := move.Plan(ctx)
	if err != nil || mode == LinksUpdated || mode == LinksAsSet && v.Obsidian.AlwaysUpdatesLinks() {
		c.Rewrites, c.Note = found.Rewrites, found.Note
		return err
	}
	for _, r := range found.Rewrites {
		c.Left.Links += r.Links
		c.Left.Notes++
	}
	return nil
}

// planMove plans the move of a file or folder. Parent folders are created; an existing file is never overwritten, not
// even one that appears at the same time; a rename that differs in case only works. The links to and in what moves,
// and those that would mean it afterwards, are updated with it, all or none (see Request.Links).
func (v *Vault) planMove(ctx context.Context, r Request) (Change, error) {
	if _, err := v.cleanNotRoot(r.Path, "moved"); err != nil {
		return Change{}, err
	}
	clean, err := v.cleanNotRoot(r.NewPath, "replaced")
	if err != nil {
		return Change{}, err
	}
	from, err := v.finder.Find(ctx, r.Path, lookup.RefuseLinks)
	if err != nil {
		return Change{}, v.withNear(ctx, err, r.Path, filesAndFolders)
	}
	defer from.Close()
	c, err := v.planRename(ctx, from, r.NewPath, clean)
	if err != nil {
		return Change{}, err
	}
	err = v.planLinks(ctx, &c, from.Info.IsDir(), r.Links)
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
	to, err := v.finder.Find(ctx, destination, lookup.RefuseLinks)
	if err == nil {
		to.Close()
		if to.Path != from.Path {
			return Change{}, denyOverwrite(to, from, destination)
		}
		return v.planRespell(from, path.Base(clean), destination)
	}
	if from.Info.IsDir() && (errors.Is(err, vaulterr.KindNotFound) || errors.Is(err, vaulterr.KindNotFolder)) && below(from.Path, clean) {
		return Change{}, denyIntoItself(from, destination)
	}
	if !errors.Is(err, vaulterr.KindNotFound) {
		return Change{}, err
	}
	at, folders, err := v.findNew(ctx, destination, clean)
	if err != nil {
		return Change{}, err
	}
	if from.Info.IsDir() && pathname.In(at, from.Path) {
		return Change{}, denyIntoItself(from, destination)
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

// below reports whether clean is in the folder, ignoring case and normal form.
func below(folder, clean string) bool {
	return strings.HasPrefix(pathname.Fold(clean), pathname.Fold(folder)+"/")
}

func denyIntoItself(from *lookup.Place, destination string) error {
	return vaulterr.New(vaulterr.KindDenied, destination, "Access denied: the folder %s cannot be moved into itself (%s).", vaulterr.Quote(from.Path), vaulterr.Quote(destination))
}

func denyOverwrite(to, from *lookup.Place, destination string) error {
	if from.Info.IsDir() && to.Info.IsDir() && strings.HasPrefix(to.Path, from.Path+"/") {
		return denyIntoItself(from, destination)
	}
	if to.Info.IsDir() {
		return vaulterr.New(vaulterr.KindExists, destination, "%s already exists, and is a folder. To move into it, give the full new path: %s.",
			vaulterr.Quote(to.Path), vaulterr.Quote(path.Join(to.Path, from.Name)))
	}
	return vaulterr.New(vaulterr.KindExists, destination, "%s already exists. Nothing was moved; choose another name, or delete it first.", vaulterr.Quote(to.Path))
}

func moveError(err error, destination string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return vaulterr.New(vaulterr.KindExists, destination, "%s already exists. Nothing was moved; choose another name.", vaulterr.Quote(destination))
	case errors.Is(err, fs.ErrNotExist):
		return vaulterr.New(vaulterr.KindChanged, destination, "Cannot move to %s: it was moved or deleted just now. Look again.", vaulterr.Quote(destination)).Because(err)
	case errors.Is(err, syscall.EXDEV):
		return vaulterr.New(vaulterr.KindOther, destination, "Cannot move to %s: it is on another disk. Nothing was moved; write a copy there instead.", vaulterr.Quote(destination))
	}
	return vaulterr.Wrap(err, destination, "move to")
}
