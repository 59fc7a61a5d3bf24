package carryover

import (
	"os"
	"slices"
	"strings"
	"time"

	"chatvault/internal/text"
)

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

// ForgetUndos forgets what was told there: what was noted before the turn began.
func (n *Notes) ForgetUndos(pinned string, told time.Time) {
	n.Undos = slices.DeleteFunc(n.Undos, func(u Undo) bool { return u.Pinned == pinned && !u.Time.After(told) })
}
