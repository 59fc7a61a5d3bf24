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

	"chatvault/internal/atomicfile"
	"chatvault/internal/text"
	"chatvault/vault/failure"
	"chatvault/vault/fsys"
	"chatvault/vault/journal"
	"chatvault/vault/pathname"
)

// takeAway undoes the creation of files. The journal stores their current content, so that they can be restored.
func (r *reversal) takeAway(ctx context.Context) error {
	c := r.back
	for i := range c.Files {
		f := &c.Files[i]
		if r.private(f.Path) {
			r.refusePrivate()
			continue
		}
		s, err := r.read(ctx, f.Path)
		switch {
		case err != nil:
			return err
		case !s.exists:
			r.gone[f.Path] = true
			continue
		case !s.matches(f.After):
			r.refuseChanged(f.Path)
			continue
		case isInner(*f):
			at := hiddenRoot(f.Path)
			r.refuse(at, fmt.Sprintf("%s is hidden or a link: it is removed only with its folder, so it is left unchanged.", failure.Quote(at)))
			continue
		case s.data == nil: // too large for the journal
			return r.intoTrash(ctx, c.Path)
		}
		r.removes(f.Path, &s)
	}
	folders := slices.Clone(c.Folders)
	for _, f := range c.Tree {
		if !slices.Contains(folders, f.Path) {
			folders = append(folders, f.Path)
		}
	}
	slices.Sort(folders) // parents before their subfolders
	if err := r.leaveAll(ctx, folders); err != nil {
		return err
	}
	if len(r.change.Files) > 0 || len(r.change.Gone) > 0 {
		r.change.Op, r.change.Folder = "remove", c.Folder
	}
	return nil
}

func isLink(print string) bool { return strings.HasPrefix(print, linkPrint) }

// isInner reports whether a file can be created or removed only together with its folder, because it is hidden in it
// or a link.
func isInner(f journal.File) bool { return isLink(f.Before+f.After) || !walkedPath(f.Path) }

// hiddenRoot returns the path up to its first hidden component, or the whole path if there is none.
func hiddenRoot(at string) string {
	for from := 0; ; {
		name, _, more := strings.Cut(at[from:], "/")
		from += len(name)
		if !more || pathname.Protected(name) {
			return at[:from]
		}
		from++
	}
}

// removes plans the removal of a file, which the journal stores.
func (r *reversal) removes(at string, s *fileState) {
	f := s.file(at)
	if f.Kept = s.data != nil; f.Kept {
		r.keep[s.print] = s.data
	}
	r.change.Files = append(r.change.Files, f)
	r.gone[at] = true
	print := s.print
	r.writes = append(r.writes, func(ctx context.Context) error { return r.vault.unlink(ctx, at, print) })
}

// leaveAll is leave for independent folders.
func (r *reversal) leaveAll(ctx context.Context, folders []string) error {
	for _, folder := range slices.Backward(folders) {
		if err := r.leave(ctx, []string{folder}); err != nil {
			return err
		}
	}
	return nil
}

// intoTrash plans the deletion of what is at a path.
func (r *reversal) intoTrash(ctx context.Context, at string) error {
	if found, err := r.holdsPrivate(ctx, at); found || err != nil {
		return err
	}
	d := &description{vault: r.vault, keep: map[string][]byte{}}
	if err := d.describe(ctx, Change{Op: "delete", Path: at}, nil); err != nil {
		return err
	}
	d.change.Undoes = r.change.Undoes
	r.change, r.keep, r.trash = d.change, d.keep, true
	r.writes, r.refused = nil, nil
	return nil
}

// deleteAgain undoes a restore.
func (r *reversal) deleteAgain(ctx context.Context) error {
	c := r.back
	now, err := r.vault.look(ctx, c.Path, statIt)
	if err != nil || !now.exists {
		return err
	}
	same := now.folder == c.Folder
	if same && c.Folder {
		same, err = r.vault.sameTree(ctx, c)
	} else if same {
		now, err = r.vault.look(ctx, c.Path, hashIt)
		same = err == nil && len(c.Files) == 1 && now.matches(c.Files[0].After)
	}
	switch {
	case err != nil:
		return err
	case same:
		return r.intoTrash(ctx, c.Path)
	case !c.Folder || !now.folder:
		r.refuseChanged(c.Path)
		return nil
	}
	return r.takeAway(ctx)
}

