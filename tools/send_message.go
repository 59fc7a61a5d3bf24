package tools

import (
	"context"
	"strings"

	"chatvault/tools/wording"
)

type sendMessageArgs struct {
	Message    string `json:"message" nonempty:"true" jsonschema:"Markdown"`
	IsQuestion bool   `json:"is_question,omitempty"`
}

// It is not read-only: messages must reach the user in the order of the calls.
var _ = define(definition{
	name:    "send_message",
	traits:  Traits{Verb: "sending a message", Did: "sent a message", Speaks: true},
	example: `{"message": "I found 12 notes and am reading them now."}`,
	offered: func(m Messenger, _ Options) bool { return m != nil },
}, runSendMessage, func(a sendMessageArgs) string { return wording.Shorten(wording.FirstLine(a.Message), 60) })

func runSendMessage(ctx context.Context, t *Turn, a sendMessageArgs) Result {
	if strings.TrimSpace(a.Message) == "" {
		return failf("nothing to say", "The message is blank. Write what the user should read.")
	}
	if err := t.messenger.SendMessage(ctx, a.Message, a.IsQuestion); err != nil {
		return failed("send_message", err)
	}
	if a.IsQuestion {
		return textf("asked", "Question sent. Your turn ends here; the user's answer comes as the next message.")
	}
	return textf("sent", "Message sent.")
}
