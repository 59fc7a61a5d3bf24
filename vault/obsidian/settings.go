// Package obsidian reads Obsidian's settings for a vault and its open note. Only the program reads these files; tools
// cannot.
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

// vault is the part of a vault that this package uses.
type vault interface {
	Source() walk.Source
	Private(name string) bool
	// Own reads a file of a protected folder and returns its modification time.
	Own(folder, name string) (data []byte, written time.Time, err error)
	// File returns the true name of the file at path.
	File(ctx context.Context, path string) (name string, err error)
	// Text reads a file of at most limit bytes; name is "" if there is no such file.
	Text(ctx context.Context, path string, limit int64) (name string, data []byte, err error)
}

// App represents Obsidian's configuration of a vault.
type App struct{ of vault }

// In returns the settings of Obsidian in a vault.
func In(v vault) App { return App{v} }

// read decodes a JSON file of the .obsidian folder and reports whether it exists and is JSON. Values of another type
// count as unset.
func (v App) read(name string, to any) bool {
	data, _, err := v.of.Own(".obsidian", name)
	_ = json.Unmarshal(data, to)
	return err == nil && json.Valid(data)
}

// settings are Obsidian's settings for this vault (.obsidian/app.json).
type settings struct {
	TrashOption       string   `json:"trashOption"`       // "system", "local", "none"; "" means "system"
	NewLinkFormat     string   `json:"newLinkFormat"`     // "shortest", "relative", "absolute"; "" means "shortest"
	UseMarkdownLinks  bool     `json:"useMarkdownLinks"`  // new links have the form [text](path.md)
	AlwaysUpdateLinks *bool    `json:"alwaysUpdateLinks"` // nil means true
	NewFileLocation   string   `json:"newFileLocation"`   // "root", "current", "folder"; "" means "root"
	NewFileFolder     string   `json:"newFileFolderPath"` // for "folder"
	UserIgnoreFilters []string `json:"userIgnoreFilters"` // path prefixes, or /regular expressions/
}

// Settings reads app.json.
func (v App) Settings() (s settings) {
	v.read("app.json", &s)
	return s
}

// AlwaysUpdatesLinks reports whether Obsidian is set to update links without asking.
func (v App) AlwaysUpdatesLinks() bool {
	set := v.Settings().AlwaysUpdateLinks
	return set == nil || *set
}

// TrashName returns the place to which deleted files move, for the user. If the system has no trash, that is the
// vault's .trash folder.
func (v App) TrashName() string {
	switch v.Settings().TrashOption {
	case "local":
		return "the vault's .trash folder"
	case "none":
		return "the trash in chatvault's state folder"
	}
	return "the system's trash"
}

// FaultyIgnoreFilters returns the exclusion filters that are not used because they are not valid RE2 expressions.
func (v App) FaultyIgnoreFilters() []string {
	return walk.NewRules(v.Settings().UserIgnoreFilters).Faulty
}

// NewNoteFolder returns the folder that Obsidian's settings choose for a new note without a folder; "" is the vault's
// root. "The same folder as the current file" counts as the root, since no file is open, and so does a folder that
// cannot be used.
func (v App) NewNoteFolder() string {
	s := v.Settings()
	if s.NewFileLocation != "folder" {
		return ""
	}
	return v.usable(s.NewFileFolder)
}

// inSight returns a folder of the settings as a clean path, or "" if it is the root or not visible.
func (v App) inSight(folder string) string {
	clean, err := pathname.Clean(strings.Trim(folder, "/"))
	if err != nil || clean == "." || v.of.Private(clean) {
		return ""
	}
	return clean
}

// usable is inSight for a folder to be created; it is also "" if the name is not allowed.
func (v App) usable(folder string) string {
	clean := v.inSight(folder)
	for name := range strings.SplitSeq(clean, "/") {
		if pathname.NewNameFault(name) != "" {
			return ""
		}
	}
	return clean
}

// NewNotePath returns the path for a new note. A bare name goes into NewNoteFolder, any other path is unchanged;
// "./a.md" is in the root.
func (v App) NewNotePath(given string) string {
	if strings.Contains(given, "/") || !pathname.IsNote(strings.TrimRight(given, "\r\n")) {
		return given
	}
	return path.Join(v.NewNoteFolder(), given)
}
