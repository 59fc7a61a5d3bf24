package history

import (
	"fmt"
	"slices"
	"strings"

	"chatvault/agent/event"
	"chatvault/conversation"
	"chatvault/internal/text"
)

// Question tells the model what a message has to do with the question that waits.
func Question(t *conversation.Turn, m event.Inbound) string {
	asked := "You had asked the user: “" + text.Excerpt(t.Question, 500) + "” "
	if m.Time.Before(t.Asked()) {
		return asked + "The user sent this message before seeing the question, so it does not answer it. The question is still open: do not ask it again."
	}
	if i, ok := event.ChosenOption(m.Text, t.Options); ok {
		return asked + fmt.Sprintf("The user chose option %d: “%s”.", i+1, text.Excerpt(t.Options[i], 500))
	}
	if len(t.Options) == 0 {
		return asked + "This message is most likely the answer."
	}
	list := make([]string, len(t.Options))
	for i, o := range t.Options {
		list[i] = fmt.Sprintf("%d. “%s”", i+1, text.Excerpt(o, 200))
	}
	return asked + "The options were: " + strings.Join(list, ", ") + ". The user chose none of them: this message is most likely the answer, in other words."
}

// LostRequest is what the turn was about that asked, where only a summary stands for it by now:
// then the model goes on where it was all the same.
func LostRequest(c *conversation.Conversation, asked *conversation.Turn) string {
	if i := slices.IndexFunc(c.Turns, func(t conversation.Turn) bool { return t.ID == asked.ID }); i >= c.Compacted() {
		return ""
	}
	var texts []string
	for _, m := range asked.Messages {
		if m.Role == conversation.RoleUser {
			texts = append(texts, m.Content)
		}
	}
	return fmt.Sprintf(" You asked that while you worked on this request: “%s”; the summary says what you had done for it.", text.Excerpt(strings.Join(texts, " "), maxLostRequest))
}

const maxLostRequest = 1000 // characters
