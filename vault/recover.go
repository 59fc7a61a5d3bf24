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

// Recover determines the result of a change that was cut off because its process was killed or the machine lost
// power: it was completed, it did not begin, or a partial change is rolled back with the content in the journal. It
// is called in the background at the start; every change calls it first too.
func (v *Vault) Recover(ctx context.Context) error {
	if v.journal == nil {
		return nil
	}
	if _, cut, err := v.journal.Pending(); err != nil || !cut {
		return err
	}
	return v.withRecoveredLock(ctx, func() error { return nil })
}

// recoverPending is Recover for a caller that holds the change lock.
func (v *Vault) recoverPending(ctx context.Context) error {
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

// settlePending determines the result of a change that was cut off or failed from the current state of its files,
// rolls back a partial change, and records the end.
func (v *Vault) settlePending(ctx context.Context, p journal.Pending, cut bool) error {
	c := &p.Change
	barred, err := v.barred(ctx, c)
	if err != nil {
		return err
	}
	if barred {
		return v.journal.SetPendingAside("names what is private now")
	}
	g := v.workTreeFor(c)
	defer g.close()
	if cut {
		g.sweepAfter(ctx, c)
	}
	what := c.Did()
	f := g.outcome(ctx, c)
	back := false
	if f.mixed() {
		if err := g.rollBack(ctx, c); err != nil && !isObstacle(err) {
			return err // tried again before the next change
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
		return err // tried again before the next change
	}
	return v.journal.End(p)
}

// lookFurther examines the files of a move that was not performed that have neither their old nor their new content.
func (v *workTree) lookFurther(ctx context.Context, c *journal.Change, f *outcome) error {
	if len(f.other) == 0 {
		return nil
	}
	other, err := v.reached(ctx, c, f.other)
	switch {
	case err == nil:
		f.other = other
	case !isObstacle(err):
		return err
	}
	return nil
}

// sweepAfter removes the temporary files of a change that was cut off.
func (v *workTree) sweepAfter(ctx context.Context, c *journal.Change) {
	swept := map[string]bool{}
	sweep := func(at string) {
		folder := path.Dir(at)
		if at == "" || path.IsAbs(at) || swept[folder] {
			return
		}
		swept[folder] = true
		if dir, _, err := v.holder(ctx, at); err == nil {
			_, _ = atomicfile.SweepTemps(dir, ".") // remaining files are hidden and harmless
			sweepAcross(dir)
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

// outcome describes the state of the parts of a change.
type outcome struct {
	old, new bool     // some part has its old state; some part has its new state
	other    []string // files in neither state
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

// outcome examines every part of a change.
func (v *workTree) outcome(ctx context.Context, c *journal.Change) outcome {
	var f outcome
	there := func(at string) bool {
		s, err := v.look(ctx, at, statIt)
		return err != nil || s.exists
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
		if c.Folder && len(c.Files) == 0 { // empty, or contains only folders
			for _, folder := range c.Tree {
				f.add(!there(folder.Path), there(folder.Path))
			}
		}
	}
	for i := range c.Files {
		v.fileOutcome(ctx, c, &c.Files[i], &f)
	}
	if !f.old && !f.new && len(f.other) == 0 { // the file already had the new content
		f.new = true
	}
	return f
}

// fileOutcome examines the content of one file of a change. Its place belongs to the move itself.
func (v *workTree) fileOutcome(ctx context.Context, c *journal.Change, file *journal.File, f *outcome) {
	at := file.Path
	if file.NewPath != "" && file.NewPath != file.Path {
		if s, err := v.look(ctx, at, statIt); err == nil && !s.exists {
			at = file.NewPath
		}
	}
	s, err := v.look(ctx, at, hashIt)
	was := file.Before == "" && !s.exists || s.matches(file.Before)
	is := file.After == "" && !s.exists || s.matches(file.After)
	if err != nil || !was && !is {
		if c.Op != "move" || file.Before != file.After { // a file that only moved may have been changed since
			f.other = append(f.other, at)
		}
		return
	}
	f.add(was, is)
}

// respelled reports whether a move differs in case or normal form only.
func (v *workTree) respelled(_ context.Context, c *journal.Change) bool {
	return path.Dir(c.Path) == path.Dir(c.NewPath) && fold.Name(path.Base(c.Path)) == fold.Name(path.Base(c.NewPath))
}

// spelled reports whether a folder has a name in exactly this spelling, even if the file system ignores case.
func (v *workTree) spelled(ctx context.Context, at string) bool {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return false
	}
	defer func() { _ = dir.Close() }()
	names, err := fsys.ReadNames(dir)
	return err == nil && slices.Contains(names, name)
}

// rollBack undoes a partial change.
func (v *workTree) rollBack(ctx context.Context, c *journal.Change) error {
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
			return err // hidden files in a folder can be reached only together with it
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
		case f.After != "" && !s.matches(f.After), f.After == "" && s.exists:
			return nil // unchanged, or changed by others
		case f.Before == "" && journal.IsPrint(f.After) && !v.journal.Has(f.After):
			return nil // there is no other copy
		case f.Before == "":
			return ignoreChanged(v.unlink(ctx, f.Path, f.After))
		}
		data, err := v.journal.Object(f.Before)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // nothing to restore: the change is unclear
		}
		if err != nil {
			return err
		}
		return ignoreChanged(v.put(ctx, f.Path, f.After, data, fs.FileMode(f.Mode), f.Modified))
	})
	if err != nil {
		return err
	}
	v.unmake(ctx, c)
	return nil
}

// ignoreChanged returns err, or nil if a file was changed by others at the same time.
func ignoreChanged(err error) error {
	if errors.Is(err, failure.KindChanged) {
		return nil
	}
	return err
}

// complete performs the remaining steps of a completed change.
func (v *workTree) complete(ctx context.Context, c *journal.Change) {
	for _, gone := range c.Gone {
		v.removeEmpty(ctx, gone.Path)
	}
}

// closeFolders removes from new folders the permissions that they should not have, if the change was cut off before
// it did so. It adds none, because the folders may not be the change's.
func (v *workTree) closeFolders(ctx context.Context, c *journal.Change) {
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
			_ = v.setMode(ctx, f.Path, mode) // optional
		}
	}
}

