package session

import (
	"time"

	"chatvault/internal/prosediff"
)

// ChangedTurn is a turn that changed something in the vault.
type ChangedTurn struct {
	ID      string
	Title   string    // the first words of what was asked for; may be empty
	Source  string    // where it was asked for, when not here: "ask", "tool"
	Time    time.Time // of its last change
	Changes []string  // what it did, a line each: "edited Recipes/Tart.md"
	Back    []string  // what taking it back does, a line each: "Recipes/Tart.md becomes as it was"
	Undone  bool      // all of it was taken back
	Partly  bool      // some of it was
	Undoes  Undoes    // it took another turn's changes back, or restored them
	Running bool
	Cut     bool // the program ended in its middle

	Restore string   // the turn that took it back, and that is not restored; empty: none
	Again   []string // what restoring it does, a line each
}

// Undoes says of a turn whether it is one of its own.
type Undoes int

// What a turn does to another.
const (
	UndoesNothing Undoes = iota
	TookBack
	Restored
)

// ShownChange is a change of a turn, to be read.
type ShownChange struct {
	What  string          // "edited Recipes/Tart.md"
	Note  string          // what should be known of it; may be empty
	Prose *prosediff.Diff // nil: there is nothing to show
}

// Undone is what became of an undo or a redo.
type Undone struct {
	Title string   // of the turn
	Lines []string // what was done, a line each
	Left  []string // what was left as it is, with why, a line each

	Passed   []string // the titles of later turns that were passed over: nothing of them can be taken back
	More     bool     // there is a turn before it that can be taken back
	Restored bool     // the turn was itself an undo
}
