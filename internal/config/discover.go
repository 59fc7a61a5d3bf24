package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"chatvault/internal/text"
)

// Search is what FindVault goes by. Its zero value searches from the working folder.
type Search struct {
	Given   string // the folder that was named; empty: none
	GivenBy Origin // by what, for the error
	Cwd     string // empty: the working folder
	Home    string // empty: the user's home folder
	// Registry are the places of Obsidian's obsidian.json; nil: ObsidianFiles().
	Registry []string
	// Known are folders that chatvault was used with as vaults; nil: those of Recent.
	Known []string
}

// Found is a vault's folder and how it was found.
type Found struct {
	Dir string // absolute
	How string // "named by flag --vault", "the nearest folder with .obsidian", …
	// Unsure says why the folder may be no vault: nothing marks it as one, and notes are only in
	// folders in it, or it is one in which a note lies easily by chance. Empty: it is one.
	Unsure string
	// Within is a vault in which this one lies and whose settings do not count in it.
	Within string
}

// ErrNoVault is what FindVault's error wraps when nothing was named and nothing found.
var ErrNoVault = errors.New("no vault found")

// markers are the folders that make a vault of the one they are in: Obsidian's, and the one in which
// chatvault keeps what belongs to a vault, its private notes among it.
var markers = []string{".obsidian", stateMarker}

const stateMarker = ".smarthole"

// FindVault finds the vault: the folder given; else the nearest folder upward from
// the working folder that has .obsidian or .smarthole; else the working folder, if it holds
// Markdown; else the vault that Obsidian had open last. The error says how to name one. A folder
// that is given and lies in a vault without being one is refused: the vault's private notes and
// the like would not count for it.
func FindVault(s Search) (Found, error) {
	if s.Cwd == "" {
		cwd, err := os.Getwd()
		if err != nil && s.Given == "" {
			return Found{}, noVault("the working folder is gone")
		}
		s.Cwd = cwd
	}
	if s.Home == "" {
		s.Home, _ = os.UserHomeDir()
	}
	if s.Given != "" {
		return given(s)
	}
	if s.Known == nil {
		uses, _ := Recent() // a list that cannot be read names none
		s.Known = text.Of(uses, func(u Use) string { return RealDir(u.Dir) })
	}
	if dir, marker, ok := s.markedAbove(); ok {
		how := "the nearest folder with " + marker
		if marker == "" {
			how = "the nearest folder that chatvault was used with"
		}
		return Found{Dir: dir, How: how, Within: vaultAround(dir, s.Home)}, nil
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
	registry := s.Registry
	if registry == nil {
		registry = thisSystem().obsidianFiles()
	}
	if dir, ok := lastOpen(registry); ok {
		return Found{Dir: dir, How: "the vault Obsidian had open last", Within: vaultAround(dir, s.Home)}, nil
	}
	return Found{}, noVault(s.Cwd + " is not a vault, and holds no Markdown")
}

func noVault(why string) error {
	return fmt.Errorf("%w: %s.\nName a folder of Markdown notes with --vault DIR or CHATVAULT_VAULT=DIR, "+
		"write vault = \"DIR\" into %s, or start chatvault inside one", ErrNoVault, why, UserPath())
}

// given checks the folder that was named.
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
	case errors.Is(err, fs.ErrNotExist):
		return Found{}, fmt.Errorf("the vault %q (%s) does not exist; make the folder first, or name another with --vault DIR", dir, by)
	case err != nil:
		return Found{}, fmt.Errorf("the vault %q (%s) cannot be opened: %w", dir, by, text.Cause(err))
	case !info.IsDir():
		return Found{}, fmt.Errorf("the vault %q (%s) is a file; name the folder with the notes", dir, by)
	}
	around := vaultAround(dir, s.Home)
	if around != "" && markerIn(dir) == "" {
		return Found{}, fmt.Errorf("the folder %q (%s) belongs to the vault %q, whose private notes and other settings would not count for it; "+
			"name that one, or make a vault of its own of the folder first: mkdir %q", dir, by, around, filepath.Join(dir, stateMarker))
	}
	return Found{Dir: dir, How: by, Within: around}, nil
}

