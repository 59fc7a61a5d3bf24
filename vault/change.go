package vault

import (
	"cmp"
	"context"
	"errors"
	"path"
	"strings"

	"chatvault/vault/fsys"
	"chatvault/vault/lookup"
	"chatvault/vault/pathname"
	"chatvault/vault/relink"
	"chatvault/vault/vaulterr"
)

// Change is a change of the vault by a request.
type Change struct {
	Op      string   // "create", "overwrite", "move", "delete", "mkdir"; "" if there is nothing to do
	Path    string   // true name before the change
	NewPath string   // move: true name afterwards; overwrite: the note that a section moves to; delete: the place in the trash, for the user; absolute if outside the vault
	Folders []string // folders created for it, outermost first
	Note    string   // a sentence for the user, usually ""

	Data     []byte    // create, overwrite: the new content, with updated links
	Links    int       // overwrite: number of updated links in Data
	Gone     bool      // overwrite: the file is removed, since all of its text moves
	Many     bool      // overwrite: several files are overwritten together: Rewrites, of which Path is the first
	Rewrites []Rewrite // move, overwrite: the other notes that change too, by Path
	Refused  []Refusal // Many: the files left unchanged
}

// Rewrite is a note whose links are updated by a change, or one of several files that are overwritten together.
type Rewrite = relink.Rewrite

// lock waits until nothing else changes the vault, in this process or another, or until ctx ends, and recovers a
// change that was cut off.
func (v *Vault) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case v.changing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	letIn, err := fsys.LockVault(ctx, v.finder.Root)
	if err != nil {
		<-v.changing
		return nil, err
	}
	unlock = func() { letIn(); <-v.changing }
	if err = ctx.Err(); err == nil {
		err = v.recoverPending(ctx)
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// lockToChange is lock for a change of the vault's folder.
func (v *Vault) lockToChange(ctx context.Context) (unlock func(), err error) {
	if v.ReadOnly() {
		return nil, vaulterr.New(vaulterr.KindOther, ".", "This vault is read-only: its folder cannot be written. Nothing was changed. Ask the user to make the folder writable.")
	}
	return v.lock(ctx)
}

// perform makes a planned change of a request. check may be nil. The caller must hold the change lock.
func (v *Vault) perform(ctx context.Context, c Change, r Request, check CommitCheck) (Change, error) {
	if c.Op == "" { // nothing to do
		return c, nil
	}
	if check != nil {
		if err := check(c, c.Data); err != nil {
			return Change{}, err
		}
	}
	d, err := v.describe(ctx, c, r)
	if err != nil {
		return Change{}, err
	}
	defer d.close()
	if err := d.carryOut(ctx); err != nil {
		return Change{}, err
	}
	if c.Op == "delete" {
		c.NewPath, c.Note = d.change.NewPath, d.note
	}
	return c, nil
}

// carryOut records a change in the journal and makes it; every change goes through it. Once it has begun it is not
// canceled: it completes or fails. The caller must hold the change lock.
func (d *description) carryOut(ctx context.Context) error {
	begun, err := d.begin(ctx, d)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	if d.change.Op == "delete" {
		err = d.moveToTrash(ctx)
	} else {
		err = d.apply(&d.change, d.content)
	}
	left := d.end(ctx, begun, d.change.NewPath, err)
	if err != nil && left != nil {
		err = vaulterr.New(vaulterr.KindOther, d.change.Path, "%s Some of it was done, and is put back before the next change.", plainText(err)).Because(err)
	}
	if err == nil && d.Index.tell != nil {
		d.Index.tell(changedNames(&begun.Change))
	}
	return err
}

// findNew returns the path at which clean, which does not exist, would be created, and the folders to create for it,
// outermost first. It is below the deepest existing folder, looked up exactly, otherwise ignoring case. Every new name
// must be portable.
func (v *Vault) findNew(ctx context.Context, given, clean string) (at string, folders []string, err error) {
	names := strings.Split(clean, "/")
	if len(names) > pathname.MaxNewDepth {
		return "", nil, vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s is too deep (%d levels; at most %d).", vaulterr.Quote(given), len(names), pathname.MaxNewDepth)
	}
	k := len(names) - 1 // number of existing folders
	p, err := v.finder.FindClean(ctx, given, folderPath(names[:k]), lookup.ForChange)
	for k > 0 && (errors.Is(err, vaulterr.KindNotFound) || errors.Is(err, vaulterr.KindNotFolder)) {
		k--
		p, err = v.finder.FindClean(ctx, given, folderPath(names[:k]), lookup.ForChange)
	}
	if err != nil {
		return "", nil, err
	}
	p.Close()
	if !p.Info.IsDir() {
		return "", nil, vaulterr.New(vaulterr.KindNotFolder, given, "%s is a file, not a folder, so %s cannot be made in it.", vaulterr.Quote(p.Path), vaulterr.Quote(given))
	}
	at = p.Path
	for i, name := range names[k:] {
		if fault := pathname.NewNameFault(name); fault != "" {
			return "", nil, vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s cannot be created, because it has %s. Choose another name.", vaulterr.Quote(given), fault)
		}
		if i > 0 {
			folders = append(folders, at)
		}
		at = path.Join(at, name)
	}
	return at, folders, nil
}

// folderPath returns the path of a folder with these components.
func folderPath(names []string) string { return cmp.Or(path.Join(names...), ".") }
