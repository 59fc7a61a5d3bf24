package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"chatvault/vault/failure"
	"chatvault/vault/fsys"
)

// Contents is all that is at a path: what goes with it when it is moved or deleted.
type Contents struct {
	Path    string // true name
	Folder  bool
	Notes   int      // in a folder, at any depth; a file counts as itself
	Files   int      // notes among them
	Folders int      // in a folder, at any depth
	Bytes   int64    // of the files
	Names   []string // of notes in a folder, relative to it: the first few in order of their names
	Hidden  bool     // there are hidden files, links or the like too, which are in no count
	Whole   bool     // false when the count stopped at maxContents
	// Print is the same as long as nothing in it changes: of a file, its content; in a folder,
	// names, sizes and times.
	Print string
}

const (
	// maxContents bounds the entries of a folder that Contents looks at.
	maxContents = 200_000
	// maxNames bounds the notes of a folder that Contents names.
	maxNames = 3
)

// Contents says what is at a path, without following links.
func (v *Vault) Contents(ctx context.Context, path string) (Contents, error) {
	p, err := v.find(ctx, path, refuseLinks)
	if err != nil {
		return Contents{}, v.withNear(ctx, err, path, filesAndFolders)
	}
	defer p.close()
	c := Contents{Path: p.path, Folder: p.info.IsDir(), Whole: true}
	if c.Folder {
		err = v.folderContents(ctx, p, &c)
	} else {
		err = p.fileContents(path, &c)
	}
	if err != nil && ctx.Err() != nil {
		return Contents{}, ctx.Err()
	}
	if err != nil {
		return Contents{}, failure.Wrap(err, path, "read")
	}
	return c, nil
}

func (p *place) fileContents(given string, c *Contents) error {
	if err := p.mustBeFile(given); err != nil {
		return err
	}
	c.count(p.name, p.info.Size())
	if p.info.Size() > MaxRead { // nobody reads such a file again and again
		c.Print = statPrint(p.info)
		return nil
	}
	hash, ok, err := p.currentHash()
	if err == nil && !ok {
		err = fs.ErrNotExist
	}
	c.Print = hash
	return err
}

// errEnough ends a walk at its bound.
var errEnough = errors.New("enough")

func (v *Vault) folderContents(ctx context.Context, p *place, c *Contents) error {
	dir, err := fsys.OpenFolder(p.dir, p.name, p.info)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	sum, seen := sha256.New(), 0
	hidden := "" // the hidden folder the walk is in
	err = fsys.Walk(ctx, dir, func(_ *os.Root, name string, info fs.FileInfo, fault error) error {
		switch seen++; {
		case fault != nil && name != ".": // a folder that cannot be read goes as a whole too
			c.Whole = false
			return fs.SkipDir
		case fault != nil || name == ".":
			return fault
		case seen > maxContents:
			return errEnough
		}
		e := fs.FileInfoToDirEntry(info)
		_, _ = fmt.Fprintf(sum, "%q %v %d %d\n", name, info.Mode(), info.Size(), info.ModTime().UnixNano()) // a hash takes all
		switch {
		case hidden != "" && strings.HasPrefix(name, hidden+"/"):
		case !v.visible(path.Join(p.path, path.Dir(name)), e):
			c.Hidden = true
			if e.IsDir() {
				hidden = name
			}
		case e.IsDir():
			c.Folders++
		default:
			c.count(name, info.Size())
			if IsNote(name) && len(c.Names) < maxNames {
				c.Names = append(c.Names, name)
			}
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		c.Whole, err = false, nil
	}
	c.Print = hex.EncodeToString(sum.Sum(nil))
	return err
}

func (c *Contents) count(name string, size int64) {
	c.Files++
	c.Bytes += size
	if IsNote(name) {
		c.Notes++
	}
}

// TrashName says where Delete puts things, for the user. Where the system has no trash they go
// to the vault's .trash folder all the same.
func (v *Vault) TrashName() string {
	switch v.trashOption() {
	case "local":
		return "the vault's .trash folder"
	case "none":
		return "the trash in chatvault's state folder"
	}
	return "the system's trash"
}
