package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"chatvault/internal/atomicfile"
	"chatvault/vault/failure"
	"chatvault/vault/fsys"
	"chatvault/vault/pathname"
)

// Change is one change to the vault; every one goes through one place (apply), which is where a
// journal hooks in.
type Change struct {
	Op      string   // "create", "overwrite", "move", "delete", "mkdir"; of an undo also as journal.Change.Op
	Path    string   // true name before
	NewPath string   // move: true name after; delete: where it went, for the user: absolute when outside the vault
	Folders []string // folders that were made for it, outermost first
	Note    string   // a sentence the user should hear, mostly ""

	Rewrites []Rewrite // move: notes whose links are changed with it, by Path
	Left     LeftLinks // move: what else would be changed, but for Request.Links or Obsidian's settings

	reversal *reversal // of an undo: what it is for the journal; nil: it is none
}

// names are the true names, before and after, of all that a change is about.
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

// Rewrite is a note whose links a change rewrites along with what it is about.
type Rewrite struct {
	Path    string // true name before the change
	NewPath string // after it; Path itself unless the note is moved
	Links   int    // how many of its links are changed
	Before  []byte // its bytes
	After   []byte

	Modified time.Time // when it was modified last before
}

// hook is told of every change, before it happens and after. It is where a journal
// attaches. It is called with the vault's change lock held, so it sees changes one at a
// time and what is on disk at Change.Path in before is what the change will replace.
type hook interface {
	// before may refuse the change by an error. planned is the whole new content of a
	// write, nil for everything else; the old content is still in place.
	before(ctx context.Context, c Change, planned []byte) error
	// after gets the change as it went, or the error that stopped it.
	after(ctx context.Context, c Change, err error)
}

// plan is a change that is about to happen.
type plan struct {
	change Change
	data   []byte                 // the new content, of a write
	do     func() (Change, error) // nil: there is nothing to do
	close  func()                 // releases what the plan holds open
}

func (p *plan) end() {
	if p.close != nil {
		p.close()
	}
}

// locked calls do with the lock held under which changes happen one at a time, in whichever
// process, and once what a crash cut is settled.
func (v *Vault) locked(ctx context.Context, do func() error) error {
	if v.ReadOnly() {
		return failure.New(failure.KindOther, ".", "This vault is read-only: its folder cannot be written. Nothing was changed. Ask the user to make the folder writable.")
	}
	return v.settled(ctx, do)
}

// settled is locked, for what changes nothing in the vault's folder.
func (v *Vault) settled(ctx context.Context, do func() error) error {
	unlock, err := v.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := v.settle(ctx); err != nil {
		return err
	}
	return do()
}

// lock waits until nothing else changes the vault, here or in another process, or ctx ends.
func (v *Vault) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case v.changing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	letIn, err := fsys.LockOut(ctx, v.root)
	if err == nil && ctx.Err() != nil {
		letIn()
		err = ctx.Err()
	}
	if err != nil {
		<-v.changing
		return nil, err
	}
	return func() { letIn(); <-v.changing }, nil
}

// apply is the one place through which every change goes. makePlan looks up what is to be changed
// and is called with the change lock held; tell may be nil.
func (v *Vault) apply(ctx context.Context, tell CommitCheck, makePlan func() (*plan, error)) (done Change, err error) {
	err = v.locked(ctx, func() error {
		p, err := makePlan()
		if err != nil {
			return err
		}
		defer p.end()
		if p.do == nil {
			done = p.change
			return nil
		}
		if tell != nil {
			if err := tell(p.change, p.data); err != nil {
				return err
			}
		}
		done, err = v.carryOut(ctx, p)
		return err
	})
	return done, err
}

// carryOut has a change happen. Once it has begun it is not cancelled: it ends whole or fails.
func (v *Vault) carryOut(ctx context.Context, p *plan) (Change, error) {
	if v.hook != nil {
		if err := v.hook.before(ctx, p.change, p.data); err != nil {
			return Change{}, err
		}
	}
	own := v.own()
	done, err := p.do()
	own(p.change)
	if err == nil && v.ownWatchers.any() {
		v.ownWatchers.tell(p.change.names())
	}
	if v.hook != nil {
		if err != nil {
			done = p.change
		}
		v.hook.after(context.WithoutCancel(ctx), done, err)
	}
	if err != nil {
		return Change{}, err
	}
	return done, nil
}

