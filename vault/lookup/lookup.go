// Package lookup finds files and folders by their names: exactly, otherwise by pathname.Key, which ignores case,
// Unicode normal form and width. It walks from folder to folder, so that nothing can be replaced by a link in between, and finds nothing protected or
// private.
package lookup

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"chatvault/vault/fsys"
	"chatvault/vault/glob"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// Finder finds the files and folders of a vault.
type Finder struct {
	Root    *os.Root   // of the vault
	Private *glob.List // paths that are never found; nil if none
}

// Place is the result of a look-up: an open folder and a name in it. The caller must close it.
type Place struct {
	Dir  *os.Root    // the parent folder; for the vault itself, the vault
	Name string      // its name there; "." for the vault itself
	Path string      // its true path, links resolved
	Info fs.FileInfo // of the entry itself, without following links
}

// Close closes the folder.
func (p *Place) Close() {
	if p != nil && p.Name != "." {
		_ = p.Dir.Close()
	}
}

// Rule defines which other names of an entry a look-up accepts.
type Rule bool

// The rules of a look-up.
const (
	ForReading Rule = true
	// ForChange: only the existing name may have dots or blanks at its end that the given one lacks, not the other way
	// round.
	ForChange Rule = false
)

// Find looks up a path: exactly, otherwise by its key. It follows no link. The error is KindNotFound (without similar
// names), KindAmbiguous, KindDenied, or KindNotFolder if a file is used as a folder.
func (f Finder) Find(ctx context.Context, given string, rule Rule) (*Place, error) {
	clean, err := pathname.Clean(given)
	if err != nil {
		return nil, err
	}
	return f.FindClean(ctx, given, clean, rule)
}

// FindClean is Find for a cleaned path.
func (f Finder) FindClean(ctx context.Context, given, clean string, rule Rule) (*Place, error) {
	p, err := f.FindExact(ctx, given, clean)
	if err == nil || !errors.Is(err, vaulterr.KindNotFound) && !errors.Is(err, vaulterr.KindNotFolder) {
		return p, err
	}
	matches, foldErr := f.foldMatches(ctx, clean, rule)
	switch {
	case foldErr != nil:
		return nil, foldErr
	case len(matches) == 1 && matches[0] != clean:
		return f.FindExact(ctx, given, matches[0])
	case len(matches) > 1:
		return nil, vaulterr.New(vaulterr.KindAmbiguous, given, "Several names match %s if case is ignored: %s. Use one of them exactly as written.",
			vaulterr.Quote(given), vaulterr.QuoteAll(matches, 5))
	}
	return nil, err
}

// NotFound returns the error for a path that does not exist. A name that could not be created is denied instead,
// since it is more likely an attack than a note.
func NotFound(given, clean string) error {
	for name := range strings.SplitSeq(clean, "/") {
		if fault := pathname.UnseenFault(name); fault != "" {
			return vaulterr.New(vaulterr.KindDenied, given, "Access denied: the path %s has %s.", vaulterr.Quote(given), fault)
		}
	}
	return vaulterr.New(vaulterr.KindNotFound, given, "File not found: %s", vaulterr.Quote(given))
}

// NotDownloaded returns the error for the file at a path whose content is online only.
func NotDownloaded(given, at string) error {
	return vaulterr.New(vaulterr.KindOther, given, "%s is not downloaded on this computer: only a placeholder of the service that synchronizes it is here. Ask the user to download it, then try again.",
		vaulterr.Quote(at))
}

// FindExact walks to clean one folder at a time. Each folder is opened from the previous one and compared with the
// entry examined before, so that it cannot be replaced by a link in between.
func (f Finder) FindExact(ctx context.Context, given, clean string) (found *Place, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if f.Private.Has(clean) {
		return nil, DenyPrivate(given)
	}
	if clean == "." {
		info, err := f.Root.Stat(".")
		if err != nil {
			return nil, vaulterr.Wrap(err, given, "read")
		}
		return &Place{Dir: f.Root, Name: ".", Path: ".", Info: info}, nil
	}
	dir, err := f.Root.OpenRoot(".")
	if err != nil {
		return nil, vaulterr.Wrap(err, given, "read")
	}
	defer func() {
		if found == nil {
			_ = dir.Close()
		}
	}()
	components := strings.Split(clean, "/")
	for i, name := range components {
		info, err := dir.Lstat(name)
		if err == nil && !f.Private.AliasSafe(name) && !fsys.ListsName(dir, name) {
			err = fs.ErrNotExist // another name of an entry that may be private
		}
		here := path.Join(components[:i]...)
		if err != nil && i == len(components)-1 && fsys.IsOffline(dir, name) {
			return nil, NotDownloaded(given, path.Join(here, name))
		}
		if err != nil {
			return nil, Error(err, given, clean)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s goes through a symbolic link (%s). Use the path of what it points to.",
				vaulterr.Quote(given), vaulterr.Quote(path.Join(here, name)))
		}
		if i == len(components)-1 {
			return &Place{Dir: dir, Name: name, Path: clean, Info: info}, nil
		}
		if !info.IsDir() {
			return nil, vaulterr.New(vaulterr.KindNotFolder, given, "%s is a file, not a folder, so %s cannot be in it.", vaulterr.Quote(path.Join(here, name)), vaulterr.Quote(given))
		}
		child, err := fsys.OpenFolder(dir, name, info)
		if err != nil {
			return nil, Error(err, given, clean)
		}
		_ = dir.Close()
		dir = child
	}
	return nil, NotFound(given, clean)
}

