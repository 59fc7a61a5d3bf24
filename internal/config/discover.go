package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Search is what FindVault goes by. Its zero value searches from the working folder.
type Search struct {
	Given   string // the folder that was named; empty: none
	GivenBy Origin // by what, for the error
	Cwd     string // empty: the working folder
	Home    string // empty: the user's home folder
	// Registry are the places of Obsidian's obsidian.json; nil: ObsidianFiles().
	Registry []string
}

// Found is a vault's folder and how it was found.
type Found struct {
	Dir string // absolute
	How string // "named by flag --vault", "the nearest folder with .obsidian", …
}

// ErrNoVault is what FindVault's error wraps when nothing was named and nothing found.
var ErrNoVault = errors.New("no vault found")

// FindVault finds the vault: the folder given; else the nearest folder upward from
// the working folder that has .obsidian; else the working folder, if it holds
// Markdown; else the vault that Obsidian had open last. The error says how to name one.
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
	if dir, ok := markedAbove(s.Cwd); ok {
		return Found{dir, "the nearest folder with .obsidian"}, nil
	}
	if holdsMarkdown(s.Cwd, s.Home) {
		return Found{s.Cwd, "the working folder, which holds Markdown"}, nil
	}
	registry := s.Registry
	if registry == nil {
		registry = ObsidianFiles()
	}
	if dir, ok := lastOpen(registry); ok {
		return Found{dir, "the vault Obsidian had open last"}, nil
	}
	return Found{}, noVault(s.Cwd + " is no vault, and holds no Markdown")
}

func noVault(why string) error {
	return fmt.Errorf("%w: %s.\nName a folder of Markdown notes with --vault DIR or CHATVAULT_VAULT=DIR, "+
		"write vault = \"DIR\" into %s, or start chatvault inside one", ErrNoVault, why, UserPath())
}

// given checks the folder that was named.
func given(s Search) (Found, error) {
	dir := expandHome(s.Given, s.Home)
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
		return Found{}, fmt.Errorf("the vault %q (%s) cannot be opened: %w", dir, by, reason(err))
	case !info.IsDir():
		return Found{}, fmt.Errorf("the vault %q (%s) is a file; name the folder that holds the notes", dir, by)
	}
	return Found{dir, by}, nil
}

// markedAbove finds the nearest folder upward, dir included, that has .obsidian.
func markedAbove(dir string) (string, bool) {
	for {
		info, err := os.Stat(filepath.Join(dir, ".obsidian"))
		if err == nil && info.IsDir() {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// maxLook bounds how many entries are looked at for Markdown.
const maxLook = 5000

// holdsMarkdown says whether there is a Markdown file in dir or in a folder in it. The
// home folder and the root, where a stray one lies easily and everything else besides,
// count by their own files only.
func holdsMarkdown(dir, home string) bool {
	left := maxLook
	folders, found := look(dir, &left)
	if found {
		return true
	}
	if dir == home || dir == filepath.Dir(dir) {
		return false
	}
	for _, folder := range folders {
		if _, found := look(filepath.Join(dir, folder), &left); found {
			return true
		}
	}
	return false
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
