package vault

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"slices"

	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/text"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
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
		c.State, c.Reason = journal.Unclear, "it was cut off, and it names what is private now"
		v.History.journal.Warn("A change that was cut off was left as it is, because it names what is private now.")
		return v.History.journal.End(p)
	}
	g := v.workTreeFor(c)
	g.recovering = true
	defer g.close()
	if cut {
		g.sweepAfter(c)
	}
	what := c.Did()
	r, err := g.outcome(ctx, c)
	if err != nil {
		return err // tried again before the next change
	}
	back := r.same > 0 && r.made > 0
	if back || r.same > 0 && len(r.other) == 0 {
		if err := g.apply(&r.change, v.History.journal.Content); err != nil && !isObstacle(err) {
			return err
		}
		if r, err = g.outcome(ctx, c); err != nil {
			return err
		}
	}
	switch {
	case r.made > 0 && (r.same > 0 || len(r.other) > 0), cut && len(r.other) > 0:
		c.State = journal.Unclear
		c.Reason = "it was cut off, and what is there now is neither the old nor the new state"
		look := r.other
		if len(look) == 0 {
			look = []string{c.Path}
		}
		v.History.journal.Warn("A change was cut off halfway (" + what + ") and could not be undone completely, because files were changed since or were not kept: look at " + vaulterr.QuoteAll(look, 5) + ".")
	case r.made > 0 || r.same == 0 && len(r.other) == 0: // made, or the file had the new content before
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
	folders := text.Of(changedNames(c), path.Dir)
	slices.Sort(folders)
	for _, folder := range slices.Compact(folders) {
		_ = v.inFolder(folder, folder, func(dir *os.Root) error {
			_, _ = atomicfile.SweepTemps(dir, ".") // remaining files are hidden and harmless
			return nil
		})
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

// outcome returns the reversal of a change that was cut off or failed, with the number of its parts in their old and
// new states. The error means that the state of a part is unknown at the moment.
func (v *workTree) outcome(ctx context.Context, c *journal.Change) (r *reversal, err error) {
	count := func(at string, made bool) {
		s, unknown := r.look(at, statIt)
		err = cmp.Or(err, unknown)
		if s.exists == made {
			r.made++
		} else {
			r.same++
		}
	}
	if c.Op == "delete" || c.Op == "rmdir" { // one step
		r = &reversal{description: description{workTree: v}}
		count(c.Path, false)
		return r, err
	}
	r, err = v.reverse(ctx, nil, &journal.Turn{}, c)
	switch {
	case err != nil:
		return nil, err
	case c.Op == "mkdir":
		count(c.Path, true)
	case c.Op != "move" && len(c.Files) == 0: // only folders
		for _, folder := range c.Folders {
			count(folder, true)
		}
		for _, folder := range c.Gone {
			count(folder.Path, false)
		}
	}
	return r, err
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
	return fsys.Vanished(err) || slices.ContainsFunc([]vaulterr.Kind{vaulterr.KindNotFound, vaulterr.KindDenied, vaulterr.KindExists, vaulterr.KindChanged}, func(k vaulterr.Kind) bool { return errors.Is(err, k) })
}