// bringBack undoes a deletion or removal.
func (r *reversal) bringBack(ctx context.Context) error {
	c := r.back
	if c.Op == "delete" {
		r.change.From = cmp.Or(c.NewPath, "trash")
	}
	r.change.Folder = c.Folder
	now, err := r.vault.look(ctx, c.Path, statIt)
	if err != nil {
		return err
	}
	return r.bringBackFiles(ctx, c.Op == "delete" && c.Folder && !now.exists)
}

// bringBackFiles plans the restoration of each missing file from the journal. whole is set if their folder does not
// exist.
func (r *reversal) bringBackFiles(ctx context.Context, whole bool) error {
	c := r.back
	for _, folder := range slices.Concat(c.Tree, sortedFolders(c.Gone)) {
		if err := r.bringBackFolder(ctx, folder, whole); err != nil {
			return err
		}
	}
	missing := c.More
	for i := range c.Files {
		back, err := r.bringBackFile(ctx, &c.Files[i], whole)
		if err != nil {
			return err
		}
		if !back {
			missing++
		}
	}
	if c.More > 0 {
		r.refuseAs(Refusal{Path: c.Path, Final: true, Why: fmt.Sprintf("%s had %s that the journal did not keep.%s", failure.Quote(c.Path), text.Count(c.More, "more file"), r.inTrash())})
	}
	if len(r.change.Files) > 0 || len(r.change.Folders) > 0 {
		r.change.Op = "restore"
		if c.Folder {
			r.change.Missing = missing
		}
	}
	return nil
}

