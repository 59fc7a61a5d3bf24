package tools

import (
	"context"

	"chatvault/tools/wording"
)

type endConversationArgs struct {
	Reason string `json:"reason,omitempty" jsonschema:"in a few words"`
}

// endConversation is not read-only: a sub-agent, and a turn that only plans, cannot end what they
// are a part of.
var endConversation = define(definition{
	name:    "end_conversation",
	traits:  Traits{Ends: true},
	example: `{"reason": "the user said goodbye"}`,
	offered: func(m Messenger) bool { _, ok := m.(Ender); return ok },
}, runEndConversation, func(a endConversationArgs) string { return wording.Shorten(wording.FirstLine(a.Reason), 60) })

func runEndConversation(ctx context.Context, t *Turn, a endConversationArgs) Result {
	if err := t.messenger.(Ender).EndConversation(ctx, wording.OneLine(a.Reason)); err != nil {
		return failed("end_conversation", err)
	}
	return Result{
		Text:    "The conversation ends after your answer, which still belongs to it. A question to the user would keep it open.",
		Summary: "ends after the answer",
	}
}
