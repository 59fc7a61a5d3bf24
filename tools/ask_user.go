package tools

import (
	"context"
	"strings"
	"unicode/utf8"

	"chatvault/tools/wording"
)

// Limits of a question with options, in characters.
const (
	maxQuestion = 2000
	maxOption   = 120
)

type askUserArgs struct {
	Question string   `json:"question" nonempty:"true"`
	Options  []string `json:"options" minitems:"2" maxitems:"9" jsonschema:"2 to 9, a few words each; your recommendation first"`
}

// It is not read-only: it ends the turn, so its position among the calls matters.
var _ = define(definition{
	name:    "ask_user",
	traits:  Traits{Verb: "asking", Did: "asked", Speaks: true},
	example: `{"question": "Which note do you mean?", "options": ["Projects/Alpha.md", "Archive/Alpha.md"]}`,
	offered: func(m Messenger, _ Options) bool { _, ok := m.(Asker); return ok },
}, runAskUser, func(a askUserArgs) string { return wording.Shorten(wording.FirstLine(a.Question), 60) })

func runAskUser(ctx context.Context, t *Turn, a askUserArgs) Result {
	if strings.TrimSpace(a.Question) == "" {
		return failf("nothing to ask", "The question is blank. Write what the user should decide.")
	}
	if n := utf8.RuneCountInString(a.Question); n > maxQuestion {
		return failf("too long", "The question has %d characters; at most %d fit. Say the rest with send_message first.", n, maxQuestion)
	}
	options := make([]string, len(a.Options))
	for i, o := range a.Options {
		o = wording.OneLine(o)
		options[i] = o
		switch n := utf8.RuneCountInString(o); {
		case o == "":
			return failf("blank option", "Option %d is blank. Write what the user would choose.", i+1)
		case n > maxOption:
			return failf("option too long", "Option %d has %d characters; at most %d fit. Explain it in the question.", i+1, n, maxOption)
		}
	}
	if err := t.messenger.(Asker).AskUser(ctx, a.Question, options); err != nil {
		return failed("ask_user", err)
	}
	return textf("asked", "Question asked, with %d options. Your turn ends here; the user's answer comes as the next message.", len(options))
}
