package vault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"chatvault/internal/base/text"
	"chatvault/vault/journal"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// reversal is the undo of a change, as far as what it changed is unchanged since. It is a change of its own.
type reversal struct {
	vault   *workTree
	turns   []journal.Turn    // all turns, newest first
	turn    *journal.Turn     // the turn of back
	back    journal.Change    // the change, with the files that are put back
	files   []journal.File    // all its files
	record  journal.Change    // the record of the reversal; Op is "" if there is nothing to do
	keep    map[string][]byte // what it replaces, by hash
	modes   map[string]uint32 // of the folders that the change removed
	makes   map[string]bool   // folders that it creates: record.Folders
	there   map[string]bool   // folders that exist
	gone    map[string]bool   // paths that it removes
	same    int               // number of files that have their old content
	refused []Refusal
}

// reverse derives the undo of a change. The caller must hold the change lock.
func (v *workTree) reverse(ctx context.Context, turns []journal.Turn, t *journal.Turn, c *journal.Change) (*reversal, error) {
	r := &reversal{
		vault: v, turns: turns, turn: t, back: *c, files: c.Files, keep: map[string][]byte{}, modes: map[string]uint32{},
		makes: map[string]bool{}, there: map[string]bool{".": true}, gone: map[string]bool{},
		record: journal.Change{Path: c.Path, Folder: c.Folder, Undoes: &journal.Undoes{Seq: c.Seq, Again: t.Source == sourceUndo}},
	}
	r.back.Files = nil
	err := r.derive(ctx)
	if err != nil {
		return nil, err
	}
	for _, no := range r.refused {
		r.record.Undoes.Left = append(r.record.Undoes.Left, no.Path)
	}
	if r.record.Op == "" {
		r.record = journal.Change{Op: "none", Path: c.Path, Undoes: r.record.Undoes}
	}
	slices.SortStableFunc(r.record.Files, func(a, b journal.File) int { return strings.Compare(a.Path, b.Path) })
	return r, nil
}

func (r *reversal) derive(ctx context.Context) error {
	c := &r.back
	if c.Op != "overwrite" && (r.private(c.Path) || c.Op == "move" && r.private(c.NewPath)) { // several files are checked one by one
		r.refusePrivate()
		return nil
	}
	moves := c.Op == "move"
	if moves {
		stop, err := r.moveBack(ctx)
		if stop || err != nil {
			return err
		}
		moves = r.back.Op == "move"
	}
	for _, f := range c.Gone {
		r.modes[f.Path] = f.Mode
	}
	for _, f := range c.Gone {
		if _, err := r.needFolder(ctx, f.Path); err != nil {
			return err
		}
	}
	for i := range r.files {
		if err := r.file(ctx, &r.files[i], moves); err != nil {
			return err
		}
	}
	if err := r.leaveFolders(ctx); err != nil {
		return err
	}
	r.classify()
	return nil
}

// classify sets what kind of change the reversal is.
func (r *reversal) classify() {
	c, w := &r.back, &r.record
	idle := len(w.Files)+len(w.Folders)+len(w.Gone) == 0
	switch {
	case c.Op == "move":
		w.Op, w.Path, w.NewPath = "move", c.NewPath, c.Path
	case c.Op == "mkdir" && r.gone[c.Path]:
		w.Op = "rmdir"
	case idle || c.Op == "mkdir":
	case c.Op == "rmdir":
		w.Op = "mkdir"
	case c.Op == "create" || c.Op == "restore":
		w.Op = "remove"
	case c.Op == "delete" || c.Op == "remove":
		w.Op = "restore"
		if c.Folder {
			w.More = c.More + len(r.files) - len(w.Files) - r.same
		}
	case len(w.Files) > 0:
		w.Op, w.Path = "overwrite", w.Files[0].Path
	}
	if c.Op == "delete" && c.More > 0 {
		r.refuse(Refusal{Path: c.Path, Final: true, Why: fmt.Sprintf("%s had %s that the journal did not keep.%s", vaulterr.Quote(c.Path), text.Count(c.More, "more file"), r.inTrash())})
	}
}

