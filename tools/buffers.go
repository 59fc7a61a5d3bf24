package tools

import (
	"bytes"
	"context"
	"errors"
	"unicode/utf8"

	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/search"
	"chatvault/vault/vaulterr"
)

// Buffers are the texts of notes in the user's editor, saved or not.
type Buffers interface {
	// Text returns the editor's text of a note, given by its actual path. ok is false if the editor does not have it.
	// It returns an error if the editor cannot be asked.
	Text(ctx context.Context, path string) (text []byte, ok bool, err error)
}

// maxBuffer is the maximum size of notes that the editor is asked about, in bytes: it answers with the whole text.
const maxBuffer = 4 << 20

// maxBuffersAsked is the maximum number of notes that the editor is asked about before a folder is moved or deleted.
const maxBuffersAsked = 1000

// buffered is a noteStore that respects unsaved changes in an editor. The agent reads unsaved text, and cannot change
// such a note: the next save would overwrite its change, or the change would overwrite what was typed. Only notes
// that the vault allows reading are looked up in the editor.
type buffered struct {
	noteStore
	buffers Buffers
}

// unsaved returns the editor's text of a note if it differs from the one on disk. ok is false if it does not or the
// editor does not have the note.
func (b buffered) unsaved(ctx context.Context, path string, disk []byte) (text []byte, ok bool, err error) {
	if len(disk) > maxBuffer || !utf8.Valid(disk) {
		return nil, false, nil // editors do not return such text unchanged
	}
	text, ok, err = b.buffers.Text(ctx, path)
	if err != nil || !ok || bytes.Equal(plainText(text), plainText(disk)) {
		return nil, false, err
	}
	return text, true, nil
}

// plainText returns a text without what editors store separately: byte order mark, kind of line endings, and the
// final line ending.
func plainText(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.TrimSuffix(bytes.ReplaceAll(text, []byte("\r"), []byte("\n")), []byte("\n"))
}

// Read reads the editor's text of a note if it is unsaved, or the file on disk if the editor cannot be asked. The hash
// is that of the file on disk.
func (b buffered) Read(ctx context.Context, path string) (*vault.File, error) {
	f, err := b.noteStore.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	if text, ok, _ := b.unsaved(ctx, f.Path, f.Data); ok {
		f.Data = text
	}
	return f, nil
}

// Plan returns an error for a change of an unsaved note.
func (b buffered) Plan(ctx context.Context, r vault.Request) (*vault.Plan, error) {
	if r.Op == vault.OpRewrite { // no links follow the headings of a note that is left
		asked := &vault.Plan{Change: vault.Change{Rewrites: r.Rewrites, Refused: r.Left, Many: true}}
		if err := b.saved(ctx, asked); err != nil {
			return nil, err
		}
		r.Rewrites, r.Left = asked.Change.Rewrites, asked.Change.Refused
	}
	p, err := b.noteStore.Plan(ctx, r)
	if err != nil {
		return nil, err
	}
	return p, b.saved(ctx, p)
}

// Commit checks again, as the user may have typed while being asked.
func (b buffered) Commit(ctx context.Context, p *vault.Plan, tell vault.CommitCheck) (vault.Change, error) {
	if err := b.saved(ctx, p); err != nil {
		return vault.Change{}, err
	}
	return b.noteStore.Commit(ctx, p, tell)
}

// Do plans and commits a change.
func (b buffered) Do(ctx context.Context, r vault.Request, tell vault.CommitCheck) (vault.Change, error) {
	p, err := b.Plan(ctx, r)
	switch {
	case err != nil:
		return vault.Change{}, err
	case p.Change.Op == "":
		return p.Change, nil
	}
	return b.noteStore.Commit(ctx, p, tell)
}

// saved returns an error if a plan changes an unsaved note.
func (b buffered) saved(ctx context.Context, p *vault.Plan) error {
	c := p.Change
	if c.Many { // the others can be written
		p.Leave(func(w vault.Rewrite) error { return b.mustBeSaved(ctx, w.Path, w.Before) })
		return ctx.Err()
	}
	for _, w := range c.Rewrites {
		if err := b.mustBeSaved(ctx, w.Path, w.Before); err != nil {
			return err
		}
	}
	switch {
	case c.Op == "create":
		return b.mustBeSaved(ctx, c.Path, nil)
	case c.Op == "overwrite" && p.Before != nil:
		return b.mustBeSaved(ctx, c.Path, p.Before.Data)
	case c.Op == "move" || c.Op == "delete":
		return b.allSaved(ctx, c.Path, p.Contents.Folder)
	}
	return nil
}

// allSaved is mustBeSaved for a note, or for all notes in a folder.
func (b buffered) allSaved(ctx context.Context, path string, folder bool) error {
	paths := []string{path}
	if folder {
		found, err := b.List(ctx, search.ListQuery{Folder: path, Pattern: "**/*", MaxResults: maxBuffersAsked, IncludeIgnored: true})
		if err != nil {
			return err
		}
		paths = nil
		for _, e := range found.Entries {
			if !e.Folder {
				paths = append(paths, e.Path)
			}
		}
	}
	for _, name := range paths {
		f, err := b.noteStore.Read(ctx, name)
		if err != nil {
			continue // unreadable files are in no editor, and the change itself reports the problem
		}
		if err := b.mustBeSaved(ctx, f.Path, f.Data); err != nil {
			return err
		}
	}
	return nil
}

func (b buffered) mustBeSaved(ctx context.Context, path string, disk []byte) error {
	switch _, unsaved, err := b.unsaved(ctx, path, disk); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return vaulterr.New(vaulterr.KindOther, path, "The editor did not say whether %s is saved (%s), so it was not changed. Save it, then try again.", wording.Quote(path), err)
	case unsaved:
		return vaulterr.New(vaulterr.KindOther, path, "%s is unsaved in the editor; save it first, then try again. Nothing was changed.", wording.Quote(path))
	}
	return nil
}

// Saved returns a check for undo: it returns an error for a note that is unsaved in the editor, or if the editor
// cannot be asked.
func Saved(notes *vault.Vault, buffers Buffers) func(ctx context.Context, path string) error {
	b := buffered{buffers: buffers}
	return func(ctx context.Context, path string) error {
		f, err := notes.Read(ctx, path)
		switch {
		case errors.Is(err, vaulterr.KindNotFound):
			f = &vault.File{Path: path}
		case err != nil:
			return nil //nolint:nilerr // the editor does not have it, or must not be asked
		}
		return b.mustBeSaved(ctx, f.Path, f.Data)
	}
}
