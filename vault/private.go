package vault

import (
	"context"
	"path"

	"chatvault/vault/failure"
	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/pathname"
	"chatvault/vault/walk"
)

// The private list is the user's own: globs of files and folders that no operation may see. What
// they match, and everything below a folder they match, is for every operation as what is
// protected is: it is not read, listed, counted, searched, named, moved or deleted, and where
// somebody names it the answer is the same whether it is there or not.

// CheckPrivate says what is wrong with a glob of the private list; nil: nothing is.
func CheckPrivate(pattern string) error {
	_, err := glob.NewList([]string{pattern})
	return err
}

// SetPrivate makes what the globs match private; they take the place of those before. A glob
// without "/", or with one at its end only, matches a name at any depth; one with "/" elsewhere is
// relative to the vault. "Diary" and "Diary/" hide every folder of that name and what is in it,
// "/Diary" and "Diary/**" the one at the top. Case and Unicode normal form are ignored. It is for the time right after Open: nothing else may use the vault meanwhile.
func (v *Vault) SetPrivate(patterns []string) error {
	list, err := glob.NewList(patterns)
	if err != nil {
		return err
	}
	if v.private = list; len(patterns) == 0 {
		v.private = nil
	}
	return nil
}

// Private reports whether a path is on the private list: whoever knows paths from elsewhere than
// the vault, such as from the journal, must ask before saying them. The path is cleaned; one that
// cannot be, and that no walk would meet either, is not private, and no operation takes it.
func (v *Vault) Private(name string) bool {
	if v.private == nil {
		return false
	}
	clean, err := pathname.Clean(name)
	if err != nil && walkedPath(name) {
		clean, err = name, nil
	}
	return err == nil && v.private.Has(clean)
}

// denyPrivate is the answer for what is private, whether it is there or not.
func denyPrivate(given string) error {
	return failure.New(failure.KindDenied, given, "Access denied: %s is private; the user hides it from you. Continue without it.", failure.Quote(given))
}

// denyPrivateInside is the answer for a folder that holds what is private, without a word of what
// that is.
func denyPrivateInside(given, folder, done string) error {
	return failure.New(failure.KindDenied, given, "Access denied: the folder %s contains something private, so it cannot be %s as a whole. "+
		"Handle the notes you can see one at a time, or ask the user to do it.", failure.Quote(folder), done)
}

// mayTakeWhole refuses a folder in which, at any depth, something is private: nobody may move or
// delete that, be it unseen. done is what was to be done with the folder.
func (v *Vault) mayTakeWhole(ctx context.Context, p *place, given, done string) error {
	if v.private == nil || !p.info.IsDir() {
		return nil
	}
	found, err := v.holdsPrivate(ctx, p.path)
	switch {
	case err != nil:
		return failure.Wrap(err, given, "read")
	case found:
		return denyPrivateInside(given, p.path, done)
	}
	return nil
}

// holdsPrivate looks for something private in a folder, at any depth. Like eachName it holds one
// folder open at a time. A folder that cannot be read is an error: nobody knows what is in it.
func (v *Vault) holdsPrivate(ctx context.Context, folder string) (bool, error) {
	tr, err := fsys.Open(v.root)
	if err != nil {
		return false, err
	}
	defer func() { _ = tr.Close() }() // it was only read
	for folders := []string{folder}; len(folders) > 0; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		at := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		dir, err := tr.Open(at)
		if fsys.Vanished(err) {
			continue
		}
		if err != nil {
			return false, err
		}
		found := false
		err = dir.Entries(func(base string, kind fsys.Kind) bool {
			name := path.Join(at, base)
			if found = v.private.Has(name); kind == fsys.KindFolder {
				folders = append(folders, name)
			}
			return !found
		})
		dir.Close()
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// PrivateFiles are the files that are private now. It is for whoever knows texts from before they
// were, and must not say them.
func (v *Vault) PrivateFiles(ctx context.Context) []string {
	if v.private == nil {
		return nil
	}
	var files []string
	all := &Vault{root: v.root, dir: v.dir} // the same, with nothing private
	all.source().EachName(ctx, walk.MostNames, func(name string, folder bool) bool {
		if !folder && v.private.Has(name) {
			files = append(files, name)
		}
		return true
	})
	return files
}

// PrivateCount says how much the private list hides, without naming it: files of the vault, and
// for each glob, in their order, how many of them it alone or with others hides. whole is false
// when the count was cut short.
func (v *Vault) PrivateCount(ctx context.Context, patterns []string) (files int, each []int, whole bool) {
	each = make([]int, len(patterns))
	lists := make([]*glob.List, 0, len(patterns))
	for _, pattern := range patterns {
		list, err := glob.NewList([]string{pattern})
		if err != nil {
			return 0, each, false
		}
		lists = append(lists, list)
	}
	all := &Vault{root: v.root, dir: v.dir} // the same, with nothing private
	whole = all.source().EachName(ctx, walk.MostNames, func(name string, folder bool) bool {
		if folder {
			return true
		}
		hidden := false
		for i := range lists {
			if lists[i].Has(name) {
				each[i]++
				hidden = true
			}
		}
		if hidden {
			files++
		}
		return true
	})
	return files, each, whole
}
