package tools

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault"
)

// creates fills in what a new file is.
func (p *Proposal) creates(text string, folders []string) {
	p.Kind = ChangeCreate
	p.Detail = joined("new file, "+wording.SizeText(int64(len(text))), madeFolders(folders))
	p.show("", text)
}

// replaces fills in what becomes of a file; before is nil where it is too large to be shown.
func (p *Proposal) replaces(before *vault.File, size int64, after string) {
	if before == nil || bytes.IndexByte(before.Data, 0) >= 0 {
		what := "a file that is not text"
		if before == nil {
			what = "a file too large to show"
		}
		p.Destructive = size > 0
		p.Detail = fmt.Sprintf("%s (%s) becomes %s of text", what, wording.SizeText(size), wording.SizeText(int64(len(after))))
		p.show("", after)
		return
	}
	if p.Kind == ChangeOverwrite {
		p.Detail = wording.SizeText(size) + " become " + wording.SizeText(int64(len(after)))
	}
	gone, all := textedit.LinesGone(string(before.Data), after)
	if p.Destructive = 2*gone > all; p.Destructive {
		p.Detail = joined(p.Detail, fmt.Sprintf("removes %d of %s", gone, wording.Counted(all, "line")))
	}
	p.show(string(before.Data), after)
}

// show fills in the diffs. Where they are not whole the detail, which stands first, says so.
func (p *Proposal) show(before, after string) {
	p.Diff = textedit.TextDiff(p.Path, before, after)
	var whole bool
	p.Prose, whole = textedit.Prose(p.Path, before, after)
	p.Pick = whole && before != "" && len(p.Prose.Hunks) > 1
	if !whole {
		p.Detail = joined(p.Detail, "too long to be shown whole")
	}
}

// maxNamedLinks is how many notes are named that link to what is deleted.
const maxNamedLinks = 3

// linkedText says which notes link to what is deleted; empty where none do.
func (t *Turn) linkedText(ctx context.Context, path string) string {
	notes, err := t.vault.LinkedFrom(ctx, path)
	if err != nil || len(notes) == 0 { // what is deleted is known all the same
		return ""
	}
	text := wording.Counted(len(notes), "note") + " link here: "
	if len(notes) == 1 {
		text = "1 note links here: "
	}
	named := make([]string, 0, maxNamedLinks)
	for _, n := range notes[:min(len(notes), maxNamedLinks)] {
		named = append(named, wording.PlainName(n))
	}
	if more := len(notes) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	return text + strings.Join(named, ", ")
}

// showDeleted shows the text of a note that is deleted.
func (t *Turn) showDeleted(ctx context.Context, p *Proposal) {
	if p.Folder {
		return
	}
	f, err := t.notes.Read(ctx, p.Path)
	if err != nil || len(f.Data) == 0 || bytes.IndexByte(f.Data, 0) >= 0 {
		return
	}
	p.show(string(f.Data), "")
	p.Pick = false
}

// contentsText says what is moved or deleted.
func contentsText(c vault.Contents) string {
	if !c.Folder {
		return "file, " + wording.ExactSize(c.Bytes)
	}
	text := "folder with " + wording.Counted(c.Notes, "note") + namedNotes(c)
	if c.Files == 0 && c.Folders == 0 {
		text = "empty folder"
	}
	if other := c.Files - c.Notes; other > 0 {
		text += ", " + wording.Counted(other, "other file")
	}
	if c.Folders > 0 {
		text += ", " + wording.Counted(c.Folders, "folder")
	}
	if c.Files > 0 {
		text += ", " + wording.ExactSize(c.Bytes)
	}
	if c.Hidden {
		text += ", and hidden files"
	}
	if !c.Whole {
		text += ", and more that was not counted"
	}
	return text
}

// maxNoteName bounds the name of a note among those that are named, in bytes.
const maxNoteName = 60

// namedNotes names the first notes of a folder, so that it can be told from another.
func namedNotes(c vault.Contents) string {
	if len(c.Names) == 0 {
		return ""
	}
	names := make([]string, len(c.Names))
	for i, n := range c.Names {
		names[i] = wording.Shorten(wording.PlainName(n), maxNoteName)
	}
	text := strings.Join(names, ", ")
	if more := c.Notes - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return " (" + text + ")"
}

// madeFolders says which folders are made for a change, empty where none are.
func madeFolders(folders []string) string {
	if len(folders) == 0 {
		return ""
	}
	return "creates the folder " + wording.PlainName(path.Clean(folders[len(folders)-1]))
}

// joined are the parts of a detail that say something.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
}
