package cli

import (
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/session"
)

// refuseNumber is the error of an answer that is the number of no option of the question that
// waits.
func (a *app) refuseNumber(prompt string) error {
	c, err := a.conversations.Active()
	if err != nil || c == nil {
		return nil //nolint:nilerr // sending the message tells
	}
	q := c.PendingQuestion()
	if q == nil || !event.NoOption(prompt, q.Options) {
		return nil
	}
	return usageError("%s is the number of no option. The question was: %s%s\nAnswer with the number of one, or in words.",
		strings.TrimSpace(prompt), q.Question, session.OptionLines(q.Options))
}
