package tools

import (
	"context"

	"chatvault/tools/wording"
)

type endConversationArgs struct {
	Reason string `json:"reason,omitempty" jsonschema:"in a few words"`
}

// It is not read-only: sub-agents and planning turns cannot end the conversation they belong to.
var _ = define(definition{
	name:    "end_conversation",
	traits:  Traits{Verb: "ending the conversation", Did: "ended the conversation", Ends: true},
	example: `{"reason": "the user said goodbye"}`,
	offered: func(m Messenger, _ Options) bool { _, ok := m.(Ender); return ok },
}, runEndConversation, func(a endConversationArgs) string { return wording.Shorten(wording.FirstLine(a.Reason), 60) })

func runEndConversation(_ context.Context, t *Turn, a endConversationArgs) Result {
	t.messenger.(Ender).EndConversation(wording.OneLine(a.Reason))
	return textf("ends after the answer", "The conversation ends after your answer, which still belongs to it. A question to the user would keep it open.")
}