// moveBack plans the rename to the old name. If it was already renamed, back is a write of several files. stop
// reports whether nothing can be undone.
func (r *reversal) moveBack(ctx context.Context) (stop bool, err error) {
	c := &r.back
	from, err := r.vault.look(ctx, c.NewPath, statIt)
	if err != nil {
		return true, err
	}
	to, err := r.vault.look(ctx, c.Path, statIt)
	if err != nil {
		return true, err
	}
	if from.exists && to.exists && respelled(c) {
		to.exists = r.vault.spelled(ctx, c.Path)
	}
	if from.exists && from.folder && r.vault.finder.Private != nil {
		if found, err := r.vault.holdsPrivate(ctx, c.NewPath); found || err != nil {
			r.refusePrivate()
			return true, err
		}
	}
	switch {
	case !from.exists && to.exists: // it is back already
		c.Op = "overwrite"
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
	if i := slices.IndexFunc(r.files, func(f journal.File) bool { return f.Path == c.Path }); i >= 0 {
		s, err := r.vault.look(ctx, c.NewPath, hashIt)
		if err != nil {
			return true, err
		}
		if !s.is(r.files[i].After) {
			r.refuseAt(c.NewPath, "%s was changed since it was moved, so it is left where it is, and so are the links to it. To undo the move, move it to %s.", vaulterr.Quote(c.NewPath), vaulterr.Quote(c.Path))
			return true, nil
		}
	}
	r.gone[c.NewPath] = true
	ok, err := r.needFolder(ctx, path.Dir(c.Path))
	return !ok, err
}

// file plans the restoration of a file's content, or its removal if it did not exist before. moves is set if the file
// may be below a name that is renamed.
func (r *reversal) file(ctx context.Context, f *journal.File, moves bool) error {
	at := f.Path
	if moves && f.NewPath != "" {
		at = f.NewPath
	}
	if r.private(at) || r.private(f.Path) {
		r.refusePrivate()
		return nil
	}
	if f.Before == f.After { // only its place changes
		if moves {
			r.record.Files = append(r.record.Files, journal.File{Path: at, NewPath: f.Path, Before: f.After, After: f.Before, Mode: f.Mode, Size: f.NewSize, NewSize: f.Size})
		}
		return nil
	}
	s, err := r.look(ctx, at)
	switch {
	case err != nil:
		return err
	case s.is(f.Before):
		r.same++
		r.gone[at] = r.gone[at] || f.Before == ""
		return nil
	case !s.is(f.After):
		r.refuseChanged(at, &s)
		return nil
	case s.exists && s.data == nil && !isLink(s.print):
		r.refuseAt(at, "%s is too large for the journal, so it is left unchanged. Change it by hand.", vaulterr.Quote(at))
		return nil
	}
	if f.Before != "" {
		if ok, err := r.restorable(ctx, f, at); !ok || err != nil {
			return err
		}
	}
	inverse := s.file(at)
	inverse.After, inverse.NewSize, inverse.Kept, inverse.Links = f.Before, f.Size, s.data != nil, f.Links
	if f.Path != at {
		inverse.NewPath = f.Path
	}
	if inverse.Kept {
		r.keep[s.print] = s.data
	}
	r.gone[at] = r.gone[at] || f.Before == ""
	r.record.Files = append(r.record.Files, inverse)
	r.back.Files = append(r.back.Files, *f)
	return nil
}

// restorable reports whether the old content of a file can be written; otherwise it is refused.
func (r *reversal) restorable(ctx context.Context, f *journal.File, at string) (bool, error) {
	if !isLink(f.Before) {
		_, err := r.vault.History.journal.Content(f.Before)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		if err != nil {
			why := "are no longer in the journal"
			if !f.Kept {
				why = "were too large for the journal"
			}
			r.refuse(Refusal{Path: at, Final: true, Why: fmt.Sprintf("The old contents of %s %s (%d bytes), so it is left unchanged.%s", vaulterr.Quote(at), why, f.Size, r.inTrash())})
			return false, nil
		}
	}
	if r.back.Op == "move" && pathname.In(f.Path, r.back.Path) {
		return true, nil // its folder is renamed
	}
	return r.needFolder(ctx, path.Dir(f.Path))
}

// look examines a file to be changed. In a folder that is to be created, there is none.
func (r *reversal) look(ctx context.Context, at string) (fileState, error) {
	if r.makes[path.Dir(at)] {
		return fileState{}, nil
	}
	s, err := r.vault.look(ctx, at, readIt)
	if errors.Is(err, errSpecial) {
		return fileState{exists: true}, nil
	}
	return s, err
}

// needFolder plans the creation of a folder and its parents if they do not exist. If something else is in its place,
// it is refused and ok is false.
func (r *reversal) needFolder(ctx context.Context, at string) (ok bool, err error) {
	if r.makes[at] || r.there[at] {
		return true, nil
	}
	if r.private(at) {
		r.refusePrivate()
		return false, nil
	}
	if ok, err := r.needFolder(ctx, path.Dir(at)); !ok {
		return false, err
	}
	s := fileState{}
	if !r.makes[path.Dir(at)] {
		if s, err = r.vault.look(ctx, at, statIt); err != nil {
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
		r.record.Folders = append(r.record.Folders, at)
	}
	return true, nil
}

// leaveFolders plans the removal of the folders that the change created, if nothing else is in them.
func (r *reversal) leaveFolders(ctx context.Context) error {
	for _, folder := range slices.Backward(createdFolders(&r.back)) {
		if r.private(folder) {
			continue
		}
		s, err := r.vault.look(ctx, folder, statIt)
		if err != nil {
			return err
		}
		if !s.folder {
			continue
		}
		names, err := r.vault.names(ctx, folder)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(names, func(name string) bool { return !r.gone[path.Join(folder, name)] }) {
			if r.back.Op == "mkdir" && folder == r.back.Path {
				r.refuseAt(folder, "The folder %s is not empty, so it stays. Move what is in it and try again.", vaulterr.Quote(folder))
			}
			continue
		}
		r.gone[folder] = true
		r.record.Gone = append(r.record.Gone, journal.Folder{Path: folder, Mode: uint32(s.mode.Perm())})
	}
	slices.Reverse(r.record.Gone)
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
	if r.back.Op != "delete" {
		return ""
	}
	where := "the trash"
	if r.back.NewPath != "" {
		where += " (" + r.back.NewPath + ")"
	}
	return " What was deleted is in " + where + ": restore it from there."
}

// private reports whether a path is private now.
func (r *reversal) private(at string) bool { return r.vault.finder.Private.Has(at) }

// refuse leaves a file unchanged.
func (r *reversal) refuse(no Refusal) {
	if !slices.ContainsFunc(r.refused, func(o Refusal) bool { return o.Path == no.Path }) {
		r.refused = append(r.refused, no)
	}
}

func (r *reversal) refuseAt(at, why string, args ...any) {
	r.refuse(Refusal{Path: at, Why: fmt.Sprintf(why, args...)})
}

// refusePrivate leaves something private unchanged without naming it.
func (r *reversal) refusePrivate() {
	r.refuse(Refusal{Why: "What is private now is left unchanged. To undo it too, take it off the private list first."})
}

// refuseChanged leaves a file unchanged that was changed, moved or deleted since.
func (r *reversal) refuseChanged(at string, s *fileState) {
	switch turn := r.later(at); {
	case turn != "":
		r.refuseAt(at, "%s was changed, moved or deleted by a later turn, so it is left unchanged. Undo that turn first, with: chatvault undo %s", vaulterr.Quote(at), turn)
	case !s.exists:
		r.refuseAt(at, "%s no longer exists. If it was only moved or deleted, restore it under this name and try again.", vaulterr.Quote(at))
	default:
		r.refuseAt(at, "%s was changed since, so it is left unchanged. Look at it with: chatvault changes --diff %s, and restore by hand what you need.", vaulterr.Quote(at), r.turn.Turn)
	}
}

// later returns the last later turn that changed, moved or deleted a file and is not undone.
func (r *reversal) later(at string) string {
	for i := range r.turns { // newest first
		t := &r.turns[i]
		if t.Turn == r.turn.Turn || t.Source == sourceUndo || t.Source == sourceRedo {
			continue
		}
		for k := range t.Changes {
			c := &t.Changes[k]
			if c.State == journal.Done && !c.Undone && c.Time.After(r.back.Time) && affects(c, at) {
				return t.Turn
			}
		}
	}
	return ""
}

// affects reports whether a change wrote a file, or moved or deleted it with its folder.
func affects(c *journal.Change, at string) bool {
	rest, in := strings.CutPrefix(at, c.Path)
	return in && (rest == "" || c.Folder && rest[0] == '/') || slices.ContainsFunc(c.Files, func(f journal.File) bool { return f.Path == at })
}

// apply puts everything back. Once it has begun it is not canceled.
func (r *reversal) apply(*Vault) (Change, error) {
	err := r.vault.putBack(context.Background(), &r.back, r.record.Folders, r.modes)
	return r.planned(), err
}

func (*reversal) Close() {}

// planned describes the reversal as a change of the vault.
func (r *reversal) planned() Change {
	w := &r.record
	c := Change{Op: w.Op, Path: w.Path, NewPath: w.NewPath, Folders: slices.Clone(w.Folders), reversal: r}
	for _, f := range w.Gone {
		c.Folders = append(c.Folders, f.Path)
	}
	for i := range w.Files {
		f := &w.Files[i]
		c.Rewrites = append(c.Rewrites, Rewrite{Path: f.Path, NewPath: cmp.Or(f.NewPath, f.Path)})
	}
	return c
}
