package lines

import (
	"context"
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
	if l.o.Copying == nil {
		l.print.say("Nothing can be copied into a pipe: /history reads the conversation, /export writes it to a file.")
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
		text, err = lastText(ctx, c, l.lastCode)
	case "", "answer":
		text, err = lastText(ctx, c, func(h session.HistoryItem) string {
			if h.Role != session.HistoryAssistant {
				return ""
			}
			return h.Content
		})
	default:
		l.print.say("/copy copies the last answer, /copy code its last code block, /copy all the conversation.")
		return
	}
	switch {
	case err != nil:
		l.views.Tell("", err)
		return
	case text == "":
		l.print.say(none)
		return
	}
	got, err := l.o.Copying.Copy(ctx, text)
	switch {
	case err != nil:
		l.print.say("Not copied: " + err.Error())
	case got.By != "":
		l.print.say("Copied, by " + got.By + ".")
	case got.Sent:
		l.print.say("Sent to the terminal's clipboard, which does not confirm it. It is also in " + got.File + ".")
	default:
		l.print.say("No clipboard found. The text is in " + got.File + ".")
	}
}

// lastText returns the last nonempty result of of for an item of the conversation.
func lastText(ctx context.Context, c transcriptSource, of func(session.HistoryItem) string) (string, error) {
	items, err := c.History(ctx)
	for i := len(items) - 1; i >= 0; i-- {
		if text := of(items[i]); text != "" {
			return text, err
		}
	}
	return "", err
}

// lastCode returns the last code block of a message by the agent, or "".
func (l *lines) lastCode(h session.HistoryItem) string {
	if h.Role != session.HistoryAssistant && h.Role != session.HistoryAgentMessage && h.Role != session.HistoryQuestion {
		return ""
	}
	return l.o.LastCode(h.Content)
}
