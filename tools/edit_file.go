package tools

import (
	"bytes"
	"context"
	_ "embed" // the description
	"fmt"
	"strings"

	"chatvault/vault"
)

type editFileArgs struct {
	Path             string     `json:"path" nonempty:"true" jsonschema:"the file, relative to the vault"`
	OldText          *string    `json:"old_text,omitempty" jsonschema:"replace: the exact text to replace, found once in the file; may span lines"`
	NewText          *string    `json:"new_text,omitempty" jsonschema:"replace: what to put in its place; empty deletes it"`
	ReplaceAll       bool       `json:"replace_all,omitempty" jsonschema:"replace: every occurrence instead of exactly one"`
	InsertAfterLine  *int       `json:"insert_after_line,omitempty" min:"0" jsonschema:"insert: put content after this line; 0 is the top of the file"`
	InsertBeforeLine *int       `json:"insert_before_line,omitempty" min:"1" jsonschema:"insert: put content before this line; 1 is the top of the file"`
	Content          *string    `json:"content,omitempty" jsonschema:"insert: the lines to put in"`
	DeleteLines      *lineRange `json:"delete_lines,omitempty" jsonschema:"delete: the lines from start to end, inclusive"`
}

type lineRange struct {
	Start int `json:"start" min:"1" jsonschema:"first line to delete, 1-based"`
	End   int `json:"end" min:"1" jsonschema:"last line to delete, inclusive"`
}

//go:embed edit_file.md
var editFileText string

var editFile = define(definition{
	name:        "edit_file",
	description: editFileText,
	example:     `{"path": "Notes/a.md", "old_text": "draft", "new_text": "final"}`,
	forms: []form{
		{"insert_before_line", `{"path": "Notes/a.md", "insert_before_line": 1, "content": "text"}, where 1 is the top of the file`},
		{"insert_after_line", `{"path": "Notes/a.md", "insert_after_line": 3, "content": "text"}, where 0 is the top of the file`},
		{"delete_lines", `{"path": "Notes/a.md", "delete_lines": {"start": 5, "end": 10}}, where line 1 is the first`},
	},
}, runEditFile, func(a editFileArgs) string { return a.Path })

func runEditFile(ctx context.Context, t *Turn, a editFileArgs) Result {
	if err := a.check(); err != nil {
		return failf("invalid arguments", "%s", err)
	}
	file, err := t.notes.Read(ctx, a.Path)
	if err != nil {
		return failed("edit_file", err)
	}
	if known := t.known(file.Path); known != "" && known != file.Hash {
		return changedOnDisk(file.Path)
	}
	if bytes.IndexByte(file.Data, 0) >= 0 {
		return failf("binary", "%s is a binary file, not text; it cannot be edited.", quote(file.Path))
	}
	text := newTextFile(file.Data)
	e, err := a.workOut(text, file.Path)
	if err != nil {
		return failf("not edited", "%s", err)
	}
	after := text.apply(e.splices)
	if after == string(file.Data) {
		return failf("no change", "The edit would leave %s as it is; nothing was written.", quote(file.Path))
	}
	ctx, part := withPieces(ctx)
	// The path as given, not the true name: a write through a symbolic link is refused.
	c, err := t.notes.Write(ctx, a.Path, []byte(after), file.Hash)
	if err != nil {
		return failed("edit_file", err)
	}
	t.changed(change{verb: "edited", path: c.Path})
	if part.written != nil {
		t.remember(c.Path, vault.Hash(part.written))
		return part.result(c, after)
	}
	t.remember(c.Path, vault.Hash([]byte(after)))
	diff, added, removed := fileDiff(text, file.Path, e.splices)
	return Result{
		Text:    noted(e.summary, c) + "\n\n" + diff,
		Summary: fmt.Sprintf("+%d −%d", added, removed),
	}
}

// check refuses arguments that do not say one thing.
func (a editFileArgs) check() error {
	var modes []string
	if a.OldText != nil || a.NewText != nil {
		modes = append(modes, "old_text/new_text")
	}
	if a.InsertAfterLine != nil {
		modes = append(modes, "insert_after_line")
	}
	if a.InsertBeforeLine != nil {
		modes = append(modes, "insert_before_line")
	}
	if a.DeleteLines != nil {
		modes = append(modes, "delete_lines")
	}
	switch {
	case len(modes) == 0:
		return sentence("edit_file needs one kind of edit. Use: " + editForms)
	case len(modes) > 1:
		return sentence("%s exclude each other; make one kind of edit a call. Use: "+editForms, strings.Join(modes, " and "))
	}
	switch mode := modes[0]; {
	case mode == "old_text/new_text" && a.OldText == nil:
		return sentence(`Missing argument "old_text" for edit_file: the exact text that new_text replaces.`)
	case mode == "old_text/new_text" && a.NewText == nil:
		return sentence(`Missing argument "new_text" for edit_file: what replaces old_text; "" deletes it.`)
	case mode != "old_text/new_text" && a.ReplaceAll:
		return sentence("replace_all goes with old_text and new_text only, not with %s.", mode)
	case strings.HasPrefix(mode, "insert") && a.Content == nil:
		return sentence(`Missing argument "content" for edit_file: the lines that %s puts in.`, mode)
	case !strings.HasPrefix(mode, "insert") && a.Content != nil:
		return sentence(`content goes with insert_after_line or insert_before_line only, not with %s. To replace text use old_text and new_text.`, mode)
	}
	return nil
}

// editForms are the kinds of edit, as an error shows them.
const editForms = `{"path": "a.md", "old_text": "old", "new_text": "new"} or ` +
	`{"path": "a.md", "insert_after_line": 3, "content": "text"} or ` +
	`{"path": "a.md", "insert_before_line": 3, "content": "text"} or ` +
	`{"path": "a.md", "delete_lines": {"start": 5, "end": 10}}`

// workOut turns checked arguments into an edit of the file.
func (a editFileArgs) workOut(f *textFile, name string) (edit, error) {
	switch {
	case a.OldText != nil:
		return replaceText(f, name, *a.OldText, *a.NewText, a.ReplaceAll)
	case a.InsertAfterLine != nil:
		return insertLines(f, name, *a.Content, *a.InsertAfterLine, false)
	case a.InsertBeforeLine != nil:
		return insertLines(f, name, *a.Content, *a.InsertBeforeLine-1, true)
	default:
		return deleteLines(f, name, a.DeleteLines.Start, a.DeleteLines.End)
	}
}
