package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"chatvault/internal/base/text"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// reversal is the undo of a change, as far as what it changed is unchanged since. It is a change of its own.
type reversal struct {
	description
	turns   []journal.Turn  // all turns, newest first
	turn    *journal.Turn   // the turn of the undone change
	of      *journal.Change // the undone change
	renames bool            // it is a move that is renamed back
	makes   map[string]bool // folders that it creates: change.Folders
	there   map[string]bool // folders that exist
	gone    map[string]bool // paths that it removes
	same    int             // number of files that have their old content
	made    int             // number of those that have their new content
	other   []string        // files that have neither
	refused []Refusal
}

// reverse derives the undo of a change. The caller must hold the change lock.
func (v *workTree) reverse(ctx context.Context, turns []journal.Turn, t *journal.Turn, c *journal.Change) (*reversal, error) {
	r := &reversal{turns: turns, turn: t, of: c, makes: map[string]bool{}, there: map[string]bool{".": true}, gone: map[string]bool{}}
	r.description = description{workTree: v, keep: map[string][]byte{}, change: journal.Change{
		Path: c.Path, Folder: c.Folder, Modes: map[string]uint32{}, Undoes: &journal.Undoes{Seq: c.Seq, Again: t.Source == sourceUndo},
	}}
	if err := r.derive(ctx); err != nil {
		return nil, err
	}
	for _, no := range r.refused {
		r.change.Undoes.Left = append(r.change.Undoes.Left, no.Path)
	}
	if r.change.Op == "" {
		r.change = journal.Change{Op: "none", Path: c.Path, Undoes: r.change.Undoes}
	}
	slices.SortStableFunc(r.change.Files, func(a, b journal.File) int { return strings.Compare(a.Path, b.Path) })
	return r, nil
}

func (r *reversal) derive(ctx context.Context) error {
	c := r.of
	if c.Op != "overwrite" && (r.private(c.Path) || c.Op == "move" && r.private(c.NewPath)) { // several files are checked one by one
		r.refusePrivate()
		return nil
	}
	if c.Op == "move" {
		if stop, err := r.moveBack(ctx); stop || err != nil {
			return err
		}
	}
	for _, f := range c.Gone {
		r.change.Modes[f.Path] = f.Mode
	}
	for _, f := range c.Gone {
		if _, err := r.needFolder(f.Path); err != nil {
			return err
		}
	}
	for i := range c.Files {
		if err := r.file(&c.Files[i]); err != nil {
			return err
		}
	}
	if err := r.leaveFolders(); err != nil {
		return err
	}
	r.classify()
	return nil
}

// classify sets what kind of change the reversal is.
func (r *reversal) classify() {
	c, w := r.of, &r.change
	idle := len(w.Files)+len(w.Folders)+len(w.Gone) == 0
	switch {
	case r.renames:
		w.Op, w.Path, w.NewPath = "move", c.NewPath, c.Path
	case idle:
	case c.Op == "mkdir":
		w.Op = "rmdir"
	case c.Op == "rmdir":
		w.Op = "mkdir"
	case c.Op == "create" || c.Op == "restore":
		w.Op = "remove"
	case c.Op == "delete" || c.Op == "remove":
		w.Op = "restore"
		if c.Folder {
			w.More = c.More + len(c.Files) - len(w.Files) - r.same
		}
	default:
		w.Op = "overwrite"
		if len(w.Files) > 0 && !slices.ContainsFunc(w.Files, func(f journal.File) bool { return f.Path == w.Path }) {
			w.Path = w.Files[0].Path
		}
	}
	if c.Op == "delete" && c.More > 0 {
		r.refuse(Refusal{Path: c.Path, Why: fmt.Sprintf("%s had %s that the journal did not keep.%s", vaulterr.Quote(c.Path), text.Count(c.More, "more file"), r.inTrash())})
	}
}

