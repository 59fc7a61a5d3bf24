package tools

import (
	"bytes"
	"context"
	"strings"

	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault"
)

type appendFileArgs struct {
	Path string `json:"path" nonempty:"true"`
	textedit.Addition
	Create bool `json:"create,omitempty" jsonschema:"create a missing file"`
}

var _ = define(definition{
	name:   "append_file",
	traits: Traits{Verb: "adding to", Did: "added to", Kind: CallEdits, Edits: true, Adds: true, Spare: true},
	short: []Form{
		{About: `add lines to the end of a note; a task is "- [ ] text"`, Params: []Param{{"path", OfNotes}, {"content", OfContents}}, For: []Wish{WishAdd}},
		{
			Name: "append_under", About: "add lines under a heading of a note", Params: []Param{{"path", OfNotes}, {"heading", OfHeadings}, {"content", OfContents}}, For: []Wish{WishAdd},
			as: func(a map[string]string, text string) map[string]any {
				return map[string]any{"path": a["path"], "heading": a["heading"], "content": textedit.LikeItems(a["content"], text, a["heading"])}
			},
		},
	},
	example: `{"path": "Notes/a.md", "heading": "Log", "content": "- text"}`,
}, runAppendFile, func(a appendFileArgs) string {
	if a.Path == "" || a.Heading == "" {
		return a.Path
	}
	return a.Path + " under " + strings.TrimSpace(strings.TrimLeft(a.Heading, "# "))
})

func runAppendFile(ctx context.Context, t *Turn, a appendFileArgs) Result {
	switch {
	case strings.TrimSpace(a.Content) == "":
		return failf("invalid arguments", "content is blank; nothing would be added.")
	case a.CreateHeading && strings.TrimSpace(a.Heading) == "":
		return failf("invalid arguments", `create_heading needs "heading".`)
	case strings.ContainsAny(strings.TrimSpace(a.Heading), "\r\n"):
		return failf("invalid arguments", "heading must be one line.")
	}
	if name, linked := linkTarget(a.Path); linked || !a.Create { // otherwise it may be the name of a new note
		var err error
		if a.Path, err = t.noteNamed(ctx, a.Path, false); err != nil {
			return failed("append_file", err)
		}
		if a.Create && a.Path == name {
			return failf("not found", "No note is called %s. Give the path of the note to create, such as %s.", wording.Quote(name), wording.Quote(name+".md"))
		}
	}
	file, err := t.notes.Read(ctx, a.Path)
	if isKind(err, vault.KindNotFound) {
		return t.appendNew(ctx, a, err)
	}
	if err != nil {
		return failed("append_file", err)
	}
	return t.appendTo(ctx, a.Path, file, a.Addition, "nothing can be added to it", "no such heading")
}

// appendTo appends to an existing file. binary and failure are the error and summary texts if that is impossible.
func (t *Turn) appendTo(ctx context.Context, path string, file *vault.File, a textedit.Addition, binary, failure string) Result {
	if a.Heading != "" && !vault.IsNote(file.Path) && bytes.IndexByte(file.Data, 0) < 0 {
		return failf("not a note", "%s is not a Markdown note and has no headings; leave heading out.", wording.Quote(file.Path))
	}
	return t.edit(ctx, path, file, nil, binary, failure, func(f *textedit.File) (textedit.Edit, error) {
		return a.WorkOut(f, file.Path)
	})
}

// appendNew creates the missing file if the call asked for it; otherwise it returns the error for missing.
func (t *Turn) appendNew(ctx context.Context, a appendFileArgs, missing error) Result {
	if !a.Create {
		r := failed("append_file", missing)
		r.Text = strings.TrimSuffix(r.Text, ".") + `. Set "create": true to create it.`
		return r
	}
	if t.namesMissingFolder(ctx, a.Path) {
		return failf("names a folder", "%s ends in \"/\", so it names a folder; nothing was written. Give the path of a file.", wording.Quote(a.Path))
	}
	given := a.Path
	var err error
	if a.Path, err = t.pathForWrite(ctx, given); err != nil {
		return failed("append_file", err)
	}
	text := textedit.NewFile(nil)
	a.CreateHeading = true
	e, err := a.WorkOut(text, a.Path)
	if err != nil {
		return failf("invalid arguments", "%s", err)
	}
	return t.createAndReport(ctx, a.Path, text.Content(e.Splices), "", placementNote(given, a.Path))
}

// createAndReport creates a file that must not exist and returns the result. from is inserted into its sentence; more
// follows it.
func (t *Turn) createAndReport(ctx context.Context, path string, data []byte, from, more string) Result {
	c, err := t.create(ctx, path, data)
	if err != nil {
		return failed(toolOf(ctx), err)
	}
	t.known.Made("created", c, "")
	size := wording.SizeText(int64(len(data)))
	return textf("created, "+size, "Created file %s (%s)%s.%s", wording.Quote(c.Path), size, from, more).withNote(c)
}
