package vault

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"chatvault/internal/atomicfile"
	"chatvault/vault/failure"
	"chatvault/vault/fold"
	"chatvault/vault/fsys"
	"chatvault/vault/pathname"
)

// planMove plans the move of a file or folder. Parent folders are created; an existing file is never overwritten, not
// even one that appears at the same time; a rename that differs in case only works. The links to and in what moves,
// and those that would mean it afterwards, are updated with it, all or none (see Request.Links).
func (v *Vault) planMove(ctx context.Context, r Request) (*plan, error) {
	if _, err := v.cleanNotRoot(r.Path, "moved"); err != nil {
		return nil, err
	}
	clean, err := v.cleanNotRoot(r.NewPath, "replaced")
	if err != nil {
		return nil, err
	}
	from, err := v.find(ctx, r.Path, refuseLinks)
	if err != nil {
		return nil, v.withNear(ctx, err, r.Path, filesAndFolders)
	}
	m, err := v.planRename(ctx, from, r.NewPath, clean)
	if err != nil {
		from.close()
		return nil, err
	}
	p, err := v.movePlan(ctx, m, r.Links)
	if err != nil {
		m.close()
		return nil, err
	}
	return p, nil
}

// planRename plans the move without its links. clean is the cleaned destination.
func (v *Vault) planRename(ctx context.Context, from *place, destination, clean string) (*pendingMove, error) {
	if !from.info.IsDir() && !from.info.Mode().IsRegular() {
		return nil, failure.New(failure.KindDenied, destination, "Access denied: %s is not a regular file (a pipe, socket or device).", failure.Quote(from.path))
	}
	if err := v.checkNothingPrivate(ctx, from, from.path, "moved"); err != nil {
		return nil, err
	}
	to, err := v.find(ctx, destination, refuseLinks)
	if err == nil {
		defer to.close()
		if to.path != from.path {
			return nil, denyOverwrite(to, from, destination)
		}
		return v.planRespell(from, path.Base(clean), destination)
	}
	if from.info.IsDir() && (errors.Is(err, failure.KindNotFound) || errors.Is(err, failure.KindNotFolder)) && below(from.path, clean) {
		return nil, denyIntoItself(from, destination)
	}
	if !errors.Is(err, failure.KindNotFound) {
		return nil, err
	}
	n, err := v.findNew(ctx, destination, clean)
	if err != nil {
		return nil, err
	}
	if from.info.IsDir() && (n.folder == from.path || strings.HasPrefix(n.folder, from.path+"/")) {
		n.close()
		return nil, denyIntoItself(from, destination)
	}
	return &pendingMove{
		change: Change{Op: "move", Path: from.path, NewPath: n.path(), Folders: n.folders()},
		folder: from.info.IsDir(), destination: destination,
		close: func() { n.close(); from.close() },
		rename: func() (func() error, error) {
			parent, unmake, err := n.makeFolders()
			if err != nil {
				return nil, err
			}
			name := n.names[len(n.names)-1]
			if err := atomicfile.RenameNoReplace(from.dir, from.name, parent, name); err != nil {
				unmake()
				return nil, err
			}
			return func() error {
				err := atomicfile.RenameNoReplace(parent, name, from.dir, from.name)
				unmake()
				return errors.Join(err, atomicfile.SyncDir(from.dir, "."))
			}, nil
		},
		flush: func() error {
			parent := n.parent
			if len(n.made) > 0 {
				parent = n.made[len(n.made)-1]
			}
			return errors.Join(v.files.SyncDir(parent, "."), v.files.SyncDir(from.dir, "."))
		},
	}, nil
}

// planRespell plans a rename within a folder to a name that differs in case or Unicode normal form only.
func (v *Vault) planRespell(from *place, name, destination string) (*pendingMove, error) {
	if name == from.name {
		return nil, failure.New(failure.KindExists, destination, "%s already exists: source and destination are the same. To change the spelling of a folder, move the folder itself.", failure.Quote(from.path))
	}
	if fault := pathname.NewNameFault(name); fault != "" {
		return nil, failure.New(failure.KindDenied, destination, "Access denied: %s cannot be created, because it has %s. Choose another name.", failure.Quote(destination), fault)
	}
	respell := func(from *place, old, name string) error {
		err := atomicfile.RenameNoReplace(from.dir, old, from.dir, name)
		if errors.Is(err, fs.ErrExist) && fsys.SameFile(from.dir, old, name) {
			err = from.dir.Rename(old, name) // for a file system that ignores case
		}
		return err
	}
	return &pendingMove{
		change: Change{Op: "move", Path: from.path, NewPath: path.Join(path.Dir(from.path), name)},
		folder: from.info.IsDir(), destination: destination,
		close: from.close,
		rename: func() (func() error, error) {
			return func() error {
				return errors.Join(respell(from, name, from.name), atomicfile.SyncDir(from.dir, "."))
			}, respell(from, from.name, name)
		},
		flush: func() error { return v.files.SyncDir(from.dir, ".") },
	}, nil
}

// below reports whether clean is in the folder, ignoring case and normal form.
func below(folder, clean string) bool {
	return strings.HasPrefix(fold.Name(clean), fold.Name(folder)+"/")
}

func denyIntoItself(from *place, destination string) error {
	return failure.New(failure.KindDenied, destination, "Access denied: the folder %s cannot be moved into itself (%s).", failure.Quote(from.path), failure.Quote(destination))
}

func denyOverwrite(to, from *place, destination string) error {
	if from.info.IsDir() && to.info.IsDir() && strings.HasPrefix(to.path, from.path+"/") {
		return denyIntoItself(from, destination)
	}
	if to.info.IsDir() {
		return failure.New(failure.KindExists, destination, "%s already exists, and is a folder. To move into it, give the full new path: %s.",
			failure.Quote(to.path), failure.Quote(path.Join(to.path, from.name)))
	}
	return failure.New(failure.KindExists, destination, "%s already exists. Nothing was moved; choose another name, or delete it first.", failure.Quote(to.path))
}

func moveError(err error, destination string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return failure.New(failure.KindExists, destination, "%s already exists. Nothing was moved; choose another name.", failure.Quote(destination))
	case errors.Is(err, fs.ErrNotExist):
		return failure.New(failure.KindChanged, destination, "Cannot move to %s: it was moved or deleted just now. Look again.", failure.Quote(destination)).Because(err)
	case errors.Is(err, syscall.EXDEV):
		return failure.New(failure.KindOther, destination, "Cannot move to %s: it is on another disk. Nothing was moved; write a copy there instead.", failure.Quote(destination))
	}
	return failure.Wrap(err, destination, "move to")
}
