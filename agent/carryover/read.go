package carryover

import (
	"encoding/json"
	"os"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/internal/statefile"
)

// Foreign is what was left unfinished in a state folder that is not ours to change, such as one that
// came with a vault: messages that were accepted, and the goal; empty: none. It is to be shown, and
// nothing else: neither is ever taken over.
func Foreign(root *os.Root) (messages []inbox.Entry, goal string) {
	messages = inbox.Open(root).Read()
	var n Notes
	if data, err := statefile.Read(root, File, maxFile); err == nil && json.Unmarshal(data, &n) == nil && n.Goal != nil {
		goal = n.Goal.Text
	}
	return messages, goal
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