// markerIn is what makes a vault of dir; empty: nothing does.
func markerIn(dir string) string {
	for _, marker := range markers {
		if isFolder(filepath.Join(dir, marker)) {
			return marker
		}
	}
	return ""
}

// markedAbove finds the nearest folder upward, dir included, that has a marker or is known: on the path
// as it is written, and where that leads through links to no vault, on the one it stands for. marker is
// empty for one that is only known.
func (s Search) markedAbove() (vault, marker string, ok bool) {
	for _, path := range realPaths(s.Cwd) {
		if marker := markerIn(path); marker != "" {
			return path, marker, true
		}
		if s.knows(path) {
			return path, "", true
		}
		if vault, marker, ok = markedUpward(filepath.Dir(path), s.Home, s.knows); ok {
			return vault, marker, ok
		}
	}
	return "", "", false
}

// knows says whether chatvault was used with a folder as a vault. Where it was started by mistake in a
// folder such as /tmp, that makes no vault of it.
func (s Search) knows(dir string) bool {
	return len(s.Known) > 0 && !shared(dir, s.Home) && slices.Contains(s.Known, RealDir(dir))
}

// markedUpward finds the nearest vault that what lies in dir belongs to. Where chatvault was once
// started by mistake in a folder such as /tmp, that makes no vault of all there is in it; settings
// that were written there do.
func markedUpward(dir, home string, known func(string) bool) (vault, marker string, ok bool) {
	for {
		marker := markerIn(dir)
		if marker == stateMarker && shared(dir, home) {
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(vaultConfig))); err != nil {
				marker = ""
			}
		}
		if marker != "" || known != nil && known(dir) {
			return dir, marker, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", "", false
		}
		dir = parent
	}
}

// vaultAround is the vault in which a folder lies; empty: in none.
func vaultAround(dir, home string) string {
	for _, path := range realPaths(dir) {
		if parent := filepath.Dir(path); parent != path {
			if vault, _, ok := markedUpward(parent, home, nil); ok {
				return vault
			}
		}
	}
	return ""
}

// RealDir returns a folder's path without links, so that every path to it gives the same; the path itself if it
// leads nowhere.
func RealDir(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

// realPaths are a folder's path as it is written, and the one without links.
func realPaths(dir string) []string {
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		return []string{dir, real}
	}
	return []string{dir}
}

// shared says whether a folder is one in which a note lies easily by chance, and much else besides:
// the home folder, the root, those for temporary files.
func shared(dir, home string) bool {
	return dir == home || dir == filepath.Dir(dir) || slices.Contains([]string{filepath.Clean(os.TempDir()), "/tmp", "/var/tmp"}, dir)
}

// maxLook bounds how many entries are looked at for Markdown.
const maxLook = 5000

// holdsMarkdown says whether there is a Markdown file in dir, or else in a folder in it. Folders in
// which much else lies count by their own files only.
func holdsMarkdown(dir, home string) (direct, below bool) {
	left := maxLook
	folders, found := look(dir, &left)
	if found {
		return true, false
	}
	if shared(dir, home) {
		return false, false
	}
	for _, folder := range folders {
		if _, found := look(filepath.Join(dir, folder), &left); found {
			return false, true
		}
	}
	return false, false
}

// look reads a folder: its visible folders, and whether a Markdown file is among the
// rest.
func look(dir string, left *int) (folders []string, markdown bool) {
	f, err := os.Open(dir) // the working folder
	if err != nil {
		return nil, false
	}
	defer func() { _ = f.Close() }()
	for *left > 0 {
		entries, err := f.ReadDir(min(*left, 256))
		for _, e := range entries {
			*left--
			name := e.Name()
			switch {
			case strings.HasPrefix(name, "."):
			case e.IsDir():
				folders = append(folders, name)
			case strings.EqualFold(filepath.Ext(name), ".md") && (e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0):
				return folders, true
			}
		}
		if err != nil {
			break
		}
	}
	return folders, false
}
