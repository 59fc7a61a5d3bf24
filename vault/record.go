package vault

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"unicode/utf8"

	"chatvault/vault/fsys"
	"chatvault/vault/journal"
	"chatvault/vault/vaulterr"
)

// Limits of what the journal stores for a change.
const (
	// maxKept limits, in bytes, a file whose content is stored, and the total for a deleted folder. Larger files can
	// be restored only from the trash.
	maxKept = 64 << 20
	// maxKeptAfter limits the new content that is stored, so that a diff can be shown after further changes.
	maxKeptAfter = 1 << 20
	// maxKeptRewrites limits the notes with updated links in a move whose new content is stored too.
	maxKeptRewrites = 50
	// maxManifest limits the files listed for a deleted folder.
	maxManifest = 20_000
)

// description is a change that is about to happen, as the journal records it.
type description struct {
	*workTree
	change journal.Change
	keep   map[string][]byte // the contents to store, by hash
	after  map[string][]byte // the new contents that the journal may not store, by hash
	note   string            // of the trash, for the user
}

// describe describes a planned change of a request; the old content is still in place.
func (v *Vault) describe(ctx context.Context, c Change, r Request) (_ *description, err error) {
	d := &description{workTree: v.workTree(""), keep: map[string][]byte{}, after: map[string][]byte{}}
	d.change = journal.Change{Op: c.Op, Path: c.Path, NewPath: c.NewPath, Folders: c.Folders}
	switch c.Op {
	case "create":
		d.change.Files = []journal.File{{Path: c.Path, After: d.keepAfter(c.Data, true), NewSize: int64(len(c.Data))}}
	case "overwrite":
		if c.Many {
			d.rewrites(c)
			break
		}
		err = d.overwrite(c, r)
	case "move":
		err = d.move(c)
	case "delete":
		err = d.remove(ctx, c)
	}
	if err != nil {
		d.close()
	}
	return d, err
}

// content returns a new content of the change.
func (d *description) content(print string) ([]byte, error) {
	if data, ok := d.after[print]; ok {
		return data, nil
	}
	return d.History.journal.Content(print)
}

func (d *description) overwrite(c Change, r Request) error {
	now, err := d.look(c.Path, readIt)
	if err != nil {
		return err
	}
	if r.IfHash != "" && !now.is(r.IfHash) && (now.data != nil || !now.exists) {
		return errStale(r.Path, c.Path)
	}
	f := now.file(c.Path)
	if f.Links = c.Links; !c.Gone {
		f.After, f.NewSize = d.keepAfter(c.Data, true), int64(len(c.Data))
	}
	d.keepBefore(&f, now.data)
	d.change.Files = []journal.File{f}
	d.rewrites(c)
	return nil
}

// rewrites adds the other notes that a change rewrites or, without an old text, creates; or those of a change of many.
func (d *description) rewrites(c Change) {
	for _, r := range c.Rewrites {
		f := journal.File{
			Path: r.Path, After: d.keepAfter(r.After, len(c.Rewrites) <= maxKeptRewrites),
			Size: int64(len(r.Before)), NewSize: int64(len(r.After)), Modified: r.Modified,
		}
		if !c.Many {
			f.Links = r.Links
		}
		if r.NewPath != r.Path {
			f.NewPath = r.NewPath
		}
		if r.Before != nil || c.Many {
			f.Before = Hash(r.Before)
			d.keepBefore(&f, r.Before)
		}
		d.change.Files = append(d.change.Files, f)
	}
}

func (d *description) move(c Change) error {
	now, err := d.look(c.Path, hashIt)
	if err != nil {
		return err
	}
	d.change.Folder = now.folder
	d.rewrites(c)
	if now.folder || slices.ContainsFunc(c.Rewrites, func(r Rewrite) bool { return r.Path == c.Path }) {
		return nil
	}
	f := now.file(c.Path)
	f.NewPath, f.After, f.NewSize = c.NewPath, f.Before, f.Size
	d.change.Files = append(d.change.Files, f)
	return nil
}

// remove lists the deleted files and folders, including hidden ones.
func (d *description) remove(ctx context.Context, c Change) error {
	p, err := d.finder.FindExact(ctx, c.Path, c.Path)
	if err != nil {
		return err
	}
	defer p.Close()
	if !p.Info.IsDir() {
		now, err := lookIn(p.Dir, p.Name, p.Info, readIt)
		if err != nil {
			return vaulterr.Wrap(err, c.Path, "delete")
		}
		f := now.file(c.Path)
		d.keepBefore(&f, now.data)
		d.change.Files = []journal.File{f}
		return nil
	}
	d.change.Folder = true
	dir, err := fsys.OpenFolder(p.Dir, p.Name, p.Info)
	if err != nil {
		return vaulterr.Wrap(err, c.Path, "delete")
	}
	defer func() { _ = dir.Close() }()
	if err := d.list(ctx, dir, c.Path); err != nil {
		return vaulterr.Wrap(err, c.Path, "delete")
	}
	return nil
}

// list lists a folder and everything in it.
func (d *description) list(ctx context.Context, dir *os.Root, top string) error {
	kept := int64(0)
	return fsys.Walk(ctx, dir, func(in *os.Root, name string, info fs.FileInfo) error {
		at := path.Join(top, name)
		switch {
		case len(d.change.Files)+len(d.change.Gone) >= maxManifest, !utf8.ValidString(name):
			d.change.More++ // JSON cannot represent the name
		case info.IsDir():
			d.change.Gone = append(d.change.Gone, journal.Folder{Path: at, Mode: uint32(info.Mode().Perm())})
		default:
			how := readIt
			if info.Size() > maxKept-kept {
				how = statIt
			}
			now, err := lookIn(in, path.Base(name), info, how)
			if err != nil {
				d.change.More++
				return nil //nolint:nilerr // it is in the trash afterwards, and nowhere else
			}
			f := now.file(at)
			kept += int64(len(now.data))
			d.keepBefore(&f, now.data)
			d.change.Files = append(d.change.Files, f)
		}
		return nil
	})
}

// keepBefore stores the old content of a file if it was read.
func (d *description) keepBefore(f *journal.File, data []byte) {
	if data != nil {
		f.Kept = true
		d.keep[f.Before] = data
	}
}

// keepAfter returns the hash of the new content of a file. With store, the journal stores the content unless it is
// long.
func (d *description) keepAfter(data []byte, store bool) string {
	hash := Hash(data)
	d.after[hash] = data
	if store && len(data) <= maxKeptAfter {
		d.keep[hash] = data
	}
	return hash
}
