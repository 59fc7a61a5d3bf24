package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"chatvault/vault/fsys"
	"chatvault/vault/pathname"
	"chatvault/vault/vaulterr"
)

// place is the result of a look-up: an open folder and a name in it. The caller must close it.
type place struct {
	dir  *os.Root    // the parent folder; for the vault itself, the vault
	name string      // its name there; "." for the vault itself
	path string      // its true path, links resolved
	info fs.FileInfo // of the entry itself, without following links
}

func (p *place) close() {
	if p != nil && p.name != "." {
		_ = p.dir.Close()
	}
}

// linkRule defines how a look-up treats symbolic links.
type linkRule bool

const (
	followLinks linkRule = true  // for reading: follow those that stay inside and lead to nothing protected
	refuseLinks linkRule = false // for changes: refuse them anywhere in the path
)

// maxLinks limits the links followed in one look-up.
const maxLinks = 16

// find looks up a path: exactly, otherwise ignoring case and Unicode normal form. The error is KindNotFound (without
// similar names), KindAmbiguous, KindDenied, or KindNotFolder if a file is used as a folder.
func (v *Vault) find(ctx context.Context, given string, rule linkRule) (*place, error) {
	clean, err := pathname.Clean(given)
	if err != nil {
		return nil, err
	}
	return v.findClean(ctx, given, clean, rule)
}

// findClean is find for a cleaned path.
func (v *Vault) findClean(ctx context.Context, given, clean string, rule linkRule) (*place, error) {
	p, err := v.findExact(ctx, given, clean, rule)
	if err == nil || !errors.Is(err, vaulterr.KindNotFound) && !errors.Is(err, vaulterr.KindNotFolder) {
		return p, err
	}
	matches, foldErr := v.foldMatches(ctx, clean)
	switch {
	case foldErr != nil:
		return nil, foldErr
	case len(matches) == 1 && matches[0] != clean:
		return v.findExact(ctx, given, matches[0], rule)
	case len(matches) > 1:
		return nil, ambiguous(given, matches)
	}
	return nil, err
}

func ambiguous(given string, matches []string) error {
	e := vaulterr.New(vaulterr.KindAmbiguous, given, "Several names match %s if case is ignored: %s. Use one of them exactly as written.",
		vaulterr.Quote(given), vaulterr.QuoteAll(matches, 5))
	e.Near = matches
	return e
}

// notFound returns the error for a path that does not exist. A name that could not be created is denied instead,
// since it is more likely an attack than a note.
func notFound(given, clean string) error {
	for name := range strings.SplitSeq(clean, "/") {
		if fault := pathname.UnseenFault(name); fault != "" {
			return vaulterr.New(vaulterr.KindDenied, given, "Access denied: the path %s has %s.", vaulterr.Quote(given), fault)
		}
	}
	return vaulterr.New(vaulterr.KindNotFound, given, "File not found: %s", vaulterr.Quote(given))
}

// findExact walks to clean one folder at a time. Each folder is opened from the previous one and compared with the
// entry examined before, so that it cannot be replaced by a link in between.
func (v *Vault) findExact(ctx context.Context, given, clean string, rule linkRule) (*place, error) {
	for range maxLinks {
		p, target, err := v.walk(ctx, given, clean, rule)
		if err != nil || p != nil {
			return p, err
		}
		clean = target
	}
	return nil, vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s leads through too many symbolic links.", vaulterr.Quote(given))
}

// walk is one pass of findExact. If it finds a link that may be followed, it returns the resulting path, to be walked
// from the root.
func (v *Vault) walk(ctx context.Context, given, clean string, rule linkRule) (found *place, target string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	if v.private.Has(clean) {
		return nil, "", denyPrivate(given)
	}
	if clean == "." {
		info, err := v.root.Stat(".")
		if err != nil {
			return nil, "", vaulterr.Wrap(err, given, "read")
		}
		return &place{dir: v.root, name: ".", path: ".", info: info}, "", nil
	}
	dir, owned := v.root, false
	defer func() {
		if owned && found == nil {
			_ = dir.Close()
		}
	}()
	components := strings.Split(clean, "/")
	for i, name := range components {
		info, err := dir.Lstat(name)
		if err == nil && !v.private.AliasSafe(name) && !fsys.ListsName(dir, name) {
			err = fs.ErrNotExist // another name of an entry that may be private
		}
		if err != nil {
			return nil, "", v.lookupError(err, given, clean)
		}
		here := path.Join(components[:i]...)
		if info.Mode()&fs.ModeSymlink != 0 {
			linked, err := resolveLink(dir, name, given, here)
			if err != nil {
				return nil, "", err
			}
			if rule == refuseLinks {
				return nil, "", vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s goes through a symbolic link (%s). Change what the link points to by its own path.",
					vaulterr.Quote(given), vaulterr.Quote(path.Join(here, name)))
			}
			return nil, path.Join(linked, path.Join(components[i+1:]...)), nil
		}
		if i == len(components)-1 {
			p := &place{dir: dir, name: name, path: clean, info: info}
			if !owned { // so that every place but the vault itself is closed alike
				if p.dir, err = v.root.OpenRoot("."); err != nil {
					return nil, "", vaulterr.Wrap(err, given, "read")
				}
			}
			return p, "", nil
		}
		if !info.IsDir() {
			return nil, "", vaulterr.New(vaulterr.KindNotFolder, given, "%s is a file, not a folder, so %s cannot be in it.", vaulterr.Quote(path.Join(here, name)), vaulterr.Quote(given))
		}
		child, err := fsys.OpenFolder(dir, name, info)
		if err != nil {
			return nil, "", v.lookupError(err, given, clean)
		}
		if owned {
			_ = dir.Close()
		}
		dir, owned = child, true
	}
	return nil, "", errUnreachable
}

