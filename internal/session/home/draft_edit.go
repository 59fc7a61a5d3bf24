package home

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// editedSuffix is the end of the name of the file that holds a draft while the user's editor has it:
// drafts/N.edit.md. It goes when the editor ends; one that is there at a start was left by a process
// that ended before its editor did, and holds the newest of the draft.
const editedSuffix = ".edit.md"

// maxEdited bounds what is read back from an editor, in bytes: more could not be sent.
const maxEdited = 8 << 20

// edited is the name of the file that an editor gets.
func (d *Drafts) edited() string { return strings.TrimSuffix(d.file, ".txt") + editedSuffix }

// Lend writes text into the file for the editor, durably, and gives its full name.
func (d *Drafts) Lend(text string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.choose() {
		return "", errors.New("drafts are not kept here, so there is no file to edit; chatvault doctor says why")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if err := atomicfile.WriteFile(d.state, d.edited(), []byte(text), 0o600); err != nil {
		return "", err
	}
	return filepath.Join(d.state.Name(), filepath.FromSlash(d.edited())), nil
}

// TakeBack reads what the editor left, and removes the file.
func (d *Drafts) TakeBack() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text, err := d.readEdited()
	if err != nil {
		return "", err
	}
	if err := atomicfile.Remove(d.state, d.edited()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("the editor's file not removed", "error", err)
	}
	return text, nil
}

func (d *Drafts) readEdited() (string, error) {
	data, err := statefile.Read(d.state, d.edited(), maxEdited)
	switch {
	case errors.Is(err, statefile.ErrNotFile):
		return "", errors.New("what it wrote is not a file")
	case errors.Is(err, statefile.ErrTooLarge):
		return "", errors.New("what it wrote is longer than 8 MB, which is more than can be sent")
	case err != nil:
		return "", err
	}
	if !utf8.Valid(data) {
		return "", errors.New("what it wrote is not UTF-8")
	}
	return string(data), nil
}

// leftInEditor is the draft that an editor had when the process before ended: it becomes the draft,
// and only then its file goes.
func (d *Drafts) leftInEditor() (string, bool) {
	text, err := d.readEdited()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			d.log.Warn("what an editor left was not read", "file", d.edited(), "error", err)
		}
		return "", false
	}
	text = strings.TrimSuffix(text, "\n")
	if text != "" {
		if err := atomicfile.WriteFile(d.state, d.file, []byte(text), 0o600); err != nil {
			d.log.Warn("draft not saved", "error", err)
			return text, true
		}
	}
	if err := atomicfile.Remove(d.state, d.edited()); err != nil {
		d.log.Warn("the editor's file not removed", "error", err)
	}
	return text, text != ""
}

// holds says whether there is a draft of this name.
func (d *Drafts) holds(name string) bool {
	for _, suffix := range []string{".txt", editedSuffix} {
		if _, err := d.state.Lstat(name + suffix); err == nil {
			return true
		}
	}
	return false
}
