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

	"chatvault/vault/fsys"
	"chatvault/vault/lookup"
	"chatvault/vault/vaulterr"
)

// Contents describes everything at a path: what a move or a delete affects.
type Contents struct {
	Path    string // true name
	Folder  bool
	Notes   int      // in a folder, at any depth; 1 for a note
	Files   int      // including notes
	Folders int      // in a folder, at any depth
	Bytes   int64    // total size of the files
	Names   []string // the first notes of a folder by name, relative to it, at most maxNames
	Hidden  bool     // there are also hidden files or links, which are not counted
	Whole   bool     // false if maxContents was reached
	// Print is a fingerprint that changes with the content: of a file's text, or of the names, sizes and times in a
	// folder.
	Print string
}

const (
	// maxContents limits the entries of a folder that Contents counts.
	maxContents = 200_000
	// maxNames limits Contents.Names.
	maxNames = 3
)

// contents describes everything at a path, without following links.
func (v *Vault) contents(ctx context.Context, path string) (Contents, error) {
	p, err := v.finder.Find(ctx, path, lookup.ForChange)
	if err != nil {
		return Contents{}, v.withNear(ctx, err, path)
	}
	defer p.Close()
	c := Contents{Path: p.Path, Folder: p.Info.IsDir(), Whole: true}
	if c.Folder {
		err = v.folderContents(ctx, p, &c)
	} else {
		err = c.file(p, path)
	}
	if err != nil && ctx.Err() != nil {
		return Contents{}, ctx.Err()
	}
	if err != nil {
		return Contents{}, vaulterr.Wrap(err, path, "read")
	}
	return c, nil
}

func (c *Contents) file(p *lookup.Place, given string) error {
	if err := p.MustBeFile(given); err != nil {
		return err
	}
	c.count(p.Name, p.Info.Size())
	if p.Info.Size() > MaxRead { // too large to hash repeatedly
		c.Print = statPrint(p.Info)
		return nil
	}
	hash, err := p.CurrentHash()
	if err == nil && hash == "" {
		err = fs.ErrNotExist
	}
	c.Print = hash
	return err
}

// errEnough ends a walk at its limit.
var errEnough = errors.New("enough")

func (v *Vault) folderContents(ctx context.Context, p *lookup.Place, c *Contents) error {
	dir, err := fsys.OpenFolder(p.Dir, p.Name, p.Info)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	sum, seen := sha256.New(), 0
	hidden := "" // the hidden folder that the walk is in
	err = fsys.Walk(ctx, dir, func(_ *os.Root, name string, info fs.FileInfo, fault error) error {
		switch seen++; {
		case fault != nil && name != ".": // an unreadable folder is affected too
			c.Whole = false
			return fs.SkipDir
		case fault != nil || name == ".":
			return fault
		case seen > maxContents:
			return errEnough
		}
		e := fs.FileInfoToDirEntry(info)
		_, _ = fmt.Fprintf(sum, "%q %v %d %d\n", name, info.Mode(), info.Size(), info.ModTime().UnixNano()) // never fails
		switch {
		case hidden != "" && strings.HasPrefix(name, hidden+"/"):
		case !v.finder.Visible(path.Join(p.Path, path.Dir(name)), e):
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
