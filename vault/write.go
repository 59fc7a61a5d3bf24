package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"chatvault/internal/atomicfile"
	"chatvault/vault/failure"
	"chatvault/vault/pathname"
)

// newFileMode is the mode of a new note, before the umask.
const newFileMode = 0o666

// planWrite plans the atomic creation or replacement of a file, with its parent folders. An existing file keeps its
// mode; because of the rename, its other hard links keep the old content. Line endings and BOM are up to the caller.
func (v *Vault) planWrite(ctx context.Context, r Request) (*plan, error) {
	clean, err := v.cleanNotRoot(r.Path, "written")
	if err != nil {
		return nil, err
	}
	p, err := v.find(ctx, r.Path, refuseLinks)
	switch {
	case errors.Is(err, failure.KindNotFound) && r.IfHash != "":
		return nil, failure.New(failure.KindChanged, r.Path, "%s was moved or deleted since it was read. Nothing was written; look for it and read it again.", failure.Quote(r.Path))
	case errors.Is(err, failure.KindNotFound):
		return v.planCreate(ctx, r.Path, clean, r.Data)
	case err != nil:
		return nil, err
	}
	plan, err := v.planOverwrite(p, r.Path, r.Data, r.IfHash)
	if err == nil && r.New {
		plan.end()
		return nil, failure.New(failure.KindExists, p.path, "%s already exists. Nothing was written.", failure.Quote(p.path))
	}
	return plan, err
}

// cleanNotRoot cleans the path of something to be changed, which must not be the vault itself.
func (v *Vault) cleanNotRoot(given, done string) (string, error) {
	clean, err := pathname.Clean(given)
	if err != nil {
		return "", err
	}
	if clean == "." {
		return "", failure.New(failure.KindDenied, given, "Access denied: %s is the vault itself, which cannot be %s. Name a file or folder in it.", failure.Quote(given), done)
	}
	return clean, nil
}

func (v *Vault) planOverwrite(p *place, given string, data []byte, ifHash string) (*plan, error) {
	check := func() error {
		if ifHash == "" {
			return nil
		}
		now, ok, err := p.currentHash()
		switch {
		case err != nil:
			return failure.Wrap(err, given, "write")
		case !ok, now != ifHash:
			return failure.New(failure.KindChanged, given, "%s changed on disk since it was read. Nothing was written; read it again, then repeat the change.", failure.Quote(p.path))
		}
		return nil
	}
	err := p.mustBeFile(given)
	if err == nil {
		err = p.mustBeWritable(given)
	}
	if err == nil {
		err = check() // early, so that a refused write costs no temporary file
	}
	if err != nil {
		p.close()
		return nil, err
	}
	change := Change{Op: "overwrite", Path: p.path}
	return &plan{
		change: change,
		data:   data,
		close:  p.close,
		do: func() (Change, error) {
			err := v.files.Replace(p.dir, p.name, data, atomicfile.Options{Perm: p.info.Mode().Perm(), BeforeRename: check})
			return change, writeError(err, given)
		},
	}, nil
}

// mustBeWritable returns an error for a file whose mode forbids writing; an atomic write depends on the folder's mode
// only.
func (p *place) mustBeWritable(given string) error {
	if p.info.Mode().Perm()&0o222 == 0 {
		return failure.New(failure.KindOther, given, "Cannot write %s: the file is read-only. Nothing was changed; ask the user to make it writable.", failure.Quote(p.path))
	}
	f, err := p.dir.OpenFile(p.name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return failure.Wrap(err, given, "write")
	}
	_ = f.Close()
	return nil
}

func (v *Vault) planCreate(ctx context.Context, given, clean string, data []byte) (*plan, error) {
	n, err := v.findNew(ctx, given, clean)
	if err != nil {
		return nil, err
	}
	change := Change{Op: "create", Path: n.path(), Folders: n.folders()}
	return &plan{
		change: change,
		data:   data,
		close:  n.close,
		do: func() (Change, error) {
			parent, undo, err := n.makeFolders()
			if err != nil {
				return change, writeError(err, given)
			}
			err = v.files.Replace(parent, n.names[len(n.names)-1], data, atomicfile.Options{Perm: newFileMode, Exclusive: true})
			if err != nil {
				undo()
			}
			if errors.Is(err, fs.ErrExist) {
				return change, failure.New(failure.KindChanged, given, "%s was created by another program just now. Nothing was written; read it first.", failure.Quote(change.Path))
			}
			return change, writeError(err, given)
		},
	}, nil
}

// writeError is failure.Wrap for a write: fs.ErrNotExist means that the folder is gone.
func writeError(err error, given string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return failure.New(failure.KindChanged, given, "Cannot write %s: its folder was moved or deleted just now. Nothing was written; try again.", failure.Quote(given)).Because(err)
	}
	return failure.Wrap(err, given, "write")
}

// planMkdir plans the creation of a folder with its parents, unless it exists.
func (v *Vault) planMkdir(ctx context.Context, given string) (*plan, error) {
	clean, err := v.cleanNotRoot(given, "created")
	if err != nil {
		return nil, err
	}
	p, err := v.find(ctx, given, refuseLinks)
	if err == nil {
		defer p.close()
		if !p.info.IsDir() {
			return nil, failure.New(failure.KindExists, given, "%s already exists, and is a file. Choose another name for the folder.", failure.Quote(p.path))
		}
		return &plan{change: Change{Path: p.path}}, nil
	}
	if !errors.Is(err, failure.KindNotFound) {
		return nil, err
	}
	n, err := v.findNew(ctx, given, clean)
	if err != nil {
		return nil, err
	}
	change := Change{Op: "mkdir", Path: n.path(), Folders: n.folders()}
	return &plan{
		change: change,
		close:  n.close,
		do: func() (Change, error) {
			parent, undo, err := n.makeFolders()
			if err != nil {
				return change, writeError(err, given)
			}
			made, err := makeFolder(parent, n.names[len(n.names)-1], 0o777)
			if err != nil {
				undo()
				return change, writeError(err, given)
			}
			_ = made.Close()
			return change, nil
		},
	}, nil
}