var errUnreachable = errors.New("vault: a path without components")

// lookupError converts an error of the operating system in a look-up.
func (v *Vault) lookupError(err error, given, clean string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return notFound(given, clean)
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

// resolveLink returns the path that a link leads to. here is the true path of its folder. A link that leaves the
// vault, leads to something protected, or leads back to a folder that contains it, is refused, without checking
// whether the target exists.
func resolveLink(dir *os.Root, name, given, here string) (string, error) {
	target, err := dir.Readlink(name)
	if err != nil {
		return "", vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s was replaced while it was being read. Try again.", vaulterr.Quote(given))
	}
	return linkTarget(target, name, given, here)
}

// linkTarget is resolveLink for a link with the given target.
func linkTarget(target, name, given, here string) (string, error) {
	link := vaulterr.Quote(path.Join(here, name))
	if path.IsAbs(target) || strings.ContainsRune(target, '\\') {
		return "", vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s is a symbolic link that leaves the vault.", link)
	}
	linked := path.Join(here, target)
	if linked == ".." || strings.HasPrefix(linked, "../") {
		return "", vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s is a symbolic link that leaves the vault.", link)
	}
	if err := pathname.CheckComponents(given, linked); err != nil {
		return "", err
	}
	if linked == "." || linked == here || strings.HasPrefix(here, linked+"/") {
		return "", vaulterr.New(vaulterr.KindDenied, given, "Access denied: %s is a symbolic link to a folder that contains it.", link)
	}
	return linked, nil
}

// maxFolded limits the folders followed at one level if case is ignored.
const maxFolded = 32

// foldPlace is a folder in a look-up that ignores case.
type foldPlace struct {
	dir  *os.Root
	path string // as spelled in the look-up
	real string // its true path, links resolved
}

// foldMatches returns the paths equal to clean apart from case and Unicode normal form. It opens each folder from its
// parent, so that the time is linear in the depth.
func (v *Vault) foldMatches(ctx context.Context, clean string) (found []string, err error) {
	top, err := v.root.OpenRoot(".")
	if err != nil {
		return nil, vaulterr.Wrap(err, clean, "read")
	}
	places := []foldPlace{{top, ".", "."}}
	defer func() { closeAll(places) }()
	components := strings.Split(clean, "/")
	for i, name := range components {
		var next []foldPlace
		found = nil
		for _, p := range places {
			names, err := v.namesLike(ctx, p.dir, p.real, name)
			if err != nil {
				closeAll(next)
				return nil, err
			}
			for _, n := range names {
				found = append(found, path.Join(p.path, n))
				if i == len(components)-1 || len(next) == maxFolded {
					continue
				}
				if in, ok := v.foldEnter(ctx, p, n); ok {
					next = append(next, in)
				}
			}
		}
		closeAll(places)
		places = next
		if i < len(components)-1 && len(places) == 0 {
			return nil, ctx.Err()
		}
	}
	return found, nil
}

func closeAll(places []foldPlace) {
	for _, p := range places {
		_ = p.dir.Close()
	}
}

// foldEnter opens a subfolder, following a link if permitted.
func (v *Vault) foldEnter(ctx context.Context, in foldPlace, name string) (foldPlace, bool) {
	at := foldPlace{path: path.Join(in.path, name), real: path.Join(in.real, name)}
	info, err := in.dir.Lstat(name)
	if err != nil {
		return at, false
	}
	from, base := in.dir, name
	if info.Mode()&fs.ModeSymlink != 0 {
		p, err := v.findExact(ctx, at.path, at.real, followLinks)
		if err != nil {
			return at, false
		}
		defer p.close()
		from, base, info, at.real = p.dir, p.name, p.info, p.path
	}
	if !info.IsDir() {
		return at, false
	}
	at.dir, err = fsys.OpenFolder(from, base, info)
	return at, err == nil
}

// namesLike returns the names in an open folder that equal name apart from case and normal form, except protected
// ones. An unreadable folder has none.
func (v *Vault) namesLike(ctx context.Context, dir *os.Root, folder, name string) ([]string, error) {
	names, err := fsys.ReadNames(dir)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, vaulterr.Wrap(err, folder, "read")
	}
	folded := pathname.Fold(name)
	return slices.DeleteFunc(names, func(n string) bool { return !pathname.FoldsTo(folded, n) || v.hidden(n, path.Join(folder, n)) }), nil
}

// resolveFolder returns the true path of a folder ("." for the vault itself), looked up ignoring case and following
// permitted links.
func (v *Vault) resolveFolder(ctx context.Context, folder string) (trueName string, err error) {
	if folder == "" {
		folder = "."
	}
	p, err := v.find(ctx, folder, followLinks)
	if err != nil {
		return "", folderError(err, folder)
	}
	defer p.close()
	if !p.info.IsDir() {
		return "", vaulterr.New(vaulterr.KindNotFolder, folder, "%s is a file, not a folder.", vaulterr.Quote(folder))
	}
	return p.path, nil
}

// folderError replaces "file" by "folder" in a KindNotFound error.
func folderError(err error, folder string) error {
	if errors.Is(err, vaulterr.KindNotFound) {
		return vaulterr.New(vaulterr.KindNotFound, folder, "Folder not found: %s", vaulterr.Quote(folder))
	}
	return err
}