// newPlace is where something new goes: an existing folder and the names to be made
// below it, the last of which is the thing's own.
type newPlace struct {
	parent *os.Root // open, to be closed
	folder string   // true path of parent
	names  []string
	made   []*os.Root // the folders made below parent, open until close
}

func (n *newPlace) close() {
	for _, folder := range n.made {
		_ = folder.Close()
	}
	_ = n.parent.Close()
}

// path is the whole path of the new thing.
func (n *newPlace) path() string { return path.Join(n.folder, path.Join(n.names...)) }

// folders are the paths of the folders that are to be made, outermost first.
func (n *newPlace) folders() []string {
	var folders []string
	for i := 1; i < len(n.names); i++ {
		folders = append(folders, path.Join(n.folder, path.Join(n.names[:i]...)))
	}
	return folders
}

// findNew finds where clean, which does not exist, would be made: below the deepest
// folder that exists, each looked up exactly, else ignoring case. Every new name must be
// portable.
func (v *Vault) findNew(ctx context.Context, given, clean string) (*newPlace, error) {
	names := strings.Split(clean, "/")
	if len(names) > pathname.MaxNewDepth {
		return nil, failure.New(failure.KindDenied, given, "Access denied: %s is too deep (%d levels; at most %d).", failure.Quote(given), len(names), pathname.MaxNewDepth)
	}
	p, err := v.findExact(ctx, given, ".", refuseLinks)
	if err != nil {
		return nil, err
	}
	for len(names) > 1 {
		next, err := v.findIn(ctx, given, p.path, names[0])
		if errors.Is(err, failure.KindNotFound) {
			break
		}
		p.close()
		if err != nil {
			return nil, err
		}
		p, names = next, names[1:]
		if !p.info.IsDir() {
			p.close()
			return nil, failure.New(failure.KindNotFolder, given, "%s is a file, not a folder, so %s cannot be made in it.", failure.Quote(p.path), failure.Quote(given))
		}
	}
	defer p.close()
	for _, name := range names {
		if fault := pathname.NewNameFault(name); fault != "" {
			return nil, failure.New(failure.KindDenied, given, "Access denied: %s cannot be created, because it has %s. Choose another name.", failure.Quote(given), fault)
		}
	}
	parent, err := fsys.OpenFolder(p.dir, p.name, p.info)
	if err != nil {
		return nil, v.lookupError(err, given, clean)
	}
	return &newPlace{parent: parent, folder: p.path, names: names}, nil
}

// findIn looks up one name in a folder: exactly, else ignoring case.
func (v *Vault) findIn(ctx context.Context, given, folder, name string) (*place, error) {
	p, err := v.findExact(ctx, given, path.Join(folder, name), refuseLinks)
	if !errors.Is(err, failure.KindNotFound) {
		// A name that could not be created is denied by notFound, and rightly here too.
		return p, err
	}
	found, foldErr := v.foldNames(ctx, folder, name)
	switch {
	case foldErr != nil:
		return nil, foldErr
	case len(found) == 0:
		return nil, err
	case len(found) > 1:
		for i := range found {
			found[i] = path.Join(folder, found[i])
		}
		return nil, ambiguous(given, found)
	}
	return v.findExact(ctx, given, path.Join(folder, found[0]), refuseLinks)
}

// makeFolders makes the folders a new thing needs and returns the one that will hold it.
// undo removes again what was made, where it is still empty.
func (n *newPlace) makeFolders() (parent *os.Root, undo func(), err error) {
	parent = n.parent
	undo = func() {
		for i := len(n.made) - 1; i >= 0; i-- {
			in := n.parent
			if i > 0 {
				in = n.made[i-1]
			}
			_ = in.Remove(n.names[i])
		}
	}
	for _, name := range n.names[:len(n.names)-1] {
		child, err := makeFolder(parent, name, 0o777)
		if err != nil {
			undo()
			return nil, nil, err
		}
		n.made = append(n.made, child)
		parent = child
	}
	return parent, undo, nil
}

// makeFolder makes a folder that is not there, durably, and opens it.
func makeFolder(parent *os.Root, name string, perm fs.FileMode) (*os.Root, error) {
	if err := parent.Mkdir(name, perm); err != nil {
		return nil, err
	}
	if err := atomicfile.SyncDir(parent, "."); err != nil {
		return nil, err
	}
	info, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	return fsys.OpenFolder(parent, name, info)
}
