package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"chatvault/internal/atomicfile"
	"chatvault/internal/text"
	"chatvault/vault/fsys"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// planDelete plans moving a file or folder to the trash selected by trashOption in .obsidian/app.json: "system" (the
// default, as in Obsidian), "local" or "none". A non-empty folder requires Request.Recursive. The root cannot be
// deleted.
func (v *Vault) planDelete(ctx context.Context, r Request) (plannedChange, error) {
	if _, err := v.cleanNotRoot(r.Path, "deleted"); err != nil {
		return nil, err
	}
	p, err := v.find(ctx, r.Path, refuseLinks)
	if err != nil {
		return nil, v.withNear(ctx, err, r.Path, filesAndFolders)
	}
	if err := v.mayDelete(ctx, p, r.Path, r.Recursive); err != nil {
		p.close()
		return nil, err
	}
	return &deletion{p, r.Path}, nil
}

// deletion moves a file or folder to the trash.
type deletion struct {
	*place
	given string
}

func (d *deletion) planned() Change { return Change{Op: "delete", Path: d.path} }

func (d *deletion) apply(v *Vault) (c Change, err error) {
	c = d.planned()
	c.NewPath, c.Note, err = v.trash(d.place)
	if err == nil {
		err = atomicfile.SyncDir(d.dir, ".")
	}
	return c, trashError(err, d.given)
}

// mayDelete returns an error for anything but a file or folder, and for a non-empty folder unless recursive.
func (v *Vault) mayDelete(ctx context.Context, p *place, given string, recursive bool) error {
	if !p.info.IsDir() {
		return p.mustBeFile(given)
	}
	if err := v.checkNothingPrivate(ctx, p, given, "deleted"); err != nil {
		return err
	}
	if recursive {
		return nil
	}
	shown, hidden, err := v.countEntries(ctx, p)
	if err != nil {
		return vaulterr.Wrap(err, given, "delete")
	}
	switch {
	case shown > 0:
		return vaulterr.New(vaulterr.KindOther, given, "The folder %s is not empty: it has %s. Pass recursive to delete it with everything in it.", vaulterr.Quote(p.path), text.Count(shown, "item"))
	case hidden:
		return vaulterr.New(vaulterr.KindOther, given, "The folder %s is not empty: it has hidden files. Pass recursive to delete it with everything in it.", vaulterr.Quote(p.path))
	}
	return nil
}

// trash moves a place to the trash that the vault's settings select or, if that cannot be used, for example because it
// is on another file system, to the vault's own. It returns where that is and a note for the user.
func (v *Vault) trash(p *place) (where, note string, err error) {
	name := "The system trash"
	switch option := v.Obsidian.Settings().TrashOption; {
	case option == "local", option == "none" && v.kept == nil: // for a program without KeepTrash
		where, err = v.trashLocal(p)
		return where, "", err
	case option == "none":
		name = "The trash in chatvault's state folder"
		where, err = v.trashState(p, time.Now())
	default:
		where, err = v.trashSystem(p)
	}
	if err == nil {
		return where, "", nil
	}
	note = fmt.Sprintf("%s could not be used (%v), so it is in the vault's .trash folder.", name, vaulterr.Plain(err))
	where, err = v.trashLocal(p)
	return where, note, err
}

// openOrMakeFolder opens a folder of the program, such as .trash, which must not be a link. It is created if it does not
// exist.
func openOrMakeFolder(parent *os.Root, name string, perm fs.FileMode) (*os.Root, error) {
	dir, err := fsys.OpenInner(parent, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	dir, err = makeFolder(parent, name, perm)
	if errors.Is(err, fs.ErrExist) {
		return fsys.OpenInner(parent, name)
	}
	return dir, err
}

// trashLocal moves a place to .trash/ as Obsidian does: without its parent folders, with a number if the name exists.
func (v *Vault) trashLocal(p *place) (string, error) {
	dir, err := openOrMakeFolder(v.root, ".trash", 0o777)
	if err != nil {
		return "", err
	}
	defer func() { _ = dir.Close() }()
	name, err := moveUnique(p, dir)
	if err != nil {
		return "", err
	}
	return path.Join(".trash", name), nil
}

// moveUnique durably moves a place into a folder, under its name or, if that exists, one with a number.
func moveUnique(p *place, dir *os.Root) (string, error) {
	for i := range maxClashes {
		name := numbered(p.name, i, p.info.IsDir())
		err := atomicfile.RenameNoReplace(p.dir, p.name, dir, name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return name, atomicfile.SyncDir(dir, ".")
	}
	return "", errClashes
}

// maxClashes limits the names tried in a trash.
const maxClashes = 10_000

var errClashes = errors.New("the trash has too many files of this name; empty it")

// numbered returns the name with a number before its extension, shortened to leave room for what a trash appends.
// Number 0 returns the name itself.
func numbered(name string, number int, folder bool) string {
	ext := path.Ext(name)
	if folder || len(ext) > 16 {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	suffix := ""
	if number > 0 {
		suffix = " " + strconv.Itoa(number)
	}
	if room := pathname.MaxName - len(".trashinfo") - len(ext) - len(suffix); len(stem) > room {
		stem = string(cutText([]byte(stem), room))
	}
	return stem + suffix + ext
}

func trashError(err error, given string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		return vaulterr.New(vaulterr.KindOther, given, "Cannot delete %s: the vault's trash folder is a file or a link. Ask the user to move it out of the way.", vaulterr.Quote(given))
	case errors.Is(err, fs.ErrNotExist):
		return vaulterr.New(vaulterr.KindChanged, given, "Cannot delete %s: it was moved or deleted just now. Look again.", vaulterr.Quote(given)).Because(err)
	}
	return vaulterr.Wrap(err, given, "delete")
}
