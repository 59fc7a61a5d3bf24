// Package trash moves files and folders of a vault to a trash, from which they can be restored.
package trash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
	"chatvault/vault/fsys"
	"chatvault/vault/lookup"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// Trash is the trash of a vault.
type Trash struct {
	Root *os.Root                            // of the vault
	Dir  string                              // its absolute path
	Home func(create bool) (*os.Root, error) // opens the state folder, for vaults without a trash; nil if there is none
}

// Move moves a place to the trash that an option of Obsidian selects ("system", "local", "none") or, if that cannot be
// used, for example because it is on another file system, to the vault's own. It returns where that is and a note for
// the user.
func (t Trash) Move(p *lookup.Place, option string) (where, note string, err error) {
	switch {
	case option == "local", option == "none" && t.Home == nil:
		where, err = t.local(p)
		return where, "", err
	case option == "none":
		where, err = t.kept(p)
	default:
		where, err = t.system(p)
	}
	if err == nil {
		return where, "", nil
	}
	note = fmt.Sprintf("The trash of the system or chatvault could not be used (%v), so it is in the vault's .trash folder.", vaulterr.Plain(err))
	where, err = t.local(p)
	return where, note, err
}

// openOrMakeFolder opens a folder of a trash, which must not be a link. It is created if it does not exist.
func openOrMakeFolder(parent *os.Root, name string) (*os.Root, error) {
	if err := statefile.MakeFolder(parent, name); err != nil {
		return nil, err
	}
	return fsys.OpenInner(parent, name)
}

// local moves a place to .trash/ as Obsidian does: without its parent folders, with a number if the name exists.
func (t Trash) local(p *lookup.Place) (string, error) { return moveInto(p, t.Root, ".trash") }

// kept moves a place to trash/ in the state folder in the same way and returns its path there.
func (t Trash) kept(p *lookup.Place) (string, error) {
	home, err := t.Home(true)
	if err != nil {
		return "", err
	}
	defer func() { _ = home.Close() }()
	where, err := moveInto(p, home, "trash")
	return filepath.Join(home.Name(), where), err
}

// moveInto moves a place into a folder of parent, which is created if it does not exist.
func moveInto(p *lookup.Place, parent *os.Root, folder string) (string, error) {
	dir, err := openOrMakeFolder(parent, folder)
	if err != nil {
		return "", err
	}
	defer func() { _ = dir.Close() }()
	name, err := moveUnique(p, dir, nil)
	return path.Join(folder, name), err
}

// moveUnique durably moves a place into a folder, under its name or, if that exists, one with a number. reserve, if not
// nil, is called with each name before.
func moveUnique(p *lookup.Place, dir *os.Root, reserve func(name string) (release func(), err error)) (string, error) {
	for i := range maxClashes {
		name := numbered(p.Name, i, p.Info.IsDir())
		release, err := func() {}, error(nil)
		if reserve != nil {
			release, err = reserve(name)
		}
		if err == nil {
			if err = atomicfile.RenameNoReplace(p.Dir, p.Name, dir, name); err == nil {
				return name, atomicfile.SyncDir(dir, ".")
			}
			release()
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
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
		stem = text.Head(stem, room)
	}
	return stem + suffix + ext
}
