package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/fsys"
	"chatvault/vault/lookup"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// newFileMode is the mode of a new note, before the umask.
const newFileMode = 0o666

// planWrite plans the atomic creation or replacement of a file, with its parent folders. An existing file keeps its
// mode; because of the rename, its other hard links keep the old content. Line endings and BOM are up to the caller.
func (v *Vault) planWrite(ctx context.Context, r Request) (plannedChange, error) {
	clean, err := v.cleanNotRoot(r.Path, "written")
	if err != nil {
		return nil, err
	}
	p, err := v.finder.Find(ctx, r.Path, lookup.RefuseLinks)
	switch {
	case errors.Is(err, vaulterr.KindNotFound) && r.IfHash != "":
		return nil, vaulterr.New(vaulterr.KindChanged, r.Path, "%s was moved or deleted since it was read. Nothing was written; look for it and read it again.", vaulterr.Quote(r.Path))
	case errors.Is(err, vaulterr.KindNotFound):
		return v.planCreate(ctx, r.Path, clean, r.Data, false)
	case err != nil:
		return nil, err
	}
	o := &overwriting{p, r}
	if err := o.mayWrite(); err != nil {
		p.Close()
		return nil, err
	}
	return o, nil
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

// overwriting replaces the content of a file.
type overwriting struct {
	*lookup.Place
	request Request
}

func (o *overwriting) planned() Change { return Change{Op: "overwrite", Path: o.Path} }

func (o *overwriting) mayWrite() error {
	given := o.request.Path
	if err := o.MustBeFile(given); err != nil {
		return err
	}
	if err := mustBeWritable(o.Place, given); err != nil {
		return err
	}
	if err := o.unchanged(); err != nil { // early, so that a refused write costs no temporary file
		return err
	}
	if o.request.New {
		return vaulterr.New(vaulterr.KindExists, o.Path, "%s already exists. Nothing was written.", vaulterr.Quote(o.Path))
	}
	return nil
}

// unchanged returns an error if the file does not have the expected hash.
func (o *overwriting) unchanged() error {
	if o.request.IfHash == "" {
		return nil
	}
	now, ok, err := o.CurrentHash()
	switch {
	case err != nil:
		return vaulterr.Wrap(err, o.request.Path, "write")
	case !ok, now != o.request.IfHash:
		return vaulterr.New(vaulterr.KindChanged, o.request.Path, "%s changed on disk since it was read. Nothing was written; read it again, then repeat the change.", vaulterr.Quote(o.Path))
	}
	return nil
}

func (o *overwriting) apply(v *Vault) (Change, error) {
	err := v.files.Replace(o.Dir, o.Name, o.request.Data, atomicfile.Options{Perm: o.Info.Mode().Perm(), BeforeRename: o.unchanged})
	return o.planned(), writeError(err, o.request.Path)
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

// creation creates a file or, with mkdir, a folder.
type creation struct {
	*newPlace
	given string
	data  []byte
	mkdir bool
}

func (v *Vault) planCreate(ctx context.Context, given, clean string, data []byte, mkdir bool) (plannedChange, error) {
	n, err := v.findNew(ctx, given, clean)
	if err != nil {
		return nil, err
	}
	return &creation{n, given, data, mkdir}, nil
}

func (c *creation) planned() Change {
	op := "create"
	if c.mkdir {
		op = "mkdir"
	}
	return Change{Op: op, Path: c.path(), Folders: c.folders()}
}

func (c *creation) apply(v *Vault) (Change, error) {
	parent, err := c.makeFolders()
	if err != nil {
		return Change{}, writeError(err, c.given)
	}
	name := c.names[len(c.names)-1]
	if c.mkdir {
		var made *os.Root
		if made, err = fsys.MakeFolder(parent, name, 0o777); err == nil {
			_ = made.Close()
		}
	} else {
		err = v.files.Replace(parent, name, c.data, atomicfile.Options{Perm: newFileMode, Exclusive: true})
	}
	if errors.Is(err, fs.ErrExist) {
		err = vaulterr.New(vaulterr.KindChanged, c.given, "%s was created by another program just now. Nothing was changed; look at it first.", vaulterr.Quote(c.path()))
	}
	return c.planned(), writeError(err, c.given)
}

// writeError is vaulterr.Wrap for a write: fs.ErrNotExist means that the folder is gone.
func writeError(err error, given string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return vaulterr.New(vaulterr.KindChanged, given, "Cannot write %s: its folder was moved or deleted just now. Nothing was written; try again.", vaulterr.Quote(given)).Because(err)
	}
	return vaulterr.Wrap(err, given, "write")
}

// planMkdir plans the creation of a folder with its parents, unless it exists.
func (v *Vault) planMkdir(ctx context.Context, given string) (plannedChange, error) {
	clean, err := v.cleanNotRoot(given, "created")
	if err != nil {
		return nil, err
	}
	p, err := v.finder.Find(ctx, given, lookup.RefuseLinks)
	switch {
	case errors.Is(err, vaulterr.KindNotFound):
		return v.planCreate(ctx, given, clean, nil, true)
	case err != nil:
		return nil, err
	case !p.Info.IsDir():
		p.Close()
		return nil, vaulterr.New(vaulterr.KindExists, given, "%s already exists, and is a file. Choose another name for the folder.", vaulterr.Quote(p.Path))
	}
	return existing{p}, nil
}

// existing is a folder that need not be created.
type existing struct{ *lookup.Place }

func (e existing) planned() Change { return Change{Path: e.Path} }

func (e existing) apply(*Vault) (Change, error) { return e.planned(), nil }
