package tools

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"chatvault/tools/textedit"
	"chatvault/tools/wording"
	"chatvault/vault"
)

type editFileArgs struct {
	Path string `json:"path,omitempty" note:"true"`
	editArgs
	Edits []editArgs `json:"edits,omitempty" minitems:"1" maxitems:"100"`
	Where *where     `json:"where,omitempty"`
}

// editArgs is a single edit, of one kind.
type editArgs struct {
	OldText          *string    `json:"old_text,omitempty"`
	NewText          *string    `json:"new_text,omitempty"`
	ReplaceAll       bool       `json:"replace_all,omitempty"`
	InsertAfterLine  *int       `json:"insert_after_line,omitempty" min:"0"`
	InsertBeforeLine *int       `json:"insert_before_line,omitempty" min:"1"`
	Content          *string    `json:"content,omitempty"`
	DeleteLines      *lineRange `json:"delete_lines,omitempty"`
}

type lineRange struct {
	Start int `json:"start" min:"1"`
	End   int `json:"end" min:"1"`
}

var _ = define(definition{
	name:   "edit_file",
	traits: Traits{Verb: "editing", Did: "edited", Kind: CallEdits, Edits: true},
	short: []Form{
		{About: "replace a text in a note by another text", Params: []Param{{"path", OfNotes}, {"old_text", ""}, {"new_text", ""}}, For: []Wish{WishChange, WishSet}},
		{
			Name: "replace_section", About: "replace all that stands under a heading", Params: []Param{{"path", OfNotes}, {"heading", OfHeadings}, {"content", ""}}, For: []Wish{WishSection},
			as: func(a map[string]string, text string) map[string]any {
				return map[string]any{"path": a["path"], "old_text": textedit.Under(text, a["heading"]), "new_text": a["content"]}
			},
		},
		{
			Name: "remove_line", About: "remove a line of a note", Params: []Param{{"path", OfNotes}, {"line", OfLines}}, For: []Wish{WishRemove},
			as: func(a map[string]string, text string) map[string]any {
				line := a["line"]
				if strings.Contains(text, line+"\n") {
					line += "\n"
				}
				return map[string]any{"path": a["path"], "old_text": line, "new_text": ""}
			},
		},
		{Name: "tick_task", About: "mark a task as done", Params: []Param{{"path", OfNotes}, {"task", OfOpen}}, For: []Wish{WishTick}, as: replaceBox("[ ] ", "[x] ")},
		{Name: "untick_task", About: "mark a task as not done", Params: []Param{{"path", OfNotes}, {"task", OfDone}}, For: []Wish{WishUntick}, as: replaceBox("[x] ", "[ ] ")},
	},
	example: `{"path": "Notes/a.md", "old_text": "draft", "new_text": "final"}`,
}, runEditFile, func(a editFileArgs) string {
	if a.Where != nil && a.Path == "" {
		return a.Where.target()
	}
	return a.Path
})

func runEditFile(ctx context.Context, t *Turn, a editFileArgs) Result {
	edits, err := a.edits()
	if err = cmp.Or(a.Where.check("edit_file", a.Path), err); err != nil {
		return failf("invalid arguments", "%s", err)
	}
	if a.Where != nil {
		return t.replaceMany(ctx, a.Where, edits)
	}
	file, err := t.notes.Read(ctx, a.Path)
	if err != nil {
		return failed("edit_file", err)
	}
	return t.edit(ctx, a.Path, file, &partialWrite{}, "it cannot be edited", "not edited", func(f *textedit.File) (textedit.Edit, error) {
		e, err := workOutEdits(edits, f, file.Path)
		if err != nil || !vault.IsNote(file.Path) {
			return e, err
		}
		return t.completer(ctx)(f, e), nil
	})
}

