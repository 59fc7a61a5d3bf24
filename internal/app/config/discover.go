package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"chatvault/internal/base/text"
)

// Search is the input of FindVault. The zero value searches from the working folder.
type Search struct {
	Given   string // named folder; empty if none
	GivenBy Origin // its origin, for the error
	Cwd     string // empty means the working folder
	Home    string // empty means the user's home folder
	// Registry are the paths of Obsidian's obsidian.json; nil means obsidianFiles().
	Registry []string
	// Known are folders that chatvault has used as vaults; nil means those of Recent.
	Known []string
}

// Found is a vault's folder and how it was found.
type Found struct {
	Dir string // absolute
	How string // "named by flag --vault", "the nearest folder with .obsidian", …
	// Unsure is the reason why the folder may not be a vault: it has no marker and only subfolders have notes, or it
	// is a shared folder. Empty if it is one.
	Unsure string
	// Within is the enclosing vault, whose settings do not apply here.
	Within string
}

// ErrNoVault is wrapped by FindVault's error if no folder was named and no vault found.
var ErrNoVault = errors.New("no vault found")

// markers are the folders that mark a vault: Obsidian's, and the one with chatvault's settings for a vault, such as
// its private notes.
var markers = []string{".obsidian", stateMarker}

const stateMarker = ".smarthole"

// FindVault finds the vault: the given folder; else the nearest folder upward from the working folder with .obsidian
// or .smarthole; else the working folder, if it has Markdown; else the vault last open in Obsidian. The error
// explains how to name one. A given folder inside a vault is an error unless it is a vault itself, because the outer
// vault's private notes would not apply.
func FindVault(s Search) (Found, error) {
	if s.Cwd == "" {
		s.Cwd, _ = os.Getwd() // none if the folder is gone
	}
	if s.Home == "" {
		s.Home, _ = os.UserHomeDir()
	}
	if s.Given != "" {
		return given(s)
	}
	if s.Known == nil {
		uses, _ := Recent() // none are known if the list cannot be read
		s.Known = text.Of(uses, func(u Use) string { return RealDir(u.Dir) })
	}
	if dir, marker, ok := s.upward(s.Cwd, false); ok {
		how := "the nearest folder with " + marker
		if marker == "" {
			how = "the nearest folder that chatvault was used with"
		}
		return Found{Dir: dir, How: how, Within: s.around(dir)}, nil
	}
	if direct, below := holdsMarkdown(s.Cwd, s.Home); direct || below {
		found := Found{Dir: s.Cwd, How: "the working folder, which holds Markdown"}
		switch {
		case !direct:
			found.Unsure = "it has no notes itself, only folders that do"
		case shared(s.Cwd, s.Home):
			found.Unsure = "everything else is in it, too"
		}
		return found, nil
	}
	if s.Registry == nil {
		s.Registry = obsidianFiles()
	}
	if dir, ok := lastOpen(s.Registry); ok {
		return Found{Dir: dir, How: "the vault Obsidian had open last", Within: s.around(dir)}, nil
	}
	return Found{}, fmt.Errorf("%w: %s is not a vault, and holds no Markdown.\nName a folder of Markdown notes with --vault DIR or CHATVAULT_VAULT=DIR, "+
		"write vault = \"DIR\" into %s, or start chatvault inside one.\n"+
		"chatvault vaults lists those that are known; chatvault demo opens a sample vault", ErrNoVault, s.Cwd, UserPath())
}

// given checks the given folder.
func given(s Search) (Found, error) {
	dir := ExpandHome(s.Given, s.Home)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.Cwd, dir)
	}
	dir = filepath.Clean(dir)
	info, err := os.Stat(dir)
	by := "named by " + s.GivenBy.String()
	if s.GivenBy.Kind == Default {
		by = "named"
	}
	switch {
	case err != nil:
		return Found{}, fmt.Errorf("the vault %q (%s) cannot be opened: %w; make the folder first, or name another with --vault DIR", dir, by, text.Cause(err))
	case !info.IsDir():
		return Found{}, fmt.Errorf("the vault %q (%s) is a file; name the folder with the notes", dir, by)
	}
	around := s.around(dir)
	if around != "" && markerIn(dir) == "" {
		return Found{}, fmt.Errorf("the folder %q (%s) belongs to the vault %q, whose private notes and other settings would not count for it; "+
			"name that one, or make a vault of its own of the folder first: mkdir %q", dir, by, around, filepath.Join(dir, stateMarker))
	}
	return Found{Dir: dir, How: by, Within: around}, nil
}

// markerIn returns the marker in dir, or "".
func markerIn(dir string) string {
	for _, marker := range markers {
		if isFolder(filepath.Join(dir, marker)) {
			return marker
		}
	}
	return ""
}

// upward returns the nearest vault in or above a folder, on the path without links, and its marker. A shared folder such as
// /tmp, where chatvault may have been started by mistake, only counts if it has settings, or a marker and is the folder
// itself. The marker of a folder that chatvault was used with may be empty. above excludes the folder itself, and folders
// without a marker.
func (s Search) upward(dir string, above bool) (vault, marker string, ok bool) {
	dir = RealDir(dir)
	for at := dir; ; at = filepath.Dir(at) {
		self, marker := at == dir, markerIn(at)
		if marker == stateMarker && (above || !self) && shared(at, s.Home) && !exists(VaultPath(at)) {
			marker = ""
		}
		if counts := marker != "" || !above && !shared(at, s.Home) && slices.Contains(s.Known, at); counts && (!above || !self) {
			return at, marker, true
		}
		if at == filepath.Dir(at) {
			return "", "", false
		}
	}
}

// around returns the vault that a folder is in, or "".
func (s Search) around(dir string) string {
	vault, _, _ := s.upward(dir, true)
	return vault
}

// RealDir returns a folder's path with the links in its existing part resolved, so that all paths to it compare equal.
func RealDir(dir string) string {
	dir = filepath.Clean(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	if up := filepath.Dir(dir); up != dir {
		return filepath.Join(RealDir(up), filepath.Base(dir))
	}
	return dir
}

// Inside reports whether a folder is another one or below it, with links resolved.
func Inside(folder, other string) bool {
	rel, err := filepath.Rel(RealDir(other), RealDir(folder))
	return err == nil && filepath.IsLocal(rel)
}

// shared reports whether a folder is for many purposes, so that notes in it do not make it a vault: the home folder,
// the root, those for temporary files.
func shared(dir, home string) bool {
	return dir == home || dir == filepath.Dir(dir) || slices.Contains([]string{filepath.Clean(os.TempDir()), "/tmp", "/var/tmp"}, dir)
}

// holdsMarkdown reports whether there is a Markdown file in dir, or else in a subfolder. In shared folders only
// direct files count.
func holdsMarkdown(dir, home string) (direct, below bool) {
	if direct = hasMarkdown(dir); direct || shared(dir, home) {
		return direct, false
	}
	entries, _ := os.ReadDir(dir) // an unreadable folder holds none
	return false, slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.IsDir() && !strings.HasPrefix(e.Name(), ".") && hasMarkdown(filepath.Join(dir, e.Name()))
	})
}

func hasMarkdown(dir string) bool {
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		regular := e.Type()&^fs.ModeSymlink == 0 // a file or a link
		return regular && !strings.HasPrefix(e.Name(), ".") && strings.EqualFold(filepath.Ext(e.Name()), ".md")
	})
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
