// Package pending stores in state.json what later turns need in addition to the conversation: stopped turns, undone
// changes, and the goal.
package pending

import (
	"errors"
	"os"
	"slices"
	"time"

	"chatvault/agent/goal"
	"chatvault/agent/history"
	"chatvault/agent/lock"
	"chatvault/internal/base/statefile"
	"chatvault/internal/base/text"
)

// Notes is the content of state.json.
type Notes struct {
	Schema int `json:"schema"`
	// Stops are the turns the user stopped since one was last answered, oldest first.
	Stops []history.Stop `json:"stops,omitempty"`
	// Undos are what the user took back, or restored, since a turn was last answered, oldest first.
	Undos []Undo `json:"undos,omitempty"`
	// Goal is the goal; nil if there is none.
	Goal *goal.Record `json:"goal,omitempty"`
}

// File is in the vault's state folder.
const File = "state.json"

const (
	schema  = 1
	maxFile = 16 << 20 // bytes

	maxStops = 5 // stopped turns; the newest stay
)

// ErrLater is returned for notes of a later version, which must not be overwritten.
var ErrLater = errors.New("state.json was written by a later version of chatvault: update this one, or move it out of the vault's state folder; until then stops and goals are not kept")

// Load reads the notes; what cannot be read as notes is set aside.
func Load(root *os.Root) (Notes, error) {
	var n Notes
	err := statefile.ReadOrSetAside(root, File, maxFile, schema, &n)
	if errors.Is(err, statefile.ErrLater) {
		err = ErrLater
	}
	if err != nil {
		return Notes{}, err
	}
	return n, nil
}

// Change reads, changes and durably writes the notes. Invalid notes were set aside.
func Change(root *os.Root, change func(*Notes)) error {
	return lock.State(root, func() error {
		n, err := Load(root)
		if err != nil && !statefile.SetAside(err) {
			return err // writing would overwrite it
		}
		change(&n)
		n.Schema = schema
		return statefile.WriteJSON(root, File, n)
	})
}

// AddStop notes a turn that was stopped.
func (n *Notes) AddStop(s history.Stop) {
	n.Stops = append(n.Stops, s)
	n.Stops = n.Stops[max(0, len(n.Stops)-maxStops):]
}

// Undo is an undo or a redo of the user.
type Undo struct {
	Text         string    `json:"text"` // a sentence
	Time         time.Time `json:"time"`
	Conversation string    `json:"conversation,omitempty"` // in which it was made; empty if it was a command
}

const (
	// MaxUndos bounds the undos that are kept; the newest stay.
	MaxUndos = 5
	// maxUndoText is the maximum length of an undo's sentence, in characters.
	maxUndoText = 600
)

// AddUndo has the next turn's model told that the user took changes back, or restored them. s is a sentence, such as
// "The user undid what you did for “tidy up”: removed b.md."; root is the vault's state folder.
func AddUndo(root *os.Root, conversation, s string) error {
	return Change(root, func(n *Notes) {
		n.Undos = append(n.Undos, Undo{text.Excerpt(s, maxUndoText), time.Now(), conversation})
		n.Undos = n.Undos[max(0, len(n.Undos)-MaxUndos):]
	})
}

// For returns the notes that concern a turn in a conversation: the stops and undos made there or by commands. A turn
// that begins the conversation also gets those of conversations that do not exist.
func (n Notes) For(conversation string, begins bool, exists func(id string) bool) Notes {
	elsewhere := func(id string) bool { return id != conversation && id != "" && (!begins || exists(id)) }
	n.Stops = slices.DeleteFunc(slices.Clone(n.Stops), func(s history.Stop) bool { return elsewhere(s.Conversation) })
	n.Undos = slices.DeleteFunc(slices.Clone(n.Undos), func(u Undo) bool { return elsewhere(u.Conversation) })
	return n
}

// Forget removes stops and undos that a turn's prompt described.
func (n *Notes) Forget(told Notes) {
	n.Stops = slices.DeleteFunc(n.Stops, func(s history.Stop) bool {
		return slices.ContainsFunc(told.Stops, func(t history.Stop) bool { return t.Time.Equal(s.Time) })
	})
	n.Undos = slices.DeleteFunc(n.Undos, func(u Undo) bool {
		return slices.ContainsFunc(told.Undos, func(t Undo) bool { return t.Time.Equal(u.Time) })
	})
}
