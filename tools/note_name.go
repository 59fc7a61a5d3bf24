package tools

import (
	"context"
	"path"
	"reflect"
	"strings"

	"chatvault/internal/base/text"
	"chatvault/tools/transcript"
	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/vaulterr"
)

// Arguments tagged note:"true" name an existing file: by its path, or like a link by file name, title or alias, with
// or without .md, in whatever folder. Those tagged note:"strict", of tools that remove a note, must have the right
// folder or none. The path of a new file is taken literally.

// noteField is the index of an argument that names a file.
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

// resolveNotes replaces names of notes by paths in args, a pointer to a struct of arguments, and returns the last
// path set.
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

// withResolvedPath prepends the resolved path to a result unless its first line contains it.
func (r Result) withResolvedPath(path string) Result {
	first, _, _ := strings.Cut(r.Text, "\n")
	if path != "" && !r.IsError && !strings.Contains(first, wording.PlainName(path)) {
		r.Text = transcript.MeantLine(path) + r.Text
	}
	return r
}

// noteNamed returns the path of the named file: the given path if it exists, else the only file that a link with this
// text can mean, else the only note with this name in another folder (unless strict), else the only note with this
// title or alias. Without a match it returns the given path, for the tool to report.
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
	names, err := t.vault.Query.LinkNames(ctx)
	if err != nil {
		return "", err
	}
	bare := strings.TrimSuffix(path.Base(name), ".md")
	found := names.Candidates(strings.TrimSuffix(name, ".md") + ".md")
	if len(found) == 0 && (linked || names.Logseq) {
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
		return "", ambiguousNote(given, found)
	case linked:
		return name, nil
	}
	return given, nil
}

// linkTarget returns the target of a link without heading and alias, and whether the text is a link.
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

// maxNamed is the maximum number of matching notes listed in an error.
const maxNamed = 10

// ambiguousNote returns the error for an ambiguous name.
func ambiguousNote(given string, found []string) error {
	return vaulterr.New(vaulterr.KindAmbiguous, given, "%s matches several notes: %s. Give the full path of the one you mean.",
		wording.Quote(strings.TrimSpace(given)), text.First(text.Of(found, wording.Quote), maxNamed))
}

// namesMissingFolder reports whether name ends with a slash, as a folder's does, and does not exist. The vault judges
// existing paths.
func (t *Turn) namesMissingFolder(ctx context.Context, name string) bool {
	if end := strings.TrimRight(name, "\r\n"); !strings.HasSuffix(end, "/") && !strings.HasSuffix(end, "/.") {
		return false
	}
	_, err := t.notes.Stat(ctx, name)
	return isKind(err, vault.KindNotFound)
}

// pathForWrite returns the path for a write: the given path, except that a new note without a folder goes where the
// vault's settings put new notes. It fails if another note exists there that the turn does not know.
func (t *Turn) pathForWrite(ctx context.Context, given string) (string, error) {
	to := t.vault.Obsidian.NewNotePath(given)
	if to == given {
		return given, nil
	}
	if _, err := t.notes.Stat(ctx, given); !isKind(err, vault.KindNotFound) {
		return given, nil // it exists or is invalid: the write reports that
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
	return "", vaulterr.New(vaulterr.KindExists, given, "%s would be created in %s, where new notes go in this vault, and %s already exists. "+
		"Read it and write to its full path, choose another name, or write to %s to create it outside that folder.",
		wording.Quote(name), wording.Quote(wording.FolderName(path.Dir(to))), wording.Quote(info.Path), wording.Quote("./"+name))
}

// placementNote describes where a note without a folder went, or returns "".
func placementNote(given, to string) string {
	if given == to {
		return ""
	}
	return " New notes go to " + wording.Quote(wording.FolderName(path.Dir(to))) + " in this vault, as Obsidian's settings say."
}
