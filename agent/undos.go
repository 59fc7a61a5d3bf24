package agent

import (
	"os"
	"slices"
	"strings"
	"time"

	"chatvault/internal/text"
)

// undone is something that the user took back, or restored.
type undone struct {
	Text string    `json:"text"` // a sentence
	Time time.Time `json:"time"`
}

const (
	// maxUndos bounds what is told of undos; the newest stay.
	maxUndos = 5
	// maxUndoText bounds the sentence on one, in characters.
	maxUndoText = 600
)

// NoteUndo has the next turn's model told, in one line, that the user took changes back, or restored
// them: text is a sentence, such as "The user took back what you did for “tidy up”: removed b.md." root is the
// vault's state folder.
func NoteUndo(root *os.Root, s string) error {
	return changeNotes(root, func(n *notes) {
		n.Undos = append(n.Undos, undone{text.Excerpt(s, maxUndoText), time.Now()})
		n.Undos = n.Undos[max(0, len(n.Undos)-maxUndos):]
	})
}

// undoSentences tell the model what was taken back.
func (n *notes) undoSentences() []string {
	var lines []string
	for _, u := range n.Undos {
		lines = append(lines, strings.TrimSpace(u.Text))
	}
	return lines
}

// forgetUndos forgets what was told: what was noted before the turn began.
func (n *notes) forgetUndos(told time.Time) {
	n.Undos = slices.DeleteFunc(n.Undos, func(u undone) bool { return !u.Time.After(told) })
}