// replaceMany replaces a text in many notes, wherever it occurs.
func (t *Turn) replaceMany(ctx context.Context, w *where, edits []editArgs) Result {
	e := edits[0]
	switch {
	case e.OldText == nil || len(edits) > 1:
		return failf("invalid arguments", "where takes one old_text and its new_text: lines and other edits differ from note to note. Give path for them.")
	case *e.OldText == "" || *e.OldText == *e.NewText:
		return failf("invalid arguments", "old_text is empty or the same as new_text; nothing was changed.")
	}
	complete := t.completer(ctx)
	return t.editMany(ctx, manyEdit{
		where: *w, text: *e.OldText, did: "Replaced " + wording.Quote(wording.Shorten(*e.OldText, 80)),
		edit: func(file *vault.File) ([]byte, int, error) {
			f := textedit.NewFile(file.Data)
			if !f.Has(*e.OldText) {
				return nil, 0, nil
			}
			all, err := textedit.ReplaceText(f, file.Path, *e.OldText, *e.NewText, true)
			places := len(all.Splices)
			if err == nil {
				all = complete(f, all)
			}
			return f.Content(all.Splices), places, err
		},
	})
}

// edit edits an existing file, at its given path: a write through a symbolic link is refused. binary and failure are
// the error and summary texts if that is impossible.
func (t *Turn) edit(ctx context.Context, path string, file *vault.File, parts *partialWrite, binary, failure string,
	workOut func(*textedit.File) (textedit.Edit, error),
) Result {
	if known := t.known.Hash(file.Path); known != "" && known != file.Hash {
		return changedOnDisk(file.Path)
	}
	if bytes.IndexByte(file.Data, 0) >= 0 {
		return failf("binary", "%s is a binary file, not text; %s.", wording.Quote(file.Path), binary)
	}
	text := textedit.NewFile(file.Data)
	e, err := workOut(text)
	if err != nil {
		return failf(failure, "%s", err)
	}
	after := text.Content(e.Splices)
	if bytes.Equal(after, file.Data) {
		return failf("no change", "The edit would leave %s as it is; nothing was written.", wording.Quote(file.Path))
	}
	c, err := t.write(ctx, path, after, file.Hash, parts)
	if err != nil {
		return failed(toolOf(ctx), err)
	}
	t.known.Made("edited", c, "")
	if parts != nil && parts.written != nil {
		return parts.result(c, string(after))
	}
	diff, added, removed := textedit.FileDiff(text, file.Path, c.Data)
	r := textf(fmt.Sprintf("+%d −%d", added, removed), "%s", e.Summary).withNote(c)
	r.Text += "\n\n" + diff
	return r
}

// edits returns the checked edits of a call: its single edit or those of the list.
func (a editFileArgs) edits() ([]editArgs, error) {
	if a.Edits == nil {
		return []editArgs{a.editArgs}, a.check()
	}
	if modes := a.modes(); len(modes) > 0 || a.Content != nil || a.ReplaceAll {
		return nil, wording.Sentence("edits cannot be combined with other edits: put those into the list.")
	}
	for i, e := range a.Edits {
		if err := e.check(); err != nil {
			return nil, wording.Sentence("Edit %d of %d: %s", i+1, len(a.Edits), err)
		}
	}
	return a.Edits, nil
}

// modes returns the kinds of edit that the arguments request.
func (a editArgs) modes() []string {
	return given(mode{"old_text/new_text", a.OldText != nil || a.NewText != nil}, mode{"insert_after_line", a.InsertAfterLine != nil},
		mode{"insert_before_line", a.InsertBeforeLine != nil}, mode{"delete_lines", a.DeleteLines != nil})
}

// mode is an exclusive kind of a call.
type mode struct {
	name string
	on   bool
}

// given returns the names of the requested modes.
func given(modes ...mode) (names []string) {
	for _, m := range modes {
		if m.on {
			names = append(names, m.name)
		}
	}
	return names
}