// moveBack plans the rename to the old name, unless it was already renamed. stop reports whether nothing can be undone.
func (r *reversal) moveBack(ctx context.Context) (stop bool, err error) {
	c := r.of
	from, err := r.look(c.NewPath, statIt)
	if err != nil {
		return true, err
	}
	to, err := r.look(c.Path, statIt)
	if err != nil {
		return true, err
	}
	if from.exists && to.exists && respelled(c) {
		to.exists = r.spelled(c.Path)
	}
	if r.recovering && (to.exists || !from.exists) { // a file of the new name may be another one
		r.same++
		return false, nil
	}
	r.made++
	if from.exists && from.folder && r.finder.Private != nil {
		if found, err := r.holdsPrivate(ctx, c.NewPath); found || err != nil {
			r.refusePrivate()
			return true, err
		}
	}
	switch {
	case !from.exists && to.exists: // it is back already
		return false, nil
	case !from.exists:
		r.refuseChanged(c.NewPath, &from)
		return true, nil
	case to.exists:
		r.refuseAt(c.NewPath, "Something else is now at %s, so %s is left where it is. Move one of them out of the way and try again.", vaulterr.Quote(c.Path), vaulterr.Quote(c.NewPath))
		return true, nil
	case from.folder != c.Folder, isLink(from.print):
		r.refuseChanged(c.NewPath, &from)
		return true, nil
	}
	if i := slices.IndexFunc(c.Files, func(f journal.File) bool { return f.Path == c.Path }); i >= 0 && !r.recovering {
		s, err := r.look(c.NewPath, hashIt)
		if err != nil {
			return true, err
		}
		if !s.is(c.Files[i].After) {
			r.refuseAt(c.NewPath, "%s was changed since it was moved, so it is left where it is, and so are the links to it. To undo the move, move it to %s.", vaulterr.Quote(c.NewPath), vaulterr.Quote(c.Path))
			return true, nil
		}
	}
	r.renames, r.gone[c.NewPath] = true, true
	ok, err := r.needFolder(path.Dir(c.Path))
	if !ok {
		r.other = append(r.other, c.Path)
	}
	return !ok, err
}

// file plans the restoration of a file's content, or its removal if it did not exist before.
func (r *reversal) file(f *journal.File) error {
	at := f.Path
	if r.renames && f.NewPath != "" {
		at = f.NewPath
	}
	if r.private(at) || r.private(f.Path) {
		r.refusePrivate()
		return nil
	}
	if f.Before == f.After { // only its place changes
		if r.renames {
			r.change.Files = append(r.change.Files, journal.File{Path: at, NewPath: f.Path, Before: f.After, After: f.Before, Mode: f.Mode, Size: f.NewSize, NewSize: f.Size})
		}
		return nil
	}
	s, err := r.now(at)
	switch {
	case err != nil:
		return err
	case s.is(f.Before):
		r.same++
		r.gone[at] = r.gone[at] || f.Before == ""
		return nil
	case !s.is(f.After) && r.restored(at):
		r.same++
		return nil
	case !s.is(f.After):
		r.other = append(r.other, at)
		r.refuseChanged(at, &s)
		return nil
	}
	r.made++
	if s.exists && s.data == nil && !isLink(s.print) {
		r.refuseAt(at, "%s is too large for the journal, so it is left unchanged. Change it by hand.", vaulterr.Quote(at))
		return nil
	}
	if f.Before != "" {
		if ok, err := r.restorable(f, at); !ok || err != nil {
			return err
		}
	}
	inverse := s.file(at)
	inverse.After, inverse.NewSize, inverse.Kept, inverse.Links = f.Before, f.Size, s.data != nil, f.Links
	inverse.NewMode, inverse.NewModified = f.Mode, f.Modified
	if f.Path != at {
		inverse.NewPath = f.Path
	}
	if inverse.Kept {
		r.keep[s.print] = s.data
	}
	r.gone[at] = r.gone[at] || f.Before == ""
	r.change.Files = append(r.change.Files, inverse)
	return nil
}

// restorable reports whether the old content of a file can be written; otherwise it is refused.
func (r *reversal) restorable(f *journal.File, at string) (bool, error) {
	if !isLink(f.Before) {
		_, err := r.History.journal.Content(f.Before)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if err != nil {
			why := "are no longer in the journal"
			if !f.Kept {
				why = "were too large for the journal"
			}
			r.refuse(Refusal{Path: at, Why: fmt.Sprintf("The old contents of %s %s (%d bytes), so it is left unchanged.%s", vaulterr.Quote(at), why, f.Size, r.inTrash())})
			return false, nil
		}
	}
	if r.renames && pathname.In(f.Path, r.of.Path) {
		return true, nil // its folder is renamed
	}
	return r.needFolder(path.Dir(f.Path))
}

// now examines a file to be changed. In a folder that is to be created, there is none.
func (r *reversal) now(at string) (fileState, error) {
	if r.makes[path.Dir(at)] {
		return fileState{}, nil
	}
	return r.look(at, readIt)
}

// look is workTree.look. In a recovery, something that cannot be examined exists with another content.
func (r *reversal) look(at string, how lookDepth) (fileState, error) {
	s, err := r.workTree.look(at, how)
	if errors.Is(err, errSpecial) || err != nil && r.recovering && !fsys.Scarce(err) {
		return fileState{exists: true}, nil
	}
	return s, err
}

