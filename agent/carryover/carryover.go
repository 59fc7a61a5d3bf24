// Package carryover keeps what the next turn should know of earlier ones beside the conversation, in
// state.json, so that it outlives the process: stopped turns, undone changes, the goal, and conversations
// that are still to be looked back at.
package carryover

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/history"
	"chatvault/agent/lock"
	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
)

// Notes is what the next turn should know of earlier ones beside the conversation, kept in
// state.json so that it survives the process.
type Notes struct {
	Schema int `json:"schema"`
	// Stops are the turns the user stopped since one was last answered, oldest first.
	Stops []history.Stop `json:"stops,omitempty"`
	// Undos are what the user took back, or restored, since a turn was last answered, oldest first.
	Undos []Undo `json:"undos,omitempty"`
	// Goal is what is worked toward over several turns; nil: nothing.
	Goal *goal.Record `json:"goal,omitempty"`
	// Owed are conversations that are still to be looked back at, oldest first.
	Owed []PendingReview `json:"retrospections,omitempty"`
}

// File is in the vault's state folder.
const File = "state.json"

const (
	schema  = 1
	maxFile = 16 << 20 // bytes

	// maxStops bounds what is told of stopped turns; those that changed something stay longest.
	maxStops = 5
)

// ErrLater says that the notes are not ours to read, nor to overwrite.
var ErrLater = errors.New("state.json was written by a later version of chatvault: update this one, or move it out of the vault's state folder; until then stops and goals are not kept")

// Load reads the notes; what cannot be read as notes is set aside.
func Load(root *os.Root) (Notes, error) {
	n := Notes{Schema: schema}
	err := statefile.ReadJSON(root, File, maxFile, schema, &n)
	switch _, senseless := errors.AsType[statefile.Senseless](err); {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return n, nil
	case errors.Is(err, statefile.ErrLater):
		return n, ErrLater
	case !senseless:
		return n, err
	}
	name, asideErr := atomicfile.SetAside(root, File)
	if asideErr != nil {
		return Notes{Schema: schema}, fmt.Errorf("state.json is invalid (%w) and could not be set aside: %w", err, asideErr)
	}
	return Notes{Schema: schema}, fmt.Errorf("state.json was invalid and was set aside as %s: %w", filepath.Join(root.Name(), name), err)
}

// Change reads the notes, changes them, and writes them durably. Notes that cannot be
// parsed were set aside: they are begun anew.
func Change(root *os.Root, change func(*Notes)) error {
	return lock.State(root, func() error {
		n, err := Load(root)
		if err != nil {
			if _, there := root.Lstat(File); !errors.Is(there, fs.ErrNotExist) {
				return err // writing would overwrite it
			}
		}
		change(&n)
		n.Schema = schema
		return statefile.WriteJSON(root, File, n)
	})
}

// AddStop notes a turn that was stopped.
func (n *Notes) AddStop(s history.Stop) {
	n.Stops = append(n.Stops, s)
	for len(n.Stops) > maxStops {
		i := max(0, slices.IndexFunc(n.Stops, func(s history.Stop) bool { return len(s.Changes) == 0 }))
		n.Stops = slices.Delete(n.Stops, i, i+1)
	}
}

// StopsIn are the stops in a pinned conversation; empty: in the active one.
func (n *Notes) StopsIn(pinned string) []history.Stop {
	return slices.DeleteFunc(slices.Clone(n.Stops), func(s history.Stop) bool { return s.Pinned != pinned })
}

// PendingReview is a conversation that is still to be looked back at, and the process that will do so.
type PendingReview struct {
	Conversation string `json:"conversation"`
	Owner        string `json:"owner"` // see lock.Owner
}

// Goal is the goal of a vault as it stands on disk, and the process that has it where that
// lives ("process 4711"); empty: none does. It changes nothing.
func Goal(root *os.Root) (g event.Goal, by string, err error) {
	n, err := Load(root)
	if err != nil || n.Goal == nil || n.Goal.Text == "" {
		return event.Goal{}, "", err
	}
	if by = n.Goal.HeldBy(root, ""); by != "" {
		return n.Goal.Goal, by, nil
	}
	return n.Goal.Left(time.Now()).Goal, "", nil
}

// Undo is something that the user took back, or restored.
type Undo struct {
	Text string    `json:"text"` // a sentence
	Time time.Time `json:"time"`
	// Pinned is the pinned conversation of the window it was done in; empty: the active one.
	Pinned string `json:"pinned,omitempty"`
}

const (
	// MaxUndos bounds what is told of undos; the newest stay.
	MaxUndos = 5
	// maxUndoText bounds the sentence on one, in characters.
	maxUndoText = 600
)

// AddUndo has the next turn's model told, in one line, that the user took changes back, or restored
// them: text is a sentence, such as "The user undid what you did for “tidy up”: removed b.md." root is the
// vault's state folder, pinned as in Undo.
func AddUndo(root *os.Root, pinned, s string) error {
	return Change(root, func(n *Notes) {
		n.Undos = append(n.Undos, Undo{text.Excerpt(s, maxUndoText), time.Now(), pinned})
		n.Undos = n.Undos[max(0, len(n.Undos)-MaxUndos):]
	})
}

// ToldUndos tell the model of a pinned conversation what was taken back; empty: that of the active one.
func (n *Notes) ToldUndos(pinned string) []string {
	var lines []string
	for _, u := range n.Undos {
		if u.Pinned == pinned {
			lines = append(lines, strings.TrimSpace(u.Text))
		}
	}
	return lines
}

// Forget forgets what was told there of stops, and of what was taken back what was noted before the turn began.
func (n *Notes) Forget(pinned string, told time.Time) {
	n.Stops = slices.DeleteFunc(n.Stops, func(s history.Stop) bool { return s.Pinned == pinned })
	n.Undos = slices.DeleteFunc(n.Undos, func(u Undo) bool { return u.Pinned == pinned && !u.Time.After(told) })
}
