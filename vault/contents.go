package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	Files   int      // including notes, hidden files and links
	Folders int      // in a folder, at any depth
	Bytes   int64    // total size of the files
	Names   []string // the first notes of a folder by name, relative to it, at most maxNames
	// Print is a fingerprint that changes with the content: of a file's text, or of the names, sizes and times in a
	// folder.
	Print string
}

// maxNames limits Contents.Names.
const maxNames = 3

// contents describes everything at a path, without following links.
func (v *Vault) contents(ctx context.Context, path string) (Contents, error) {
	p, err := v.finder.Find(ctx, path, lookup.ForChange)
	if err != nil {
		return Contents{}, v.withNear(ctx, err, path)
	}
	defer p.Close()
	c := Contents{Path: p.Path, Folder: p.Info.IsDir()}
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
	c.count(IsNote(p.Name), p.Info.Size())
	now, err := stateIn(p.Dir, p.Name, hashIt)
	if err == nil && !now.exists {
		err = fs.ErrNotExist
	}
	c.Print = now.print
	return err
}

func (v *Vault) folderContents(ctx context.Context, p *lookup.Place, c *Contents) error {
	dir, err := fsys.OpenFolder(p.Dir, p.Name, p.Info)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	sum := sha256.New()
	err = fsys.Walk(ctx, dir, func(_ *os.Root, name string, info fs.FileInfo) error {
		if name == "." {
			return nil
		}
		_, _ = fmt.Fprintf(sum, "%q %v %d %d\n", name, info.Mode(), info.Size(), info.ModTime().UnixNano()) // never fails
		switch {
		case v.finder.Private.Has(path.Join(p.Path, name)):
			return nil
		case info.IsDir():
			c.Folders++
			return nil
		}
		note := IsNote(name) && !strings.Contains("/"+name, "/.")
		if c.count(note, info.Size()); note && len(c.Names) < maxNames {
			c.Names = append(c.Names, name)
		}
		return nil
	})
	c.Print = hex.EncodeToString(sum.Sum(nil))
	return err
}

func (c *Contents) count(note bool, size int64) {
	c.Files++
	c.Bytes += size
	if note {
		c.Notes++
	}
}
