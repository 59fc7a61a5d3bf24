package vault

import (
	"context"
	"io/fs"
	"os"
	"path"

	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/lookup"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
	"chatvault/vault/walk"
)

// The private list is a list of globs, set by the user, of files and folders that no operation may see. Their
// matches, and everything below a matching folder, are treated like protected files: they are not read, listed,
// counted, searched, named, moved or deleted, and an attempt to access them gives the same error whether they exist
// or not.

// CheckPrivate returns an error if pattern is not a valid glob of the private list.
func CheckPrivate(pattern string) error {
	_, err := glob.NewList([]string{pattern})
	return err
}

// SetPrivate sets the private list. A glob without "/", or with one at its end only, matches names at any depth; one
// with "/" elsewhere is relative to the vault. "Diary" and "Diary/" hide every folder of that name with its content,
// "/Diary" and "Diary/**" the one at the top. Case and Unicode normal form are ignored. It must be called right after
// Open, before any other use of the vault.
func (v *Vault) SetPrivate(patterns []string) error {
	list, err := glob.NewList(patterns)
	if err != nil {
		return err
	}
	if v.finder.Private = list; len(patterns) == 0 {
		v.finder.Private = nil
	}
	return nil
}

// Private reports whether a path is private. Callers that have paths from elsewhere, such as the journal, must check
// them before showing them. The path is cleaned unless it is invalid.
func (v *Vault) Private(name string) bool {
	if clean, err := pathname.Clean(name); err == nil {
		name = clean
	}
	return v.finder.Private.Has(name)
}

// checkNothingPrivate returns an error for a folder that contains private files at any depth: they must not be moved or
// deleted unseen. done is the operation, such as "moved".
func (v *Vault) checkNothingPrivate(ctx context.Context, p *lookup.Place, given, done string) error {
	if v.finder.Private == nil || !p.Info.IsDir() {
		return nil
	}
	found, err := v.holdsPrivate(ctx, p.Path)
	switch {
	case err != nil:
		return vaulterr.Wrap(err, given, "read")
	case found:
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: the folder %s contains something private, so it cannot be %s as a whole. "+
			"Handle the notes you can see one at a time, or ask the user to do it.", vaulterr.Quote(p.Path), done)
	}
	return nil
}

// holdsPrivate reports whether a folder contains anything private, at any depth. An unreadable folder is an error,
// because its content is unknown.
func (v *Vault) holdsPrivate(ctx context.Context, folder string) (found bool, err error) {
	in := fsys.NewFolders(v.finder.Root)
	defer in.Close()
	err = in.With(folder, func(dir *os.Root) error {
		return fsys.Walk(ctx, dir, func(_ *os.Root, name string, _ fs.FileInfo) error {
			found = found || v.finder.Private.Has(path.Join(folder, name))
			return nil
		})
	})
	if found || fsys.Vanished(err) {
		err = nil
	}
	return found, err
}

// PrivateFiles returns the files that are private now, for callers that know texts from before and must not reveal
// them.
func (v *Vault) PrivateFiles(ctx context.Context) []string {
	if v.finder.Private == nil {
		return nil
	}
	var files []string
	walk.Source{Open: v.openDisk}.EachName(ctx, walk.MostNames, func(name string, folder bool) bool {
		if !folder && v.finder.Private.Has(name) {
			files = append(files, name)
		}
		return true
	})
	return files
}

// PrivateCount returns the number of files that the private list hides, and for each of patterns the number of files
// that it hides. It counts what it found until ctx ended.
func (v *Vault) PrivateCount(ctx context.Context, patterns []string) (files int, each []int) {
	hidden := v.PrivateFiles(ctx)
	for _, pattern := range patterns {
		n := 0
		if list, err := glob.NewList([]string{pattern}); err == nil {
			for _, name := range hidden {
				if list.Has(name) {
					n++
				}
			}
		}
		each = append(each, n)
	}
	return len(hidden), each
}
