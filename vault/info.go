package vault

import (
	"chatvault/vault/failure"
	"chatvault/vault/fsys"
	"chatvault/vault/pathname"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"time"
)

// Info describes a file or folder.
type Info struct {
	Path     string // true name, '/' separated, "." for the root
	Folder   bool
	Size     int64     // bytes; 0 for a folder
	Items    int       // folder: visible entries in it (not recursive)
	Modified time.Time // local time
	Created  time.Time // zero where unknown: the front matter's date, else the file system's birth time
	Mode     fs.FileMode
}

// Stat describes what path names.
func (v *Vault) Stat(ctx context.Context, path string) (Info, error) {
	p, err := v.find(ctx, path, followLinks)
	if err != nil {
		return Info{}, v.withNear(ctx, err, path, filesAndFolders)
	}
	defer p.close()
	info := Info{Path: p.path, Folder: p.info.IsDir(), Modified: p.info.ModTime().Local(), Mode: p.info.Mode()}
	if info.Folder {
		info.Items, _, err = v.countEntries(ctx, p)
		if err != nil {
			return Info{}, failure.Wrap(err, path, "read")
		}
		info.Created = fsys.BirthTime(p.dir, p.name)
		return info, nil
	}
	if err := p.mustBeFile(path); err != nil {
		return Info{}, err
	}
	info.Size = p.info.Size()
	info.Created = p.created()
	return info, nil
}

// countEntries counts the visible files and folders of a folder, and says whether there
// is anything else in it.
func (v *Vault) countEntries(ctx context.Context, p *place) (shown int, hidden bool, err error) {
	d, err := p.dir.Open(p.name)
	if err != nil {
		return 0, false, err
	}
	defer func() { _ = d.Close() }()
	for {
		entries, err := d.ReadDir(1024)
		for _, e := range entries {
			if v.visible(p.path, e) {
				shown++
			} else {
				hidden = true
			}
		}
		if errors.Is(err, io.EOF) {
			return shown, hidden, nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0, false, err
		}
	}
}

// visible reports whether an entry of a folder is a file or folder that may be seen.
// Links are not: what they lead to has a path of its own, or must not be seen.
func (v *Vault) visible(folder string, e fs.DirEntry) bool {
	return (e.IsDir() || e.Type().IsRegular()) && !v.hidden(e.Name(), path.Join(folder, e.Name()))
}

// hidden reports whether a walk must not see an entry: base is its name in its folder,
// name its path.
func (v *Vault) hidden(base, name string) bool {
	return pathname.Protected(base) || v.private != nil && v.private(name)
}

// created is the date in a note's front matter, else the file's birth time, else zero.
func (p *place) created() time.Time {
	if IsNote(p.name) {
		if f, err := p.open(); err == nil {
			head, readErr := io.ReadAll(io.LimitReader(f, maxFrontMatter))
			_ = f.Close()
			if readErr == nil {
				if when := createdDate(head); !when.IsZero() {
					return when
				}
			}
		}
	}
	return fsys.BirthTime(p.dir, p.name)
}
