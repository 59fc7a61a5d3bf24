package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"chatvault/vault/failure"
	"chatvault/vault/journal"
)

// reversal is the undo of a change. It is a change of its own, derived from the current state.
type reversal struct {
	vault   *workTree
	turns   []journal.Turn  // all turns, newest first
	turn    *journal.Turn   // the turn of back
	back    *journal.Change // the change to undo
	change  journal.Change  // the record of the reversal
	keep    map[string][]byte
	refused []Refusal
	left    map[string]bool        // the paths in refused
	final   []Refusal              // refusals that another attempt cannot resolve
	lines   []Refusal              // additional lines for the user
	modes   map[string]fs.FileMode // of recreated folders
	makes   map[string]bool        // the set of change.Folders
	gone    map[string]bool        // paths that it removes
	first   []func(context.Context) error
	writes  []func(context.Context) error // independent of each other
	trash   bool                          // move change.Path to the trash
	redone  []Rewrite                     // what it writes, for WatchOwn
}

// reverse derives the undo of a change. The caller must hold the change lock.
func (v *workTree) reverse(ctx context.Context, turns []journal.Turn, t *journal.Turn, c *journal.Change) (*reversal, error) {
	r := &reversal{
		vault: v, turns: turns, turn: t, back: c, keep: map[string][]byte{}, modes: map[string]fs.FileMode{}, makes: map[string]bool{}, gone: map[string]bool{}, left: map[string]bool{},
		change: journal.Change{Path: c.Path, Undoes: &journal.Undoes{Seq: c.Seq, Again: t.Source == sourceUndo}},
	}
	if c.Op != "overwrite" && (r.private(c.Path) || c.Op == "move" && r.private(c.NewPath)) { // several files are checked one by one
		r.refusePrivate()
		r.change.Op = "none"
		return r, nil
	}
	for _, f := range slices.Concat(c.Gone, c.Tree) {
		r.modes[f.Path] = fs.FileMode(f.Mode)
	}
	var err error
	switch c.Op {
	case "create":
		err = r.takeAway(ctx)
	case "overwrite":
		err = r.writeBack(ctx)
	case "move":
		err = r.moveBack(ctx)
	case "delete", "remove":
		err = r.bringBack(ctx)
	case "restore":
		if c.From != "" {
			err = r.deleteAgain(ctx)
		} else {
			err = r.takeAway(ctx)
		}
	case "mkdir":
		err = r.removeFolder(ctx)
	case "rmdir":
		err = r.makeFolderAgain(ctx)
	}
	if err != nil {
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

// hasEffect reports whether there is anything to do.
func (r *reversal) hasEffect() bool { return r.change.Op != "none" }

// plan returns the plan of the reversal. It is empty if everything is refused. If everything already has its old
// state, that is recorded.
func (r *reversal) plan(ctx context.Context) *plan {
	if !r.hasEffect() && len(r.refused) > 0 {
		return &plan{}
	}
	change := Change{
		Op: r.change.Op, Path: r.change.Path, NewPath: r.change.NewPath, Folders: slices.Clone(r.change.Folders),
		Rewrites: r.redone, reversal: r,
	}
	for _, f := range r.change.Gone {
		change.Folders = append(change.Folders, f.Path)
	}
	for i := range r.change.Files {
		if f := &r.change.Files[i]; f.Before == "" || f.After == "" {
			change.Rewrites = append(change.Rewrites, Rewrite{Path: f.Path, NewPath: f.Path})
		}
	}
	return &plan{change: change, do: func() (Change, error) {
		// It is not canceled once it has begun.
		ctx := context.WithoutCancel(ctx)
		if r.trash {
			return r.toTrash(ctx, change)
		}
		var made []string // only folders that it created itself
		for _, folder := range r.change.Folders {
			isNew, err := r.vault.makeFolder(ctx, folder, r.modes[folder])
			if err != nil {
				return change, err
			}
			if isNew {
				made = append(made, folder)
			}
		}
		for _, step := range r.first {
			if err := step(ctx); err != nil {
				return change, err
			}
		}
		if err := concurrently(len(r.writes), func(i int) error { return r.writes[i](ctx) }); err != nil {
			return change, err
		}
		for _, folder := range slices.Backward(made) {
			if mode := r.modes[folder]; mode != 0 && mode&0o700 != 0o700 {
				_ = r.vault.setMode(ctx, folder, mode) // optional
			}
		}
		r.vault.complete(ctx, &r.change)
		return change, r.vault.in.Flush(r.vault.files)
	}}
}

// toTrash deletes like OpDelete.
func (r *reversal) toTrash(ctx context.Context, change Change) (Change, error) {
	p, err := r.vault.findExact(ctx, change.Path, change.Path, refuseLinks)
	if err != nil {
		return change, err
	}
	defer p.close()
	if err := r.vault.checkNothingPrivate(ctx, p, change.Path, "deleted"); err != nil { // it appeared just now
		return change, err
	}
	return r.vault.toTrash(p, change, change.Path)
}

func (r *reversal) refuse(at, why string) { r.refuseAs(Refusal{Path: at, Why: why}) }

// refuseAs refuses a file, once.
func (r *reversal) refuseAs(no Refusal) {
	if !r.left[no.Path] {
		r.left[no.Path] = true
		r.refused = append(r.refused, no)
	}
}

// private reports whether a path is private now.
func (r *reversal) private(at string) bool { return r.vault.private.Has(at) }

// refusePrivate refuses something private without naming it.
func (r *reversal) refusePrivate() {
	r.refuse("", "What is private now is left unchanged. To undo it too, take it off the private list first.")
}

// holdsPrivate reports whether a folder to be moved or deleted contains private files, and refuses it if so.
func (r *reversal) holdsPrivate(ctx context.Context, at string) (bool, error) {
	if r.vault.private == nil {
		return false, nil
	}
	found, err := r.vault.holdsPrivate(ctx, at)
	if found {
		r.refusePrivate()
	}
	return found, err
}

// read examines a file to be changed.
func (r *reversal) read(ctx context.Context, at string) (fileState, error) {
	s, err := r.vault.look(ctx, at, readIt)
	if errors.Is(err, errSpecial) {
		return fileState{exists: true}, nil
	}
	return s, err
}

// object reads stored content; ok is false if it is missing and the file was refused.
func (r *reversal) object(f *journal.File, at string) (data []byte, ok bool, err error) {
	if f.Kept {
		data, err = r.vault.journal.Object(f.Before)
		if err == nil {
			return data, true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, false, err
		}
	}
	why := "were too large to keep (%d bytes)"
	if f.Kept {
		why = "are no longer in the journal (%d bytes)"
	}
	r.refuseAs(Refusal{Path: at, Why: fmt.Sprintf("The old contents of %s "+why+", so it is left unchanged.", failure.Quote(at), f.Size), Final: true})
	return nil, false, nil
}

// write plans new content for a file, with its modification time and the number of links changed in it. The file is
// at now, and at then when it is written.
func (r *reversal) write(s *fileState, now, then string, data []byte, modified time.Time, links int) {
	file := s.file(now)
	file.After, file.NewSize, file.Kept, file.Links = Hash(data), int64(len(data)), s.data != nil, links
	if then != now {
		file.NewPath = then
	}
	if file.Kept {
		r.keep[s.print] = s.data
	}
	r.change.Files = append(r.change.Files, file)
	r.redone = append(r.redone, Rewrite{Path: now, NewPath: then, Links: links, Before: s.data, After: data, Modified: s.time})
	print, mode := s.print, s.mode
	r.writes = append(r.writes, func(ctx context.Context) error { return r.vault.put(ctx, then, print, data, mode, modified) })
}

// writeBack undoes a write of one or several files.
func (r *reversal) writeBack(ctx context.Context) error {
	for i := range r.back.Files {
		f := &r.back.Files[i]
		if err := r.rewrite(ctx, f, f.Path, f.Path, nil); err != nil {
			return err
		}
	}
	if len(r.writes) > 0 {
		r.change.Op, r.change.Path = "overwrite", r.change.Files[0].Path
	}
	return nil
}

// rewrite plans the restoration of a file's content before the change. The file is at now, and at then when it is
// written. If the file was written or removed since, it is refused, except in the undo of a move, where l updates the
// links instead.
func (r *reversal) rewrite(ctx context.Context, f *journal.File, now, then string, l *relinking) error {
	if r.private(now) || r.private(then) {
		r.refusePrivate()
		return nil
	}
	s, err := r.read(ctx, now)
	switch {
	case err != nil:
		return err
	case s.matches(f.Before):
		return nil
	case l != nil && !s.matches(f.After):
		return l.put(ctx, now, then)
	case !s.exists:
		r.refuseGone(now, "restored")
		return nil
	case !s.matches(f.After):
		r.refuseChanged(now)
		return nil
	}
	data, ok, err := r.object(f, now)
	if ok {
		r.write(&s, now, then, data, f.Modified, f.Links)
	}
	return err
}

// moveBack undoes a move with its link updates.
func (r *reversal) moveBack(ctx context.Context) error {
	c := r.back
	from, err := r.vault.look(ctx, c.NewPath, statIt)
	if err != nil {
		return err
	}
	to, err := r.vault.look(ctx, c.Path, statIt)
	if err != nil {
		return err
	}
	if from.exists && to.exists && r.vault.respelled(ctx, c) {
		to.exists = r.vault.spelled(ctx, c.Path)
	}
	moves := from.exists && !to.exists
	if moves && from.folder {
		if found, err := r.holdsPrivate(ctx, c.NewPath); found || err != nil {
			return err
		}
	}
	switch {
	case !from.exists && to.exists: // it is back already
	case !from.exists:
		r.refuseGone(c.NewPath, "moved back to "+failure.Quote(c.Path))
		return nil
	case to.exists:
		r.refuse(c.NewPath, fmt.Sprintf("Something else is now at %s, so %s is left where it is. Move one of them out of the way and try again.", failure.Quote(c.Path), failure.Quote(c.NewPath)))
		return nil
	case from.folder != c.Folder, isLink(from.print):
		r.refuseChanged(c.NewPath)
		return nil
	case !c.Folder:
		if ok, err := r.asLeft(ctx); err != nil || !ok {
			return err
		}
	}
	var l *relinking
	if moves {
		if err := r.rename(ctx); err != nil {
			return err
		}
		if l, err = r.relink(ctx); err != nil {
			return err
		}
	}
	return r.moveFilesBack(ctx, l)
}

// moveFilesBack plans the changes of the moved files and of those whose links were updated. l is nil if the move
// itself is already undone.
func (r *reversal) moveFilesBack(ctx context.Context, l *relinking) error {
	c, moves := r.back, l != nil
	for i := range c.Files {
		f := &c.Files[i]
		now, then := f.At(), f.Path
		if !moves {
			now = then
		}
		if f.Path == c.Path && f.Before == f.After {
			if moves { // only its place changes
				r.change.Files = append(r.change.Files, journal.File{Path: now, NewPath: then, Before: f.After, After: f.Before, Mode: f.Mode, Size: f.NewSize, NewSize: f.Size})
			}
			continue
		}
		if err := r.rewrite(ctx, f, now, then, l); err != nil {
			return err
		}
	}
	if moves {
		return l.rest(ctx)
	}
	if len(r.writes) > 0 {
		r.change.Op, r.change.Path = "overwrite", r.change.Files[0].Path
	}
	return nil
}

// asLeft reports whether a moved file is unchanged since the move. If not, neither the file nor the links to it are
// moved back.
func (r *reversal) asLeft(ctx context.Context) (bool, error) {
	c := r.back
	i := slices.IndexFunc(c.Files, func(f journal.File) bool { return f.Path == c.Path })
	if i < 0 {
		return true, nil
	}
	s, err := r.vault.look(ctx, c.NewPath, hashIt)
	if err != nil || s.matches(c.Files[i].After) {
		return err == nil, err
	}
	stays := ""
	if len(c.Files) > 1 {
		stays = ", and so are the links to it"
	}
	r.refuse(c.NewPath, fmt.Sprintf("%s was changed since it was moved, so it is left where it is%s. To undo the move, move it to %s.", failure.Quote(c.NewPath), stays, failure.Quote(c.Path)))
	return false, nil
}

// rename plans the rename to the old name.
func (r *reversal) rename(ctx context.Context) error {
	c := r.back
	r.change.Op, r.change.Path, r.change.NewPath, r.change.Folder = "move", c.NewPath, c.Path, c.Folder
	if err := r.needFolders(ctx, c.Path); err != nil {
		return err
	}
	r.first = append(r.first, func(ctx context.Context) error { return r.vault.rename(ctx, c.NewPath, c.Path) })
	r.gone[c.NewPath] = true
	return r.leave(ctx, c.Folders)
}

// needFolders plans the creation of missing parent folders of a path.
func (r *reversal) needFolders(ctx context.Context, at string) error {
	var missing []string
	for folder := path.Dir(at); folder != "." && !r.makes[folder]; folder = path.Dir(folder) {
		s, err := r.vault.look(ctx, folder, statIt)
		if err != nil {
			return err
		}
		if s.exists && !s.folder {
			return failure.New(failure.KindNotFolder, at, "%s is a file now, not a folder, so %s cannot be in it.", failure.Quote(folder), failure.Quote(at))
		}
		if s.exists {
			break
		}
		missing = append(missing, folder)
	}
	for _, folder := range slices.Backward(missing) {
		r.needFolder(folder)
	}
	return nil
}

// see is look for what is to be restored: a folder that is to be created is empty.
func (r *reversal) see(ctx context.Context, at string, how lookDepth) (fileState, error) {
	if r.makes[path.Dir(at)] {
		return fileState{}, nil
	}
	return r.vault.look(ctx, at, how)
}

func (r *reversal) needFolder(folder string) {
	if !r.makes[folder] {
		r.makes[folder] = true
		r.change.Folders = append(r.change.Folders, folder)
	}
}

// leave plans the removal of folders created by the change, outermost first, if they contain only what is removed.
func (r *reversal) leave(ctx context.Context, folders []string) error {
	for _, folder := range slices.Backward(folders) {
		if r.private(folder) || !walkedPath(folder) {
			return nil
		}
		s, err := r.vault.look(ctx, folder, statIt)
		if err != nil {
			return err
		}
		if !s.exists || !s.folder {
			continue
		}
		empty, err := r.emptied(ctx, folder)
		if err != nil {
			return err
		}
		if !empty {
			return nil
		}
		r.gone[folder] = true
		r.change.Gone = append(r.change.Gone, journal.Folder{Path: folder, Mode: uint32(s.mode.Perm())})
	}
	return nil
}

// emptied reports whether a folder contains only what is removed.
func (r *reversal) emptied(ctx context.Context, folder string) (bool, error) {
	names, err := r.vault.names(ctx, folder)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		if !r.gone[path.Join(folder, name)] {
			return false, nil
		}
	}
	return true, nil
}
