package vault

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"chatvault/internal/atomicfile"
	"chatvault/vault/failure"
	"chatvault/vault/fold"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
	"chatvault/vault/pathname"
)

// Recover finds out what became of a change that was cut off, when its process was killed or the
// machine lost power: it happened, or it did not, or, where only a part of it did, it is taken back
// with the bytes that the journal kept. It is called at the start, in the background; every change
// does it first, too.
func (v *Vault) Recover(ctx context.Context) error {
	if v.journal == nil {
		return nil
	}
	if _, cut, err := v.journal.Pending(); err != nil || !cut {
		return err
	}
	return v.settled(ctx, func() error { return nil })
}

// settle is Recover, with the change lock held.
func (v *Vault) settle(ctx context.Context) error {
	if v.journal == nil {
		return nil
	}
	p, cut, err := v.journal.Pending()
	if err == nil && cut {
		p.Change.Reason = "the program ended halfway"
		err = v.settlePending(context.WithoutCancel(ctx), p, true)
	}
	if err != nil {
		return failure.New(failure.KindOther, ".", "Nothing was changed, because the outcome of a change that was cut off is unknown: %v.", failure.Plain(err)).Because(err)
	}
	return nil
}

// settlePending finds out by what is there how a change went whose end nobody saw, because it was
// cut off or failed, takes back what is only a part of it, and records its end.
func (v *Vault) settlePending(ctx context.Context, p journal.Pending, cut bool) error {
	c := &p.Change
	barred, err := v.barred(ctx, c)
	if err != nil {
		return err
	}
	if barred {
		return v.journal.SetPendingAside("names what is private now")
	}
	g := v.groundOf(c)
	defer g.close()
	if cut {
		g.sweepAfter(ctx, c)
	}
	what := c.Did()
	f := g.outcome(ctx, c)
	back := false
	if f.mixed() {
		if err := g.rollBack(ctx, c); err != nil && !inTheWay(err) {
			return err // it is tried again before the next change
		}
		f = g.outcome(ctx, c)
		back = cut && f.old && !f.mixed()
	}
	if cut && f.old && !f.mixed() && c.Op == "move" {
		if err := g.lookFurther(ctx, c, &f); err != nil {
			return err
		}
	}
	switch {
	case f.mixed(), f.new && len(f.other) > 0, cut && len(f.other) > 0:
		c.State = journal.Unclear
		c.Reason = "it was cut off, and what is there now is neither the old nor the new state"
		look := failure.QuoteAll(append(f.other, c.Path)[:max(1, len(f.other))], 5)
		if back {
			v.journal.Warn("A change that was cut off halfway was undone (" + what + "), except what was changed since or was not kept: look at " + look + ".")
		} else {
			v.journal.Warn("A change was cut off halfway (" + what + ") and could not be undone, because its files were changed since or were not kept: look at " + look + ".")
		}
	case f.new:
		c.State, c.Reason = journal.Done, ""
		if c.Op == "restore" {
			g.closeFolders(ctx, c)
		}
		g.complete(ctx, c)
	default:
		c.State = journal.Failed
		g.unmake(ctx, c)
		if back {
			v.journal.Warn("A change that was cut off halfway was undone: " + what + ".")
		}
	}
	if err := g.in.Flush(v.files); err != nil {
		return err // it is tried again before the next change
	}
	return v.journal.End(p)
}

// lookFurther looks at what of a move that did not happen is neither as before nor as planned.
func (v *ground) lookFurther(ctx context.Context, c *journal.Change, f *outcome) error {
	if len(f.other) == 0 {
		return nil
	}
	other, err := v.reached(ctx, c, f.other)
	switch {
	case err == nil:
		f.other = other
	case !inTheWay(err):
		return err
	}
	return nil
}

// sweepAfter removes the temporary files that a change left which was cut.
func (v *ground) sweepAfter(ctx context.Context, c *journal.Change) {
	swept := map[string]bool{}
	sweep := func(at string) {
		folder := path.Dir(at)
		if at == "" || path.IsAbs(at) || swept[folder] {
			return
		}
		swept[folder] = true
		if dir, _, err := v.holder(ctx, at); err == nil {
			_, _ = atomicfile.SweepTemps(dir, ".") // what stays is hidden, and does no harm
			sweepCarried(dir)
			_ = dir.Close()
		}
	}
	sweep(c.Path)
	sweep(c.NewPath)
	for i := range c.Files {
		sweep(c.Files[i].Path)
		sweep(c.Files[i].NewPath)
	}
}

