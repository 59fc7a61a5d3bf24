package lines

import (
	"context"
	"slices"
	"strings"

	"chatvault/internal/app/session"
)

// transcriptSource is the conversation to copy from.
type transcriptSource interface {
	History(ctx context.Context) ([]session.HistoryItem, error)
	Transcript(ctx context.Context) (string, error)
}

// copyFrom copies the last answer, its last code block, or the conversation.
func (l *lines) copyFrom(ctx context.Context, c transcriptSource, words string) {
	if l.o.Copy == nil {
		l.print.say("Nothing can be copied into a pipe: /conversations read 1 reads the conversation, /export writes it to a file.")
		return
	}
	var text string
	var err error
	none := "There is no answer to copy yet."
	switch strings.ToLower(words) {
	case "all":
		text, err = c.Transcript(ctx)
	case "code":
		none = "No answer here has a code block."
		text, err = lastText(ctx, c, func(h session.HistoryItem) string { return l.o.LastCode(h.Content) }, session.HistoryAssistant, session.HistoryAgentMessage, session.HistoryQuestion)
	case "", "answer":
		text, err = lastText(ctx, c, func(h session.HistoryItem) string { return h.Content }, session.HistoryAssistant)
	default:
		l.print.say("/copy copies the last answer, /copy code its last code block, /copy all the conversation.")
		return
	}
	if err != nil || text == "" {
		l.views.Tell(none, err)
		return
	}
	got, err := l.o.Copy(ctx, text)
	switch {
	case err != nil:
		l.print.say("Not copied: " + err.Error())
	case got.By != "":
		l.print.say("Copied, by " + got.By + ".")
	case got.Sent:
		l.print.say("Sent to the terminal's clipboard, which does not confirm it. It is also in " + got.File + ".")
	default:
		l.print.say("No clipboard took it. The text is in " + got.File + ".")
	}
}

// lastText returns the last nonempty result of of for an item of the conversation with one of the roles.
func lastText(ctx context.Context, c transcriptSource, of func(session.HistoryItem) string, roles ...session.HistoryRole) (string, error) {
	items, err := c.History(ctx)
	for _, h := range slices.Backward(items) {
		if text := of(h); text != "" && slices.Contains(roles, h.Role) {
			return text, err
		}
	}
	return "", err
}