// needFolder plans the creation of a folder and its parents if they do not exist. If something else is in its place,
// it is refused and ok is false.
func (r *reversal) needFolder(at string) (ok bool, err error) {
	if r.makes[at] || r.there[at] {
		return true, nil
	}
	if r.private(at) {
		r.refusePrivate()
		return false, nil
	}
	if ok, err := r.needFolder(path.Dir(at)); !ok {
		return false, err
	}
	s := fileState{}
	if !r.makes[path.Dir(at)] {
		if s, err = r.look(at, statIt); err != nil {
			return false, err
		}
	}
	switch {
	case s.folder:
		r.there[at] = true
	case s.exists:
		r.refuseAt(at, "Something else is now at %s and is left unchanged. Move it out of the way and try again.", vaulterr.Quote(at))
		return false, nil
	default:
		r.makes[at] = true
		r.change.Folders = append(r.change.Folders, at)
	}
	return true, nil
}

// leaveFolders plans the removal of the folders that the change created, if nothing else is in them.
func (r *reversal) leaveFolders() error {
	var there []journal.Folder
	names := map[string][]string{}                // in them
	for _, folder := range createdFolders(r.of) { // from the top, so that each is a step from an open one
		if r.private(folder) {
			continue
		}
		s, err := r.look(folder, statIt)
		if err == nil && s.folder {
			names[folder], err = r.names(folder)
			if r.recovering && err != nil && !fsys.Scarce(err) {
				continue
			}
			there = append(there, journal.Folder{Path: folder, Mode: uint32(s.mode.Perm())})
		}
		if err != nil {
			return err
		}
	}
	for _, f := range slices.Backward(there) {
		if slices.ContainsFunc(names[f.Path], func(name string) bool { return !r.gone[path.Join(f.Path, name)] }) {
			if r.of.Op == "mkdir" && f.Path == r.of.Path {
				r.refuseAt(f.Path, "The folder %s is not empty, so it stays. Move what is in it and try again.", vaulterr.Quote(f.Path))
			}
			continue
		}
		r.gone[f.Path] = true
		r.change.Gone = append(r.change.Gone, f)
	}
	slices.Reverse(r.change.Gone)
	return nil
}

// createdFolders returns the folders that a change creates, outermost first.
func createdFolders(c *journal.Change) []string {
	if c.Op == "mkdir" && !slices.Contains(c.Folders, c.Path) {
		return append(slices.Clone(c.Folders), c.Path)
	}
	return c.Folders
}

// inTrash returns a sentence on the place in the trash from which to restore by hand; "" if the change is no
// deletion.
func (r *reversal) inTrash() string {
	if r.of.Op != "delete" {
		return ""
	}
	where := "the trash"
	if r.of.NewPath != "" {
		where += " (" + r.of.NewPath + ")"
	}
	return " What was deleted is in " + where + ": restore it from there."
}

// private reports whether a path is private now.
func (r *reversal) private(at string) bool { return r.finder.Private.Has(at) }

// refuse leaves a file unchanged.
func (r *reversal) refuse(no Refusal) { r.refused = append(r.refused, no) }

func (r *reversal) refuseAt(at, why string, args ...any) {
	r.refuse(Refusal{Path: at, Why: fmt.Sprintf(why, args...)})
}

// refusePrivate leaves something private unchanged without naming it.
func (r *reversal) refusePrivate() {
	r.refuse(Refusal{Why: "What is private now is left unchanged. To undo it too, take it off the private list first."})
}

// refuseChanged leaves a file unchanged that was changed, moved or deleted since.
func (r *reversal) refuseChanged(at string, s *fileState) {
	if !s.exists {
		r.refuseAt(at, "%s no longer exists. If a later turn moved or deleted it, undo that turn first; otherwise restore it under this name and try again.", vaulterr.Quote(at))
		return
	}
	r.refuseAt(at, "%s was changed since, so it is left unchanged. Look at it with: chatvault changes --diff %s, and restore by hand what you need.", vaulterr.Quote(at), r.turn.Turn)
}

// restored reports whether a file was restored by an earlier undo of the same change, which left others.
func (r *reversal) restored(at string) bool {
	return slices.ContainsFunc(r.turns, func(t journal.Turn) bool {
		return slices.ContainsFunc(t.Changes, func(c journal.Change) bool {
			return c.Undoes != nil && c.Undoes.Seq == r.of.Seq && c.State == journal.Done && !c.Undone &&
				slices.ContainsFunc(c.Files, func(f journal.File) bool { return f.Path == at })
		})
	})
}
