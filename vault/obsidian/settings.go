// Package obsidian knows what Obsidian is set to in a vault, and which note is open in it. The program
// reads its files; no tool can.
package obsidian

import (
	"context"
	"encoding/json"
	"path"
	"strings"
	"time"

	"chatvault/vault/pathname"
	"chatvault/vault/walk"
)

// vault is what is known of the vault that Obsidian has open, too.
type vault interface {
	Source() walk.Source
	Private(name string) bool
	// Own reads a file of a protected folder, and says when it was written.
	Own(folder, name string) (data []byte, written time.Time, err error)
	// File is the true name of the file at a path.
	File(ctx context.Context, path string) (name string, err error)
	// Text reads a file that is no longer than limit; name is empty where there is nothing.
	Text(ctx context.Context, path string, limit int64) (name string, data []byte, err error)
}

// App is Obsidian as it is set for a vault.
type App struct{ of vault }

// In returns Obsidian as it is set for a vault.
func In(v vault) App { return App{v} }

// readOwn reads one of Obsidian's own files.
func (v App) readOwn(name string) ([]byte, error) {
	data, _, err := v.of.Own(".obsidian", name)
	return data, err
}

// settings are what Obsidian's own settings say about this vault (.obsidian/app.json). The program
// reads them; no tool can.
type settings struct {
	TrashOption       string   `json:"trashOption"`       // "system", "local", "none"; "": system
	NewLinkFormat     string   `json:"newLinkFormat"`     // "shortest", "relative", "absolute"; "": shortest
	UseMarkdownLinks  bool     `json:"useMarkdownLinks"`  // new links are [text](path.md)
	AlwaysUpdateLinks *bool    `json:"alwaysUpdateLinks"` // nil: as true
	NewFileLocation   string   `json:"newFileLocation"`   // "root", "current", "folder"; "": root
	NewFileFolder     string   `json:"newFileFolderPath"` // for "folder"
	UserIgnoreFilters []string `json:"userIgnoreFilters"` // path prefixes, or /regular expressions/
}

// Settings reads them; what cannot be read counts as not set.
func (v App) Settings() settings {
	var s settings
	if data, err := v.readOwn("app.json"); err == nil {
		if json.Unmarshal(data, &s) != nil {
			return settings{}
		}
	}
	return s
}

// NewNoteFolder is where Obsidian's settings put new notes for which nobody named a folder, ""
// for the vault itself. "The same folder as the current file" means nothing where no file is
// open, so that it counts as the vault itself, as does a folder that may not be used.
func (v App) NewNoteFolder() string {
	s := v.Settings()
	if s.NewFileLocation != "folder" {
		return ""
	}
	return v.usable(s.NewFileFolder)
}

// inSight is a folder of the settings as a path; "" where it is the vault itself, or may not be seen.
func (v App) inSight(folder string) string {
	clean, err := pathname.Clean(strings.Trim(folder, "/"))
	if err != nil || clean == "." || v.of.Private(clean) {
		return ""
	}
	return clean
}

// usable is inSight for what is to be made; "" also where it cannot be.
func (v App) usable(folder string) string {
	clean := v.inSight(folder)
	for name := range strings.SplitSeq(clean, "/") {
		if pathname.NewNameFault(name) != "" {
			return ""
		}
	}
	return clean
}

// NewNotePath is where a new note goes: a name without a folder into NewNoteFolder, anything else
// where it says. "./a.md" names the vault itself.
func (v App) NewNotePath(given string) string {
	if strings.Contains(given, "/") || !pathname.IsNote(strings.TrimRight(given, "\r\n")) {
		return given
	}
	return path.Join(v.NewNoteFolder(), given)
}