// check returns an error if the arguments do not request exactly one edit.
func (a editArgs) check() error {
	modes := a.modes()
	switch {
	case len(modes) == 0:
		return wording.Sentence("edit_file needs one kind of edit: %s.", editKinds)
	case len(modes) > 1:
		return wording.Sentence(`%s cannot be combined; put several edits into "edits". The kinds are %s.`, strings.Join(modes, " and "), editKinds)
	}
	switch mode := modes[0]; {
	case mode == "old_text/new_text" && (a.OldText == nil || a.NewText == nil):
		return wording.Sentence(`edit_file needs both "old_text", the exact text, and "new_text", what replaces it; "" deletes it.`)
	case mode != "old_text/new_text" && a.ReplaceAll:
		return wording.Sentence("replace_all works only with old_text and new_text, not with %s.", mode)
	case strings.HasPrefix(mode, "insert") && a.Content == nil:
		return wording.Sentence(`Missing argument "content" for edit_file: the lines that %s puts in.`, mode)
	case !strings.HasPrefix(mode, "insert") && a.Content != nil:
		return wording.Sentence(`content works only with insert_after_line or insert_before_line, not with %s. To replace text use old_text and new_text.`, mode)
	}
	return nil
}

// editKinds are the kinds of edit, for errors.
const editKinds = "old_text with new_text, insert_after_line or insert_before_line with content, or delete_lines with start and end"

// workOutEdits combines checked edits into one. All refer to the original file.
func workOutEdits(edits []editArgs, f *textedit.File, name string) (textedit.Edit, error) {
	if len(edits) == 1 {
		return edits[0].workOut(f, name)
	}
	if f.View == "" {
		return textedit.Edit{}, wording.Sentence("%s is empty: write its content with write_file.", wording.Quote(name))
	}
	var all []textedit.Splice
	for i, one := range edits {
		e, err := one.workOut(f, name)
		if err != nil {
			return textedit.Edit{}, wording.Sentence("Edit %d of %d: %s Nothing was written, including the other edits.", i+1, len(edits), err)
		}
		all = append(all, e.Splices...)
	}
	slices.SortStableFunc(all, func(a, b textedit.Splice) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	for i, s := range all[1:] {
		if s.Start < all[i].End {
			return textedit.Edit{}, wording.Sentence("Two of the edits overlap in %s. Combine them into one. Nothing was written.", wording.Quote(name))
		}
	}
	return textedit.Edit{Splices: all, Summary: fmt.Sprintf("Made %d edits in %s.", len(edits), wording.Quote(name))}, nil
}

// workOut converts checked arguments into an edit of the file.
func (a editArgs) workOut(f *textedit.File, name string) (textedit.Edit, error) {
	switch {
	case a.OldText != nil:
		return textedit.ReplaceText(f, name, *a.OldText, *a.NewText, a.ReplaceAll)
	case a.InsertAfterLine != nil:
		return textedit.InsertLines(f, name, *a.Content, *a.InsertAfterLine)
	case a.InsertBeforeLine != nil:
		return textedit.InsertLines(f, name, *a.Content, *a.InsertBeforeLine-1)
	default:
		return textedit.DeleteLines(f, name, a.DeleteLines.Start, a.DeleteLines.End)
	}
}

// replaceBox returns a function that builds the arguments for replacing the mark in a task's checkbox.
func replaceBox(from, to string) func(map[string]string, string) map[string]any {
	return func(a map[string]string, text string) map[string]any {
		task, old := strings.TrimLeft(a["task"], "-*+ "), from
		task = strings.TrimPrefix(strings.TrimPrefix(task, from), to)
		if m := regexp.MustCompile(`\[([^-xX\]])\] ` + regexp.QuoteMeta(task)).FindStringSubmatch(text); m != nil && to == "[x] " {
			old = "[" + m[1] + "] " // in progress
		}
		return map[string]any{"path": a["path"], "old_text": old + task, "new_text": to + task}
	}
}
