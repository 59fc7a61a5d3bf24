package conversation

import (
	"errors"
	"strings"

	"chatvault/internal/text"
)

const (
	maxTitle   = 120  // characters
	maxSummary = 4000 // characters
)

// SetTitle gives conversation id a title and a summary, in the background after it ended or by
// its owner's hand at any time. An empty one stays as it was. When it returns nil they are on
// disk.
func (m *Manager) SetTitle(id, title, summary string) error {
	title = beginning(title, maxTitle)
	summary = strings.TrimSpace(strings.ToValidUTF8(summary, ""))
	summary = text.Clip(summary, maxSummary)
	if title == "" && summary == "" {
		return errors.New("conversation: a title without a word")
	}
	return m.change(id, func(c *Conversation) ([]record, error) {
		if (title == "" || title == c.Title) && (summary == "" || summary == c.Summary) {
			return nil, nil
		}
		return []record{{Type: "title", Time: m.now(), Title: title, Summary: summary}}, nil
	})
}
