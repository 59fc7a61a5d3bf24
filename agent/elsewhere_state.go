package agent

import (
	"encoding/json"
	"os"

	"chatvault/agent/inbox"
	"chatvault/internal/statefile"
)

// Elsewhere is what was left unfinished in a state folder that is not ours to change, such as one that
// came with a vault: messages that were accepted, and the goal; empty: none. It is to be shown, and
// nothing else: neither is ever taken over.
func Elsewhere(root *os.Root) (messages []inbox.Entry, goal string) {
	messages = inbox.Open(root).Read()
	var n notes
	if data, err := statefile.Read(root, notesFile, maxNotes); err == nil && json.Unmarshal(data, &n) == nil && n.Goal != nil {
		goal = n.Goal.Text
	}
	return messages, goal
}
