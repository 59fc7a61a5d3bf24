package vault

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"chatvault/vault/fsys"
	"chatvault/vault/lookup"
	"chatvault/vault/note"
	"chatvault/vault/vaulterr"
)

// Info describes a file or folder.
type Info struct {
	Path     string    `json:"path"` // true name, "/" separated; "." is the root
	Folder   bool      `json:"folder"`
	Size     int64     `json:"size" jsonschema:"in bytes; 0 for a folder"`
	Items    int       `json:"items,omitempty" jsonschema:"of a folder: its visible entries, not recursive"`
	Modified time.Time `json:"modified,omitzero"` // local time
	Created  time.Time `json:"created,omitzero"`  // the front matter's date, otherwise the file system's creation time; zero if unknown
}

// Stat describes the file or folder at path.
func (v *Vault) Stat(ctx context.Context, path string) (Info, error) {
	p, err := v.finder.Find(ctx, path, lookup.ForReading)
	if err != nil {
		return Info{}, v.withNear(ctx, err, path)
	}
	defer p.Close()
	info := Info{Path: p.Path, Folder: p.Info.IsDir(), Modified: p.Info.ModTime().Local()}
	if info.Folder {
		info.Items, _, err = v.countEntries(ctx, p)
		if err != nil {
			return Info{}, vaulterr.Wrap(err, path, "read")
		}
		info.Created = fsys.BirthTime(p.Dir, p.Name)
		return info, nil
	}
	if err := p.MustBeFile(path); err != nil {
		return Info{}, err
	}
	info.Size = p.Info.Size()
	info.Created = created(p)
	return info, nil
}

// countEntries counts the visible files and folders in a folder, and all of its entries.
func (v *Vault) countEntries(ctx context.Context, p *lookup.Place) (shown, all int, err error) {
	d, err := p.Dir.Open(p.Name)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = d.Close() }()
	entries, err := d.ReadDir(-1)
	for _, e := range entries {
		if v.finder.Visible(p.Path, e) {
			shown++
		}
	}
	return shown, len(entries), cmp.Or(err, ctx.Err())
}

// created returns the date in a note's front matter, otherwise the file's creation time, otherwise zero.
func created(p *lookup.Place) time.Time {
	if IsNote(p.Name) {
		if f, err := p.Open(); err == nil {
			defer func() { _ = f.Close() }()
			head, _ := io.ReadAll(io.LimitReader(f, maxFrontMatter)) // a part is better than nothing
			if when := createdDate(head); !when.IsZero() {
				return when
			}
		}
	}
	return fsys.BirthTime(p.Dir, p.Name)
}

// maxFrontMatter limits the text searched for a date, in bytes.
const maxFrontMatter = 32 << 10

// createdKeys are the front matter keys for a creation date, in order of preference.
var createdKeys = []string{"created", "date created", "date_created", "created_at", "created-at", "creation date", "creation_date", "createdat", "date"}

// createdDate returns the creation date in the front matter at the head of a note, or zero if there is no valid one.
func createdDate(head []byte) time.Time {
	properties, _ := note.Properties(head) // none if they are invalid
	for _, key := range createdKeys {
		for _, p := range properties {
			if strings.EqualFold(p.Key, key) {
				if when := parseDate(strings.Trim(note.ValueText(p.Value), `"`)); !when.IsZero() {
					return when
				}
			}
		}
	}
	return time.Time{}
}

// dateLayouts are the accepted date formats; those without a zone are local time.
var dateLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04",
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	"2006/01/02 15:04:05", "2006/01/02 15:04", "2006/01/02", "02.01.2006 15:04", "02.01.2006",
	"January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006",
	"20060102150405", "200601021504", "20060102",
}

func parseDate(text string) time.Time {
	text = strings.Trim(strings.TrimSpace(text), "[]") // a link to a daily note
	for _, layout := range dateLayouts {
		if when, err := time.ParseInLocation(layout, text, time.Local); err == nil && when.Year() > 0 {
			return when.Local()
		}
	}
	return time.Time{}
}