// mayComeBack reports whether a private or hidden file may be restored separately. If not, it is refused.
func (r *reversal) mayComeBack(at string, link, whole bool) bool {
	inner := hiddenRoot(at)
	hidden := inner != at || pathname.Protected(path.Base(at))
	switch {
	case r.private(at):
		r.refusePrivate()
	case (hidden || link) && !whole:
		r.refuse(inner, fmt.Sprintf("%s is hidden or a link and is restored only with its whole folder. Move %s out of the way and try again.", failure.Quote(inner), failure.Quote(r.back.Path)))
	default:
		return true
	}
	return false
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

// bringBackFolder plans the restoration of a folder.
func (r *reversal) bringBackFolder(ctx context.Context, folder journal.Folder, whole bool) error {
	if !r.mayComeBack(folder.Path, false, whole) {
		return nil
	}
	if pathname.In(folder.Path, r.back.Path) && r.back.Folder {
		r.change.Tree = append(r.change.Tree, folder)
	}
	if r.makes[folder.Path] {
		return nil
	}
	s, err := r.see(ctx, folder.Path, statIt)
	switch {
	case err != nil:
		return err
	case s.exists && !s.folder:
		r.refuse(folder.Path, fmt.Sprintf("Something else is now at %s and is left unchanged. Move it out of the way and try again.", failure.Quote(folder.Path)))
		return nil
	case s.exists:
		return nil
	}
	may, err := r.mayNeedFolders(ctx, folder.Path)
	if may {
		r.needFolder(folder.Path)
	}
	return err
}

// mayNeedFolders is needFolders, but refuses the file at at if another file is in place of a folder.
func (r *reversal) mayNeedFolders(ctx context.Context, at string) (may bool, err error) {
	err = r.needFolders(ctx, at)
	if errors.Is(err, failure.KindNotFolder) {
		r.refuse(at, plainText(err))
		return false, nil
	}
	return err == nil, err
}

// sortedFolders returns folders with parents first.
func sortedFolders(folders []journal.Folder) []journal.Folder {
	return slices.SortedFunc(slices.Values(folders), func(a, b journal.Folder) int { return strings.Compare(a.Path, b.Path) })
}

// bringBackFile plans the restoration of one file; back reports whether it is restored.
func (r *reversal) bringBackFile(ctx context.Context, f *journal.File, whole bool) (back bool, err error) {
	if !r.mayComeBack(f.Path, isLink(f.Before), whole) {
		return false, nil
	}
	s, err := r.see(ctx, f.Path, hashIt)
	switch {
	case err != nil:
		return false, err
	case s.matches(f.Before):
		return true, nil
	case s.exists:
		r.refuse(f.Path, fmt.Sprintf("Something else is now at %s and is left unchanged. Move it out of the way and try again.", failure.Quote(f.Path)))
		return false, nil
	}
	write := r.fromJournal(f)
	if write == nil {
		r.refuse(f.Path, fmt.Sprintf("The contents of %s (%d bytes) are not in the journal, so it is not restored.%s", failure.Quote(f.Path), f.Size, r.inTrash()))
		return false, nil
	}
	if may, err := r.mayNeedFolders(ctx, f.Path); !may {
		return false, err
	}
	r.change.Files = append(r.change.Files, journal.File{Path: f.Path, After: f.Before, Mode: f.Mode, NewSize: f.Size, Modified: f.Modified})
	r.writes = append(r.writes, write)
	return true, nil
}

// fromJournal returns a function that restores a file from the journal. It returns nil if the journal does not have
// the content, or for a link that tools could not follow.
func (r *reversal) fromJournal(f *journal.File) func(context.Context) error {
	if isLink(f.Before) {
		target := strings.TrimPrefix(f.Before, linkPrint)
		to, err := linkTarget(target, path.Base(f.Path), f.Path, path.Dir(f.Path))
		if err != nil || r.private(to) {
			return nil
		}
		return func(ctx context.Context) error { return r.vault.link(ctx, f.Path, target) }
	}
	if !f.Kept {
		return nil
	}
	data, err := r.vault.journal.Object(f.Before)
	if err != nil {
		return nil
	}
	return func(ctx context.Context) error {
		return r.vault.put(ctx, f.Path, "", data, fs.FileMode(f.Mode), f.Modified)
	}
}

// removeFolder undoes the creation of a folder.
func (r *reversal) removeFolder(ctx context.Context) error {
	c := r.back
	s, err := r.vault.look(ctx, c.Path, statIt)
	if err != nil || !s.exists {
		return err
	}
	if !s.folder {
		r.refuseChanged(c.Path)
		return nil
	}
	if err := r.leave(ctx, append(slices.Clone(c.Folders), c.Path)); err != nil {
		return err
	}
	if len(r.change.Gone) == 0 {
		r.refuse(c.Path, fmt.Sprintf("The folder %s is not empty, so it stays. Move what is in it and try again.", failure.Quote(c.Path)))
		return nil
	}
	r.change.Op = "rmdir"
	return nil
}

// makeFolderAgain undoes the removal of a folder.
func (r *reversal) makeFolderAgain(ctx context.Context) error {
	c := r.back
	s, err := r.vault.look(ctx, c.Path, statIt)
	if err != nil {
		return err
	}
	if s.exists {
		if !s.folder {
			r.refuse(c.Path, fmt.Sprintf("A file is now at %s, so the folder is not recreated.", failure.Quote(c.Path)))
		}
		return nil
	}
	if err := r.needFolders(ctx, c.Path); err != nil {
		return err
	}
	r.change.Op = "mkdir"
	mode := r.modes[c.Path]
	r.first = append(r.first, func(ctx context.Context) error {
		made, err := r.vault.makeFolder(ctx, c.Path, mode)
		if made && mode != 0 {
			_ = r.vault.setMode(ctx, c.Path, mode) // optional
		}
		return err
	})
	return nil
}

// names returns the names in a folder, except temporary files of a crash.
func (v *workTree) names(ctx context.Context, folder string) ([]string, error) {
	dir, err := v.folder(ctx, folder, folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	names, err := fsys.ReadNames(dir)
	if err != nil {
		return nil, failure.Wrap(err, folder, "read")
	}
	return slices.DeleteFunc(names, atomicfile.IsTemp), nil
}

// link restores a symbolic link.
func (v *workTree) link(ctx context.Context, at, target string) error {
	dir, name, err := v.holder(ctx, at)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if err := dir.Symlink(target, name); err != nil {
		return failure.Wrap(err, at, "create")
	}
	return atomicfile.SyncDir(dir, ".")
}