// Error converts an error of the operating system in a look-up.
func Error(err error, given, clean string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NotFound(given, clean)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, fsys.ErrSwapped), isEscape(err):
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s was replaced while it was being read. Try again.", vaulterr.Quote(given))
	case errors.Is(err, syscall.ENAMETOOLONG):
		return vaulterr.New(vaulterr.KindDenied, given, "Access denied: a name in %s is too long.", vaulterr.Quote(given))
	}
	return vaulterr.Wrap(err, given, "read")
}

// isEscape recognizes os.Root's error for an escaping path, which is not exported.
func isEscape(err error) bool {
	return strings.Contains(vaulterr.Plain(err).Error(), "escapes")
}

// maxFolded limits the matches followed at one level if case is ignored.
const maxFolded = 32

// foldMatches returns the paths with the same key as clean, without following links. Each folder is opened from its
// parent, so that the time is linear in the depth.
func (f Finder) foldMatches(ctx context.Context, clean string, rule Rule) ([]string, error) {
	in := fsys.NewFolders(f.Root)
	defer in.Close()
	found := []string{"."}
	for name := range strings.SplitSeq(clean, "/") {
		var next []string
		for _, folder := range found {
			names, err := f.namesLike(ctx, in, folder, name, rule)
			if err != nil {
				return nil, err
			}
			for _, n := range names {
				next = append(next, path.Join(folder, n))
			}
		}
		found = next[:min(len(next), maxFolded)]
	}
	return found, nil
}

// namesLike returns the names in a folder with the same key as name, except protected ones. An
// unreadable folder has none.
func (f Finder) namesLike(ctx context.Context, in *fsys.Folders, folder, name string, rule Rule) (names []string, err error) {
	err = in.With(folder, func(dir *os.Root) (err error) {
		names, err = fsys.ReadNames(dir)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, fs.ErrPermission), fsys.Vanished(err):
		return nil, nil
	case err != nil:
		return nil, vaulterr.Wrap(err, folder, "read")
	}
	for i, n := range names {
		names[i] = fsys.DownloadedName(n)
	}
	key, folded := pathname.Key(name), pathname.Fold(name)
	names = slices.DeleteFunc(names, func(n string) bool {
		return pathname.Key(n) != key || rule == ForChange && key != folded && pathname.Fold(n) != folded || f.hidden(n, path.Join(folder, n))
	})
	slices.Sort(names) // a file and its placeholder have the same name
	return slices.Compact(names), nil
}

// Folder returns the true path of a folder ("." for the vault itself), looked up ignoring case and following
// permitted links.
func (f Finder) Folder(ctx context.Context, folder string) (trueName string, err error) {
	p, err := f.Find(ctx, cmp.Or(folder, "."), ForReading)
	if errors.Is(err, vaulterr.KindNotFound) {
		err = vaulterr.New(vaulterr.KindNotFound, folder, "Folder not found: %s", vaulterr.Quote(folder))
	}
	if err != nil {
		return "", err
	}
	defer p.Close()
	if !p.Info.IsDir() {
		return "", vaulterr.New(vaulterr.KindNotFolder, folder, "%s is a file, not a folder.", vaulterr.Quote(folder))
	}
	return p.Path, nil
}

// Visible reports whether an entry of a folder is a visible file or folder. Links are not visible: their target has a
// path of its own, or is hidden.
func (f Finder) Visible(folder string, e fs.DirEntry) bool {
	return (e.IsDir() || e.Type().IsRegular()) && !f.hidden(e.Name(), path.Join(folder, e.Name()))
}

// hidden reports whether walks must skip an entry. base is its name in the folder, name its path.
func (f Finder) hidden(base, name string) bool {
	return pathname.Protected(base) || f.Private.Has(name)
}

// DenyPrivate returns the error for a private path, whether it exists or not.
func DenyPrivate(given string) error {
	return vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s is private; the user hides it from you. Continue without it.", vaulterr.Quote(given))
}
