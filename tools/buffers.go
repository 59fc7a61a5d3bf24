package tools

import (
	"bytes"
	"context"
	"errors"
	"unicode/utf8"

	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/failure"
	"chatvault/vault/search"
)

// Buffers are the texts of notes as the editor that the user works in holds them, saved or not.
type Buffers interface {
	// Text is what the editor holds of a note, by its true name; not ok: it says nothing of it. An
	// error says why it could not be asked.
	Text(ctx context.Context, path string) (text []byte, ok bool, err error)
}

// maxBuffer bounds the notes that an editor is asked about, in bytes: it answers with the whole text.
const maxBuffer = 4 << 20

// maxBuffersAsked bounds how many notes of a folder the editor is asked about before it is moved or
// deleted.
const maxBuffersAsked = 1000

// buffered are notes that an editor may hold unsaved changes of. What is unsaved is what the agent
// reads, and such a note is not changed: the editor's next save would take the change away, or the
// change what was typed. The vault's own rules come first: of what it does not give, nobody is asked.
type buffered struct {
	noteStore
	buffers Buffers
}

// unsaved is the text of a note in the editor where that differs from what is on disk; not ok: it
// does not, or the editor holds none.
func (b buffered) unsaved(ctx context.Context, path string, disk []byte) (text []byte, ok bool, err error) {
	if len(disk) > maxBuffer || !utf8.Valid(disk) {
		return nil, false, nil // no editor gives that back as it is
	}
	text, ok, err = b.buffers.Text(ctx, path)
	if err != nil || !ok || bytes.Equal(plainText(text), plainText(disk)) {
		return nil, false, err
	}
	return text, true, nil
}

// plainText is a text without what editors keep beside it: the byte order mark, how lines end, and whether
// the last one does.
func plainText(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.TrimSuffix(bytes.ReplaceAll(text, []byte("\r"), []byte("\n")), []byte("\n"))
}

// ReadLines reads what the editor holds of a note where that is not saved. Its hash is of what is on
// disk.
func (b buffered) ReadLines(ctx context.Context, path string, r vault.LineRange) (*vault.Lines, error) {
	l, err := b.noteStore.ReadLines(ctx, path, r)
	if err != nil || l.Binary || l.Size > maxBuffer {
		return l, err
	}
	f, err := b.Read(ctx, l.Path)
	if err != nil {
		return nil, err
	}
	held, err := vault.LinesOf(ctx, f.Data, r)
	if err != nil {
		return nil, err
	}
	held.Path, held.Hash = l.Path, f.Hash
	return held, nil
}

// Read is the same for a whole note. Where the editor cannot be asked, it is what is on disk.
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

// Plan refuses a change to a note that is not saved.
func (b buffered) Plan(ctx context.Context, r vault.Request) (*vault.Plan, error) {
	p, err := b.noteStore.Plan(ctx, r)
	if err != nil {
		return nil, err
	}
	return p, b.saved(ctx, p)
}

// Commit looks again: much may have been typed while the user was asked.
func (b buffered) Commit(ctx context.Context, p *vault.Plan, tell vault.CommitCheck) (vault.Change, error) {
	if err := b.saved(ctx, p); err != nil {
		return vault.Change{}, err
	}
	return b.noteStore.Commit(ctx, p, tell)
}

// Do is Plan and Commit.
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

// saved is an error where a note that a plan changes is not saved.
func (b buffered) saved(ctx context.Context, p *vault.Plan) error {
	c := p.Change
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

// allSaved is mustBeSaved of a note on disk, or of those in a folder.
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
			continue // what cannot be read is in no editor, and the change itself says what is wrong with it
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
		return failure.New(failure.KindOther, path, "The editor did not say whether %s is saved (%s), so it was not changed. Ask the user to save it, then try again.", wording.Quote(path), errText(err))
	case unsaved:
		return failure.New(failure.KindOther, path, "%s is unsaved in the editor; save it first. Nothing was changed: tell the user to save the note, then try again.", wording.Quote(path))
	}
	return nil
}

// Saved is an error for a note that the editor holds unsaved, or says nothing of: what the user takes back
// themselves must not go over it either.
func Saved(notes *vault.Vault, buffers Buffers) func(ctx context.Context, path string) error {
	b := buffered{buffers: buffers}
	return func(ctx context.Context, path string) error {
		f, err := notes.Read(ctx, path)
		switch {
		case errors.Is(err, failure.KindNotFound):
			f = &vault.File{Path: path}
		case err != nil:
			return nil //nolint:nilerr // it is in no editor, or none of its business
		}
		switch _, unsaved, err := b.unsaved(ctx, f.Path, f.Data); {
		case err != nil:
			return failure.New(failure.KindOther, path, "The editor did not say whether %s is saved (%s): save it, and try again.", wording.Quote(path), errText(err))
		case unsaved:
			return failure.New(failure.KindOther, path, "%s is unsaved in the editor: save it first, and try again.", wording.Quote(path))
		}
		return nil
	}
}

// errText is why the editor could not be asked, in a few words.
func errText(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "it does not answer"
	}
	return err.Error()
}
