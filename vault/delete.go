package vault

import (
	"context"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/text"
	"chatvault/vault/journal"
	"chatvault/vault/lookup"
	"chatvault/vault/search"
	"chatvault/vault/vaulterr"
)

// planDelete plans moving a file or folder to the trash selected by trashOption in .obsidian/app.json: "system" (the
// default, as in Obsidian), "local" or "none". A non-empty folder requires Request.Recursive. The root cannot be
// deleted.
func (v *Vault) planDelete(ctx context.Context, r Request) (Change, error) {
	if _, err := v.cleanNotRoot(r.Path, "deleted"); err != nil {
		return Change{}, err
	}
	p, err := v.finder.Find(ctx, r.Path, lookup.ForChange)
	if err != nil {
		return Change{}, v.withNear(ctx, err, r.Path)
	}
	defer p.Close()
	return Change{Op: "delete", Path: p.Path}, v.mayDelete(ctx, p, r.Path, r.Recursive)
}

// KeepTrash makes deletions in a vault without a trash of its own (Obsidian's "none") go to the folder trash/ of
// home, which is outside the vault: they remain recoverable without being synchronised with the vault. It must be
// called once, before the first change.
func (v *Vault) KeepTrash(home journal.Home) { v.trash.Home = home }

// moveToTrash moves the file or folder to the trash and sets where it is.
func (d *description) moveToTrash(ctx context.Context) error {
	at := d.change.Path
	p, err := d.finder.FindExact(ctx, at, at)
	if err != nil {
		return err
	}
	defer p.Close()
	d.change.NewPath, d.note, err = d.trash.Move(p, d.Obsidian.Settings().TrashOption)
	if err == nil {
		err = atomicfile.SyncDir(p.Dir, ".")
	}
	return changeError(err, at, "delete")
}

// mayDelete returns an error for anything but a file or folder, and for a non-empty folder unless recursive.
func (v *Vault) mayDelete(ctx context.Context, p *lookup.Place, given string, recursive bool) error {
	if !p.Info.IsDir() {
		return p.MustBeFile(given)
	}
	if err := v.checkNothingPrivate(ctx, p, given, "deleted"); err != nil {
		return err
	}
	if recursive { // the trash would keep a placeholder while the service deletes the file
		online, err := v.List(ctx, search.ListQuery{Folder: p.Path, Pattern: "**", Only: search.NotDownloaded, IncludeIgnored: true, MaxResults: 1})
		if err == nil && online.Total > 0 {
			err = lookup.NotDownloaded(given, online.Entries[0].Path)
		}
		return err
	}
	_, all, err := v.countEntries(ctx, p)
	switch {
	case err != nil:
		return vaulterr.Wrap(err, given, "delete")
	case all > 0:
		return vaulterr.New(vaulterr.KindOther, given, "The folder %s is not empty: it has %s. Pass recursive to delete it with everything in it.", vaulterr.Quote(p.Path), text.Count(all, "item"))
	}
	return nil
}
