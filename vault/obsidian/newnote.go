package obsidian

import (
	"path"
	"strings"

	"chatvault/vault/pathname"
)

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

// AttachmentFolder is where Obsidian's settings put attachments, "" for the vault itself. "./" and what
// is below it mean a folder beside the current file, which is here the vault itself.
func (v App) AttachmentFolder() string { return v.usable(v.Settings().AttachmentFolder) }

// usable is a folder of the settings as a path; "" where it may not be used.
func (v App) usable(folder string) string {
	clean, err := pathname.Clean(strings.Trim(folder, "/"))
	if err != nil || clean == "." || v.of.Private(clean) {
		return ""
	}
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