// outcome is how the parts of a change went.
type outcome struct {
	old, new bool     // some part is as before; some is as planned
	other    []string // is neither
}

func (f *outcome) mixed() bool { return f.old && f.new }

func (f *outcome) add(old, now bool) {
	switch {
	case old && !now:
		f.old = true
	case now && !old:
		f.new = true
	}
}

// outcome looks at every part of a change.
func (v *ground) outcome(ctx context.Context, c *journal.Change) outcome {
	var f outcome
	there := func(at string) bool {
		s, err := v.look(ctx, at, statIt)
		return err != nil || s.there
	}
	switch c.Op {
	case "mkdir":
		f.add(!there(c.Path), there(c.Path))
		return f
	case "delete":
		f.add(there(c.Path), !there(c.Path))
		return f
	case "move":
		from, to := there(c.Path), there(c.NewPath)
		if from && to && v.respelled(ctx, c) {
			from, to = v.spelled(ctx, c.Path), v.spelled(ctx, c.NewPath)
		}
		if from == to {
			f.other = append(f.other, c.Path)
		} else {
			f.add(from, to)
		}
	case "rmdir":
		for _, gone := range c.Gone {
			f.add(there(gone.Path), !there(gone.Path))
		}
	case "restore":
		if c.Folder && len(c.Files) == 0 { // an empty one, or nothing but folders
			for _, folder := range c.Tree {
				f.add(!there(folder.Path), there(folder.Path))
			}
		}
	}
	for i := range c.Files {
		v.fileOutcome(ctx, c, &c.Files[i], &f)
	}
	if !f.old && !f.new && len(f.other) == 0 { // what it wrote was there already
		f.new = true
	}
	return f
}

// fileOutcome looks at one file of a change. Whether it has its place is the move's own part.
func (v *ground) fileOutcome(ctx context.Context, c *journal.Change, file *journal.File, f *outcome) {
	at := file.Path
	if file.NewPath != "" && file.NewPath != file.Path {
		if s, err := v.look(ctx, at, statIt); err == nil && !s.there {
			at = file.NewPath
		}
	}
	s, err := v.look(ctx, at, hashIt)
	was := file.Before == "" && !s.there || s.holds(file.Before)
	is := file.After == "" && !s.there || s.holds(file.After)
	if err != nil || !was && !is {
		if c.Op != "move" || file.Before != file.After { // what was only moved may have been changed since
			f.other = append(f.other, at)
		}
		return
	}
	f.add(was, is)
}

// respelled says whether a move differs in case or normal form only.
func (v *ground) respelled(_ context.Context, c *journal.Change) bool {
	return path.Dir(c.Path) == path.Dir(c.NewPath) && fold.Name(path.Base(c.Path)) == fold.Name(path.Base(c.NewPath))
}

// spelled says whether a folder has a name exactly as it is spelled, also where the file system
// ignores case.
func (v *ground) spelled(ctx context.Context, at string) bool {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	names, err := fsys.ReadNames(dir)
	return err == nil && slices.Contains(names, name)
}

// rollBack makes of a change that happened in part one that did not happen.
func (v *ground) rollBack(ctx context.Context, c *journal.Change) error {
	for _, gone := range slices.Backward(c.Gone) {
		if _, err := v.makeFolder(ctx, gone.Path, fs.FileMode(gone.Mode)); err != nil {
			return err
		}
	}
	if c.Op == "move" {
		if err := v.moveBack(ctx, c); err != nil {
			return err
		}
	}
	if c.Op == "restore" && slices.ContainsFunc(c.Files, isInner) {
		if own, err := v.isAllOf(ctx, c); err != nil || !own {
			return err // what is hidden in a folder goes with it alone
		}
	}
	err := concurrently(len(c.Files), func(i int) error {
		f := &c.Files[i]
		if f.Before == f.After {
			return nil
		}
		s, err := v.look(ctx, f.Path, hashIt)
		switch {
		case err != nil:
			return err
		case f.After != "" && !s.holds(f.After), f.After == "" && s.there:
			return nil // as before, or changed by somebody else
		case f.Before == "" && journal.IsPrint(f.After) && !v.journal.Has(f.After):
			return nil // there is no other copy
		case f.Before == "":
			return butChanged(v.unlink(ctx, f.Path, f.After))
		}
		data, err := v.journal.Object(f.Before)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // nothing is left to put back: it is told as unclear
		}
		if err != nil {
			return err
		}
		return butChanged(v.put(ctx, f.Path, f.After, data, fs.FileMode(f.Mode), f.Modified))
	})
	if err != nil {
		return err
	}
	v.unmake(ctx, c)
	return nil
}

