package tools

import (
	"bytes"
	"context"
	"path"
	"strings"
	"time"

	"chatvault/internal/base/text"
	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/note"
	"chatvault/vault/vaulterr"
)

type writeFileArgs struct {
	Path     string `json:"path" nonempty:"true" jsonschema:"with its extension, such as Ideas/Garden.md"`
	Content  string `json:"content" unless:"template"`
	Template string `json:"template,omitempty" jsonschema:"start a new note from this template; content, which may be empty, follows it"`
}

var _ = define(definition{
	name:   "write_file",
	traits: Traits{Verb: "writing", Did: "wrote", Kind: CallEdits, Edits: true, Whole: true, Again: true},
	short: []Form{{
		About: "create a new note; folder is empty if none was given", Params: []Param{{"title", OfTitles}, {"folder", OfFolders}, {"content", OfContents}}, For: []Wish{WishCreate},
		as: func(a map[string]string, _ string) map[string]any {
			folder := strings.Trim(a["folder"], "/ ")
			title := strings.TrimSuffix(strings.TrimPrefix(strings.Trim(a["title"], "/ "), folder+"/"), ".md")
			if folder != "" {
				title = folder + "/" + strings.TrimSuffix(title, " in "+folder)
			}
			return map[string]any{"path": title + ".md", "content": strings.TrimRight(a["content"], "\n") + "\n"}
		},
	}},
	example: `{"path": "Notes/a.md", "content": "# Title\n\nText\n"}`,
}, runWriteFile, func(a writeFileArgs) string { return a.Path })

func runWriteFile(ctx context.Context, t *Turn, a writeFileArgs) Result {
	if t.namesMissingFolder(ctx, a.Path) {
		return failf("names a folder", "%s ends in \"/\", so it names a folder; no file was written. "+
			"Give the path of a file, or create the folder with create_folder.", wording.Quote(a.Path))
	}
	given := a.Path
	var err error
	if a.Path, err = t.pathForWrite(ctx, given); err != nil {
		return failed("write_file", err)
	}
	begun := ""
	if a.Template != "" {
		if begun, err = t.begin(ctx, &a); err != nil {
			return failed("write_file", err)
		}
	}
	data := []byte(a.Content)
	part := &partialWrite{}
	name, before := path.Clean(strings.TrimRight(a.Path, "\r\n")), []byte(nil)
	if old, err := t.notes.Read(ctx, a.Path); err == nil {
		name, before = old.Path, old.Data
	}
	ifHash := t.known.Hash(name)
	var c vault.Change
	if begun != "" {
		c, err = t.create(ctx, a.Path, data)
	} else {
		c, err = t.write(ctx, a.Path, data, ifHash, part)
	}
	if err != nil {
		if ifHash != "" && isKind(err, vault.KindChanged) {
			return t.refused(ctx, a.Path, err)
		}
		return failed("write_file", err)
	}
	if part.written != nil {
		t.known.Made("overwrote", c, "")
		return part.result(c, a.Content)
	}
	t.known.Read(c.Path, vault.Hash(c.Data))
	verb := "overwrote"
	if c.Op == "create" {
		verb = "created"
	}
	t.known.Made(verb, c, "")
	size := wording.SizeText(int64(len(data)))
	r := textf(verb+", "+size, "%s file %s (%s).%s%s", text.Capital(verb), wording.Quote(c.Path), size, begun, placementNote(given, a.Path)).withNote(c)
	if old := textedit.NewFile(before); vault.IsNote(c.Path) && c.Op != "create" {
		whole := old.Rewrite(textedit.NewFile(data).View, "")
		if done := t.completer(ctx)(old, whole); !bytes.Equal(old.Content(done.Splices), old.Content(whole.Splices)) {
			r.Text += " A task was ticked or opened again, but its dates and next occurrence are not written: edit_file does that."
		}
	}
	if c.Op == "overwrite" && len(before) <= maxReplaced && bytes.IndexByte(before, 0) < 0 {
		r.Diff = textedit.ResultDiff(c.Path, string(before), string(c.Data))
	}
	return r
}

// begin starts a new note from a template, which becomes part of the content, and describes that.
func (t *Turn) begin(ctx context.Context, a *writeFileArgs) (said string, err error) {
	if info, err := t.notes.Stat(ctx, a.Path); err == nil {
		return "", vaulterr.New(vaulterr.KindExists, info.Path, "%s already exists, and only a new note can start from a template. "+
			"Choose another name, or add to the note with append_file or edit_file.", wording.Quote(info.Path))
	}
	title := strings.TrimSuffix(path.Base(strings.TrimRight(a.Path, "\r\n")), path.Ext(a.Path))
	template, err := t.vault.Obsidian.Template(ctx, a.Template, title, time.Now())
	if err != nil {
		return "", err
	}
	switch {
	case strings.TrimSpace(a.Content) == "":
		a.Content = template.Text
	case note.Parse([]byte(a.Content)).Front.Lines > 0:
		return "", vaulterr.New(vaulterr.KindOther, a.Path, "The content has front matter, which would end up below the template: "+
			"leave it out, and set the properties with set_property afterwards.")
	default:
		data, _, err := afterTemplate(template.Text, a.Path, textedit.Addition{Content: a.Content})
		if err != nil {
			return "", err
		}
		a.Content = string(data)
	}
	said = " It starts with the template " + wording.Quote(template.Path) + "."
	if template.Templater {
		said += " The template has code of the plugin Templater (<% … %>), which was left as it is: tell the user, who can run it in Obsidian."
	}
	return said, nil
}

// maxReplaced is the maximum size of previous content that is shown, in bytes.
const maxReplaced = 1 << 20

// refused returns the error for a file that changed since the turn read it. If it is gone, the model may create it by
// calling again.
func (t *Turn) refused(ctx context.Context, name string, cause error) Result {
	if _, err := t.notes.Stat(ctx, name); isKind(err, vault.KindNotFound) {
		t.known.Forget(path.Clean(strings.TrimRight(name, "\r\n")))
		return failf("gone", "%s was moved or deleted since you last read it; nothing was written. "+
			"To create it again, call write_file again.", wording.Quote(name))
	}
	return failed("write_file", cause)
}

// withNote appends the vault's remark on a change.
func (r Result) withNote(c vault.Change) Result { return r.withLinks(c, "") }

// withLinks is withNote with the end of the sentence about links.
func (r Result) withLinks(c vault.Change, said string) Result {
	r.Text += linksText(c, said)
	if c.Note != "" {
		r.Text += " " + c.Note
	}
	return r
}
