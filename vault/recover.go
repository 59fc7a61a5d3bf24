package vault

import (
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"chatvault/internal/base/atomicfile"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// Recover determines the outcome of a change that was cut off because its process was killed or the machine lost
// power: it was completed, it did not begin, or a partial change is undone with the content in the journal. It is
// called in the background at the start; every change calls it first too.
func (h *History) Recover(ctx context.Context) error {
	if h.journal == nil {
		return nil
	}
	if _, cut, err := h.journal.Pending(); err != nil || !cut {
		return err
	}
	unlock, err := h.vault.lock(ctx)
	if err == nil {
		unlock()
	}
	return err
}

// recoverPending is Recover for a caller that holds the change lock.
func (v *Vault) recoverPending(ctx context.Context) error {
	if v.History.journal == nil {
		return nil
	}
	p, cut, err := v.History.journal.Pending()
	if err == nil && cut {
		p.Change.Reason = "the program ended halfway"
		err = v.settle(context.WithoutCancel(ctx), p, true)
	}
	if err != nil {
		return vaulterr.New(vaulterr.KindOther, ".", "Nothing was changed, because the outcome of a change that was cut off is unknown: %v.", vaulterr.Plain(err)).Because(err)
	}
	return nil
}

// settle determines the outcome of a change that was cut off or failed from the current state of its files, undoes a
// partial change, and records the outcome.
func (v *Vault) settle(ctx context.Context, p journal.Pending, cut bool) error {
	c := &p.Change
	barred, err := v.barred(ctx, c)
	if err != nil {
		return err
	}
	if barred {
		return v.History.journal.SetPendingAside(p, "names what is private now")
	}
	g := v.workTreeFor(c)
	g.recovering = true
	defer g.close()
	if cut {
		g.sweepAfter(c)
	}
	what := c.Did()
	f := g.outcome(c)
	if f.err != nil {
		return f.err // tried again before the next change
	}
	back := f.old && f.new
	if back || f.old && len(f.other) == 0 {
		if err := g.apply(f.undo(c), v.History.journal.Content); err != nil && !isObstacle(err) {
			return err
		}
		if f = g.outcome(c); f.err != nil {
			return f.err
		}
	}
	switch {
	case f.old && f.new, f.new && len(f.other) > 0, cut && len(f.other) > 0:
		c.State = journal.Unclear
		c.Reason = "it was cut off, and what is there now is neither the old nor the new state"
		look := f.other
		if len(look) == 0 {
			look = []string{c.Path}
		}
		v.History.journal.Warn("A change was cut off halfway (" + what + ") and could not be undone completely, because files were changed since or were not kept: look at " + vaulterr.QuoteAll(look, 5) + ".")
	case f.new:
		c.State, c.Reason = journal.Done, ""
		if c.Op != "delete" { // a folder of that name is another one
			for _, gone := range slices.Backward(c.Gone) {
				g.removeEmpty(gone.Path)
			}
		}
	default:
		c.State = journal.Failed
		if back && cut {
			v.History.journal.Warn("A change that was cut off halfway was undone: " + what + ".")
		}
	}
	if err := g.in.Flush(v.files); err != nil {
		return err
	}
	return v.History.journal.End(p)
}

// sweepAfter removes the temporary files of a change that was cut off.
func (v *workTree) sweepAfter(c *journal.Change) {
	swept := map[string]bool{}
	for _, at := range changedNames(c) {
		if folder := path.Dir(at); !swept[folder] {
			swept[folder] = true
			_ = v.inFolder(folder, at, func(dir *os.Root) error {
				_, _ = atomicfile.SweepTemps(dir, ".") // remaining files are hidden and harmless
				return nil
			})
		}
	}
}

// changedNames returns the paths in the vault of everything that a change affects.
func changedNames(c *journal.Change) []string {
	names := append([]string{c.Path, c.NewPath}, c.Folders...)
	for _, f := range c.Gone {
		names = append(names, f.Path)
	}
	for i := range c.Files {
		names = append(names, c.Files[i].Path, c.Files[i].NewPath)
	}
	return slices.DeleteFunc(names, func(at string) bool { return at == "" || path.IsAbs(at) })
}

// outcome describes the state of the parts of a change.
type outcome struct {
	old, new bool           // some part has its old state; some part has its new state
	moved    bool           // what the change moves can be renamed back
	changed  []journal.File // the restoration of the files in their new state, where they are
	other    []string       // files in neither state
	err      error          // why the state of a part is unknown
}

func (f *outcome) add(old, now bool) {
	f.old, f.new = f.old || old && !now, f.new || now && !old
}

// missed records the error of a part whose state is unknown at the moment.
func (f *outcome) missed(err error) {
	if fsys.Scarce(err) {
		f.err = err
	}
}

// undo returns the change that restores the old state of what was changed.
func (f *outcome) undo(c *journal.Change) *journal.Change {
	back := &journal.Change{Op: "restore", Path: c.Path, Files: f.changed, Modes: map[string]uint32{}}
	if f.moved {
		back.Op, back.Path, back.NewPath = "move", c.NewPath, c.Path
	}
	for _, gone := range c.Gone {
		back.Folders, back.Modes[gone.Path] = append(back.Folders, gone.Path), gone.Mode
	}
	for _, made := range createdFolders(c) {
		back.Gone = append(back.Gone, journal.Folder{Path: made})
	}
	return back
}

// outcome examines every part of a change.
func (v *workTree) outcome(c *journal.Change) outcome {
	var f outcome
	look := func(at string) (s fileState, there bool) {
		s, err := v.look(at, statIt)
		f.missed(err)
		return s, err != nil || s.exists
	}
	there := func(at string) bool {
		_, ok := look(at)
		return ok
	}
	switch c.Op {
	case "mkdir":
		f.add(!there(c.Path), there(c.Path))
		return f
	case "delete", "rmdir":
		f.add(there(c.Path), !there(c.Path))
		return f
	case "move":
		from := there(c.Path)
		s, to := look(c.NewPath)
		if from && to && respelled(c) {
			from, to = v.spelled(c.Path), v.spelled(c.NewPath)
		}
		f.add(from || !to, to && !from) // a file of the new name may be another one
		f.moved = s.exists && to && !from && s.folder == c.Folder && !isLink(s.print)
	case "restore", "remove":
		if len(c.Files) == 0 { // empty, or contains only folders
			for _, folder := range c.Folders {
				f.add(!there(folder), there(folder))
			}
			for _, folder := range c.Gone {
				f.add(there(folder.Path), !there(folder.Path))
			}
		}
	}
	for i := range c.Files {
		v.fileOutcome(c, &c.Files[i], &f)
	}
	if !f.old && !f.new && len(f.other) == 0 { // the file already had the new content
		f.new = true
	}
	return f
}

// fileOutcome examines the content of one file of a change. Its place belongs to the move itself.
func (v *workTree) fileOutcome(c *journal.Change, file *journal.File, f *outcome) {
	at := file.Path
	if file.NewPath != "" && file.NewPath != file.Path {
		s, err := v.look(at, statIt)
		f.missed(err)
		if err == nil && !s.exists {
			at = file.NewPath
		}
	}
	s, err := v.look(at, hashIt)
	f.missed(err)
	was, is := s.is(file.Before), s.is(file.After)
	switch {
	case err != nil || !was && !is:
		if c.Op != "move" || file.Before != file.After { // a file that only moved may have been changed since
			f.other = append(f.other, at)
		}
		return
	case !was:
		f.changed = append(f.changed, journal.File{Path: at, Before: file.After, After: file.Before, NewMode: file.Mode, NewModified: file.Modified})
	}
	f.add(was, is)
}

// barred reports whether a change affects anything private, or moves a folder that contains it: recovery must not do
// what tools may not do now.
func (v *Vault) barred(ctx context.Context, c *journal.Change) (bool, error) {
	if v.finder.Private == nil || c.Op == "none" {
		return false, nil
	}
	named := slices.ContainsFunc(changedNames(c), v.finder.Private.Has)
	if named || c.Op != "move" {
		return named, nil
	}
	return v.holdsPrivate(ctx, c.NewPath)
}

// isObstacle reports whether an error is caused by the current files and would occur again.
func isObstacle(err error) bool {
	return fsys.Vanished(err) || slices.ContainsFunc([]vaulterr.Kind{vaulterr.KindNotFound, vaulterr.KindNotFolder, vaulterr.KindDenied, vaulterr.KindExists, vaulterr.KindChanged}, func(k vaulterr.Kind) bool { return errors.Is(err, k) })
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
