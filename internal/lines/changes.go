package lines

import (
	"context"
	"fmt"
	"strings"

	"chatvault/internal/consent"
	"chatvault/internal/session"
	"chatvault/internal/text"
	"chatvault/tools"
)

// maxChangesRead is how many turns /changes reads.
const maxChangesRead = 10

func (l *lines) changesCommand(ctx context.Context, words string) {
	turns, err := l.o.Changes.List(ctx)
	if err == nil && len(turns) == 0 {
		l.print.say("Nothing was changed in this vault.")
	}
	if words != "" && len(turns) > 0 {
		l.showChange(ctx, turns, words)
		return
	}
	for i, t := range turns[:min(len(turns), maxChangesRead)] {
		l.print.say(fmt.Sprintf("%d. %s", i+1, t.Line()))
	}
	if n := len(turns) - maxChangesRead; n > 0 {
		l.print.say(fmt.Sprintf("And %s earlier; chatvault changes lists them.", text.Count(n, "turn")))
	}
	l.tell("", err)
}

// showChange says what a turn changed word by word, and how it is taken back.
func (l *lines) showChange(ctx context.Context, turns []session.ChangedTurn, words string) {
	n, ok := l.which("/changes", words, len(turns))
	if !ok {
		return
	}
	t := turns[n]
	shown, err := l.o.Changes.Show(ctx, t.ID)
	for _, c := range shown {
		text := strings.ToUpper(c.What[:min(len(c.What), 1)]) + c.What[min(len(c.What), 1):]
		if c.Note != "" {
			text += " (" + c.Note + ")"
		}
		if c.Prose != nil {
			text += ":\n" + strings.Trim(consent.ChangeRows(tools.Proposal{Prose: c.Prose}, l.width()), "\n")
		}
		l.print.say(text)
	}
	if err == nil && len(t.Back) > 0 && !t.Undone {
		l.print.say("/undo " + t.ID + " reverts it.")
	}
	l.tell("", err)
}
