package vault

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"strings"

	"chatvault/vault/fsys"
	"chatvault/vault/lookup"
	"chatvault/vault/pathname"
	"chatvault/vault/relink"
	"chatvault/vault/vaulterr"
)

// Change is a change of the vault. Every change goes through Vault.perform, which records it in the journal.
type Change struct {
	Op      string   // "create", "overwrite", "move", "delete", "mkdir"; for an undo also the others of journal.Change.Op
	Path    string   // true name before the change
	NewPath string   // move: true name afterwards; delete: the place in the trash, for the user; absolute if outside the vault
	Folders []string // folders created for it, outermost first
	Note    string   // a sentence for the user, usually ""

	Rewrites []Rewrite // move: the notes whose links change too, by Path
	Left     LeftLinks // move: links not updated because of Request.Links or Obsidian's settings

	reversal *reversal // set for an undo: its record for the journal
}

// names returns the true names, before and after, of everything that the change affects.
func (c *Change) names() []string {
	paths := make([]string, 0, 2+len(c.Folders)+2*len(c.Rewrites))
	paths = append(paths, c.Folders...)
	paths = append(paths, c.Path)
	if c.NewPath != "" && !path.IsAbs(c.NewPath) {
		paths = append(paths, c.NewPath)
	}
	for _, r := range c.Rewrites {
		paths = append(paths, r.Path, r.NewPath)
	}
	return paths
}

// Rewrite is a note whose links are updated by a change.
type Rewrite = relink.Rewrite

// plannedChange is a change that is about to happen.
type plannedChange interface {
	planned() Change
	apply(v *Vault) (Change, error)
	Close() // releases resources
}

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

// perform performs a planned change; every change goes through it. data is the new content of a write; check may be
// nil. Once it has begun it is not canceled: it completes or fails. The caller must hold the change lock.
func (v *Vault) perform(ctx context.Context, p plannedChange, data []byte, check CommitCheck) (Change, error) {
	c := p.planned()
	if c.Op == "" { // nothing to do
		return c, nil
	}
	if check != nil {
		if err := check(c, data); err != nil {
			return Change{}, err
		}
	}
	begun, err := v.begin(ctx, c, data)
	if err != nil {
		return Change{}, err
	}
	done, err := p.apply(v)
	left := v.end(context.WithoutCancel(ctx), begun, done.NewPath, err)
	if err != nil && left != nil {
		why := strings.TrimSuffix(plainText(err), " Nothing was moved.")
		err = vaulterr.New(vaulterr.KindOther, c.Path, "%s. Some of it was done, and is put back before the next change.", strings.TrimSuffix(why, ".")).Because(err)
	}
	if err != nil {
		return Change{}, err
	}
	if v.ownWatchers.any() {
		v.ownWatchers.tell(c.names())
	}
	return done, nil
}

// newPlace is the place of a new file or folder: an existing folder and the names to create below it, ending with its
// own.
type newPlace struct {
	parent *os.Root // open; closed by close
	folder string   // true path of parent
	names  []string
	made   []*os.Root // folders created below parent, open until close
}

func (n *newPlace) Close() {
	for _, folder := range n.made {
		_ = folder.Close()
	}
	_ = n.parent.Close()
}

// path returns the complete path of the new file or folder.
func (n *newPlace) path() string { return path.Join(n.folder, path.Join(n.names...)) }

// folders returns the paths of the folders to create, outermost first.
func (n *newPlace) folders() []string {
	var folders []string
	for i := 1; i < len(n.names); i++ {
		folders = append(folders, path.Join(n.folder, path.Join(n.names[:i]...)))
	}
	return folders
}

// findNew returns the place at which clean, which does not exist, would be created: below the deepest existing
// folder, looked up exactly, otherwise ignoring case. Every new name must be portable.
func (v *Vault) findNew(ctx context.Context, given, clean string) (*newPlace, error) {
	names := strings.Split(clean, "/")
	if len(names) > pathname.MaxNewDepth {
		return nil, vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s is too deep (%d levels; at most %d).", vaulterr.Quote(given), len(names), pathname.MaxNewDepth)
	}
	k := len(names) - 1 // number of existing folders
	p, err := v.finder.FindClean(ctx, given, folderPath(names[:k]), lookup.RefuseLinks)
	for k > 0 && (errors.Is(err, vaulterr.KindNotFound) || errors.Is(err, vaulterr.KindNotFolder)) {
		k--
		p, err = v.finder.FindClean(ctx, given, folderPath(names[:k]), lookup.RefuseLinks)
	}
	if err != nil {
		return nil, err
	}
	names = names[k:]
	defer p.Close()
	if !p.Info.IsDir() {
		return nil, vaulterr.New(vaulterr.KindNotFolder, given, "%s is a file, not a folder, so %s cannot be made in it.", vaulterr.Quote(p.Path), vaulterr.Quote(given))
	}
	for _, name := range names {
		if fault := pathname.NewNameFault(name); fault != "" {
			return nil, vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s cannot be created, because it has %s. Choose another name.", vaulterr.Quote(given), fault)
		}
	}
	parent, err := fsys.OpenFolder(p.Dir, p.Name, p.Info)
	if err != nil {
		return nil, lookup.Error(err, given, clean)
	}
	return &newPlace{parent: parent, folder: p.Path, names: names}, nil
}

// folderPath returns the path of a folder with these components.
func folderPath(names []string) string { return cmp.Or(path.Join(names...), ".") }

// makeFolders creates the folders for a new file or folder and returns the innermost one. If the change fails, the
// journal removes them.
func (n *newPlace) makeFolders() (*os.Root, error) {
	parent := n.parent
	for _, name := range n.names[:len(n.names)-1] {
		child, err := fsys.MakeFolder(parent, name, 0o777)
		if err != nil {
			return nil, err
		}
		n.made = append(n.made, child)
		parent = child
	}
	return parent, nil
}
