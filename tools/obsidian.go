package tools

import (
	"context"
	"path"
	"strings"
	"time"

	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/obsidian"
)

// obsidianStore is what the settings say of a vault, and Obsidian's workspace; *vault.Vault is one.
type obsidianStore interface {
	DailyNote(ctx context.Context, day time.Time) (obsidian.DailyNote, error)
	ActiveNote(ctx context.Context) (obsidian.ActiveNote, error)
	Template(ctx context.Context, name, title string, when time.Time) (obsidian.Template, error)
	NewNotePath(given string) string
	Private(path string) bool
}

// placed is where a write to a path goes: to that path, but for a new note for which no folder
// was named, which goes where the vault's settings put new notes. It fails where another note is
// there that the turn does not know: nobody meant to write over that.
func (t *Turn) placed(ctx context.Context, given string) (string, error) {
	to := t.obsidian.NewNotePath(given)
	if to == given {
		return given, nil
	}
	if _, err := t.notes.Stat(ctx, given); !isKind(err, vault.KindNotFound) {
		return given, nil // it is there, or cannot be: that is for the write to say
	}
	info, err := t.notes.Stat(ctx, to)
	switch {
	case isKind(err, vault.KindNotFound):
		return to, nil
	case err != nil:
		return "", err
	case t.known(info.Path) != "":
		return to, nil
	}
	name := strings.TrimRight(given, "\r\n")
	return "", &vault.Error{
		Kind: vault.KindExists, Path: given,
		Text: wording.Quote(name) + " would be made in " + wording.Quote(wording.FolderName(path.Dir(to))) + ", where new notes go in this vault, and " +
			wording.Quote(info.Path) + " is there already. Read that and write to its whole path, choose another name, or write to " +
			wording.Quote("./"+name) + " to make it outside of that folder.",
	}
}

// placedNote says that a note went where nobody had named a folder, "" where it did not.
func placedNote(given, to string) string {
	if given == to {
		return ""
	}
	return " New notes go to " + wording.Quote(wording.FolderName(path.Dir(to))) + " in this vault, as Obsidian's settings say."
}