// butChanged is an error but that somebody changed a file in this moment.
func butChanged(err error) error {
	if errors.Is(err, failure.KindChanged) {
		return nil
	}
	return err
}

// complete does what is left of a change that happened, but for its last touches.
func (v *ground) complete(ctx context.Context, c *journal.Change) {
	for _, gone := range c.Gone {
		v.removeEmpty(ctx, gone.Path)
	}
}

// closeFolders takes from folders that a change made the permissions that they had not before it, where
// it was cut before it did so. It gives none: nobody knows that the change made them.
func (v *ground) closeFolders(ctx context.Context, c *journal.Change) {
	made := make(map[string]bool, len(c.Folders))
	for _, at := range c.Folders {
		made[at] = true
	}
	for _, f := range slices.Backward(c.Tree) {
		if !made[f.Path] {
			continue
		}
		s, err := v.look(ctx, f.Path, statIt)
		if mode := s.mode & (fs.FileMode(f.Mode) | 0o700); err == nil && s.folder && mode != s.mode.Perm() {
			_ = v.setMode(ctx, f.Path, mode) // it can be used as it is
		}
	}
}

// moveBack gives what was moved its old name, whatever is in it now.
func (v *ground) moveBack(ctx context.Context, c *journal.Change) error {
	from, err := v.look(ctx, c.Path, statIt)
	if err != nil {
		return err
	}
	to, err := v.look(ctx, c.NewPath, statIt)
	if err != nil {
		return err
	}
	if from.there && to.there && v.respelled(ctx, c) {
		from.there = v.spelled(ctx, c.Path)
	}
	if from.there || !to.there || to.folder != c.Folder || isLink(to.print) {
		return nil
	}
	return v.rename(ctx, c.NewPath, c.Path)
}

// unmake removes the folders that a change which did not happen made for itself, where they are
// empty.
func (v *ground) unmake(ctx context.Context, c *journal.Change) {
	seen := map[string]bool{}
	remove := func(at string) {
		if !seen[at] {
			seen[at] = true
			v.removeEmpty(ctx, at)
		}
	}
	if c.Op == "restore" {
		for _, f := range slices.Backward(c.Tree) {
			remove(f.Path)
		}
	}
	for _, at := range slices.Backward(c.Folders) {
		remove(at)
	}
}

// barred says whether a change is of anything private, or moves a folder that holds such: what tools
// could not do now is not done for what the journal says that they did.
func (v *Vault) barred(ctx context.Context, c *journal.Change) (bool, error) {
	if v.private == nil || c.Op == "none" {
		return false, nil
	}
	named := v.private.Has(c.Path) || c.Op == "move" && v.private.Has(c.NewPath) || slices.ContainsFunc(c.Folders, v.private.Has) ||
		slices.ContainsFunc(slices.Concat(c.Gone, c.Tree), func(f journal.Folder) bool { return v.private.Has(f.Path) }) ||
		slices.ContainsFunc(c.Files, func(f journal.File) bool { return v.private.Has(f.Path) || f.NewPath != "" && v.private.Has(f.NewPath) })
	if named || c.Op != "move" {
		return named, nil
	}
	return v.holdsPrivate(ctx, c.NewPath)
}

// inTheWay says of an error whether it comes from what is there, and would come again.
func inTheWay(err error) bool {
	return fsys.Vanished(err) || errors.Is(err, failure.KindNotFound) || errors.Is(err, failure.KindNotFolder) || errors.Is(err, failure.KindDenied) || errors.Is(err, failure.KindExists)
}

// walkedPath says whether a path may come from a walk of the vault: it is clean, stays inside, and
// nothing in it is protected. Names that nobody may spell to an operation, such as one with a
// backslash, are a vault's own where its file system has them.
func walkedPath(at string) bool {
	for name := range strings.SplitSeq(at, "/") {
		if !plainName(name) || pathname.Protected(name) {
			return false
		}
	}
	return true
}

// maxConcurrent bounds what is written at the same time.
const maxConcurrent = 8

// concurrently calls do for 0 to n-1, several at a time, and returns the errors joined.
func concurrently(n int, do func(i int) error) error {
	return errors.Join(fsys.InParallel(n, maxConcurrent, do)...)
}