// moveBack renames what was moved to its old name, whatever it contains now.
func (v *workTree) moveBack(ctx context.Context, c *journal.Change) error {
	from, err := v.look(ctx, c.Path, statIt)
	if err != nil {
		return err
	}
	to, err := v.look(ctx, c.NewPath, statIt)
	if err != nil {
		return err
	}
	if from.exists && to.exists && v.respelled(ctx, c) {
		from.exists = v.spelled(ctx, c.Path)
	}
	if from.exists || !to.exists || to.folder != c.Folder || isLink(to.print) {
		return nil
	}
	return v.rename(ctx, c.NewPath, c.Path)
}

// unmake removes the empty folders that a change created before it was rolled back.
func (v *workTree) unmake(ctx context.Context, c *journal.Change) {
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

// barred reports whether a change affects anything private, or moves a folder that contains it: recovery must not do
// what tools may not do now.
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

// isObstacle reports whether an error is caused by the current files and would occur again.
func isObstacle(err error) bool {
	return fsys.Vanished(err) || errors.Is(err, failure.KindNotFound) || errors.Is(err, failure.KindNotFolder) || errors.Is(err, failure.KindDenied) || errors.Is(err, failure.KindExists)
}

// walkedPath reports whether a path may come from a walk of the vault: it is clean, stays inside, and no component is
// protected. Names that no operation accepts, such as those with a backslash, can exist in the vault.
func walkedPath(at string) bool {
	for name := range strings.SplitSeq(at, "/") {
		if !plainName(name) || pathname.Protected(name) {
			return false
		}
	}
	return true
}

// maxConcurrent limits concurrent writes.
const maxConcurrent = 8

// concurrently calls do with 0 to n-1 concurrently and returns the joined errors.
func concurrently(n int, do func(i int) error) error {
	return errors.Join(fsys.InParallel(n, maxConcurrent, do)...)
}
