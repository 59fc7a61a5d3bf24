package history

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/conversation"
	"chatvault/internal/base/text"
)

// Stop is a turn that the user stopped. It is not recorded in the conversation, but the next turn's model gets a
// description, so that "go on, but shorter" has a meaning.
type Stop struct {
	Text         string    `json:"text"` // of the messages
	Time         time.Time `json:"time"`
	Changes      []string  `json:"changes,omitempty"`
	Said         string    `json:"said,omitempty"` // by the agent, including what it was writing
	Conversation string    `json:"conversation,omitempty"`
}

// Maximum lengths of a stopped turn's texts, in characters.
const (
	maxStoppedText = 4000
	maxStoppedSaid = 3000
)

// StopOf returns what is kept of a stopped turn: its request, what the agent said and was writing, and its changes.
func StopOf(request string, record []conversation.Message, partial string, changes []string) Stop {
	var said []string
	for _, m := range record {
		if m.Role == conversation.RoleAssistant || m.Role == conversation.RoleAgent {
			said = append(said, m.Content)
		}
	}
	said = slices.DeleteFunc(append(said, partial), text.Blank)
	return Stop{
		Text: text.MiddleOut(request, maxStoppedText), Time: time.Now(), Changes: changes,
		Said: text.MiddleOut(strings.Join(said, "\n\n"), maxStoppedSaid),
	}
}

// Stops describes stopped turns for the model, oldest first, without changes that withhold selects.
func Stops(stops []Stop, withhold Rule) []string {
	var lines []string
	for i, s := range stops {
		which := "the previous request"
		if i < len(stops)-1 {
			which = "an earlier request"
		}
		done := "It had changed nothing."
		if len(s.Changes) > 0 {
			done = "What it had changed is private now."
		}
		changes := slices.DeleteFunc(slices.Clone(s.Changes), func(line string) bool { return withhold != nil && withhold("{}", line) })
		if len(changes) > 0 {
			done = AlreadyDone + strings.Join(changes, "; ") + "."
		}
		line := fmt.Sprintf("The user stopped %s (“%s”). %s", which, s.Text, done)
		if s.Said != "" {
			line += "\nWhat you had said by then:\n" + text.Quoted(s.Said)
		}
		lines = append(lines, line)
	}
	return lines
}

// AlreadyDone precedes the changes of a turn that did not finish.
const AlreadyDone = "It had already done this: "

// SummaryStopped is the summary of a call that did not run, or did not finish, because of a stop.
const SummaryStopped = "stopped"

// BytesPerToken is the approximate length of a token of text.
const BytesPerToken = 3
