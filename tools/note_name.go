package tools

import (
	"context"
	"fmt"
	"path"
	"reflect"
	"strings"

	"chatvault/tools/transcript"

	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/failure"
)

// Arguments tagged note:"true" name a file that is there: by its path, or as a link does, with or without .md,
// whatever folder is given with it, by the name of its file, its title or an alias. Those tagged note:"strict",
// of tools that take a note away, must have no folder with the name, or the right one. A path of something
// that is to be made is taken as it stands.

// noteField is an argument that names a file, by its place in its struct.
type noteField struct {
	place  int
	strict bool
}

// noteFields returns the arguments of a tool that name a file.
func noteFields(t reflect.Type) (fields []noteField) {
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("note"); tag != "" {
			fields = append(fields, noteField{i, tag == "strict"})
		}
	}
	return fields
}

// resolveNotes puts paths in the place of names of notes, and returns the last that it put there.
// args is a pointer to a struct of arguments.
func (t *Turn) resolveNotes(ctx context.Context, args any, fields []noteField) (meant string, err error) {
	for _, f := range fields {
		field := reflect.ValueOf(args).Elem().Field(f.place)
		given := field.String()
		to, err := t.noteNamed(ctx, given, f.strict)
		if err != nil {
			return "", err
		}
		if to != given {
			meant = to
			field.SetString(to)
		}
	}
	return meant, nil
}

// withMeant returns a result that begins with the note that a name meant, unless its first line has the path.
func (r Result) withMeant(path string) Result {
	first, _, _ := strings.Cut(r.Text, "\n")
	if path != "" && !r.IsError && !strings.Contains(first, wording.PlainName(path)) {
		r.Text = transcript.MeantLine(path) + r.Text
	}
	return r
}

// noteNamed returns the path of the file that is named: the path that was given if something is there, else
// the only file that a link with this text can mean, else the only note with this name in another folder (not
// if strict), else the only note with this title or alias. It is given if there is none, for the tool to say so.
func (t *Turn) noteNamed(ctx context.Context, given string, strict bool) (string, error) {
	name, linked := linkTarget(given)
	if t.vault == nil || name == "" || strings.HasSuffix(name, "/") {
		return given, nil
	}
	if !linked {
		if _, err := t.notes.Stat(ctx, given); !isKind(err, vault.KindNotFound) {
			return given, nil
		}
	}
	names, err := t.vault.LinkNames(ctx)
	if err != nil {
		return "", err
	}
	bare := strings.TrimSuffix(path.Base(name), ".md")
	found := names.Candidates(strings.TrimSuffix(name, ".md") + ".md")
	if len(found) == 0 && linked {
		found = names.Candidates(name)
	}
	if len(found) == 0 && !strict {
		found = names.Candidates(bare + ".md")
	}
	if len(found) == 0 && t.options.Finder != nil && (!strict || !strings.Contains(name, "/")) {
		if found, err = t.options.Finder.Called(ctx, bare); err != nil {
			return "", err
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", severalNotes(given, found)
	case linked:
		return name, nil
	}
	return given, nil
}

// linkTarget is what a link names, without heading and alias, and whether it is written as one.
func linkTarget(given string) (name string, linked bool) {
	name = strings.TrimSpace(given)
	inner, ok := strings.CutPrefix(strings.TrimPrefix(name, "!"), "[[")
	if !ok || !strings.HasSuffix(inner, "]]") {
		return name, false
	}
	inner, _, _ = strings.Cut(strings.TrimSuffix(inner, "]]"), "|")
	inner, _, _ = strings.Cut(inner, "#")
	return strings.TrimSpace(inner), true
}

// maxNamed is how many notes are named that a name fits.
const maxNamed = 10

// severalNotes refuses a name that fits several notes.
func severalNotes(given string, found []string) error {
	var list []string
	for _, p := range found[:min(len(found), maxNamed)] {
		list = append(list, wording.Quote(p))
	}
	if more := len(found) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return failure.New(failure.KindAmbiguous, given, "%s matches several notes: %s. Give the full path of the one you mean.",
		wording.Quote(strings.TrimSpace(given)), strings.Join(list, ", "))
}

// namesFolder says that a path can only be meant as a folder's: it ends in a slash.
func namesFolder(name string) bool {
	name = strings.TrimRight(name, "\r\n")
	return strings.HasSuffix(name, "/") || strings.HasSuffix(name, "/.")
}

// folderMeant says that name is a folder's and leads nowhere yet: a file made there would
// be none of what was meant. A path that leads somewhere is the vault's to judge.
func (t *Turn) folderMeant(ctx context.Context, name string) bool {
	if !namesFolder(name) {
		return false
	}
	_, err := t.notes.Stat(ctx, name)
	return isKind(err, vault.KindNotFound)
}

// fileMeant is a path that name, which ends in a slash, may have been meant to be: itself,
// where it has the extension of a file, else that of a file in it.
func fileMeant(name, file string) string {
	name = path.Clean(strings.TrimRight(name, "\r\n"))
	if ext := path.Ext(name); ext != "" && ext != path.Base(name) && !strings.Contains(ext, " ") {
		return name
	}
	return path.Join(name, file)
}

// placed is where a write to a path goes: to that path, but for a new note for which no folder
// was named, which goes where the vault's settings put new notes. It fails where another note is
// there that the turn does not know: nobody meant to write over that.
func (t *Turn) placed(ctx context.Context, given string) (string, error) {
	to := t.vault.NewNotePath(given)
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
	case t.known.Hash(info.Path) != "":
		return to, nil
	}
	name := strings.TrimRight(given, "\r\n")
	return "", failure.New(failure.KindExists, given, "%s would be created in %s, where new notes go in this vault, and %s already exists. "+
		"Read it and write to its full path, choose another name, or write to %s to create it outside that folder.",
		wording.Quote(name), wording.Quote(wording.FolderName(path.Dir(to))), wording.Quote(info.Path), wording.Quote("./"+name))
}

// placedNote says that a note went where nobody had named a folder, "" where it did not.
func placedNote(given, to string) string {
	if given == to {
		return ""
	}
	return " New notes go to " + wording.Quote(wording.FolderName(path.Dir(to))) + " in this vault, as Obsidian's settings say."
}
