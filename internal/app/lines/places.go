package lines

import (
	"context"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
)

// editCommand sends the last message with another text, as a new branch.
func (l *lines) editCommand(ctx context.Context, words string) {
	if l.views.TurnRuns() {
		return
	}
	items, err := l.o.Conversations.History(ctx)
	if err != nil {
		l.views.Tell("", err)
		return
	}
	var last *session.HistoryItem
	for i, h := range items {
		if h.Role == session.HistoryUser && !h.Added {
			last = &items[i]
		}
	}
	switch {
	case last == nil:
		l.print.say("No message of yours to edit in this conversation.")
		return
	case words == "":
		l.print.say("Your last message: " + last.Content + "\n/edit TEXT sends TEXT in its place, as a new branch. What its turn changed stays; use /undo first to undo it.")
		return
	}
	moved, err := l.o.Conversations.Fork(ctx, last.Turn)
	if err != nil {
		l.print.say("Not sent: " + err.Error())
		return
	}
	said := "Sent in its place; /branches finds what was before."
	if len(moved.Changed) > 0 {
		said += " Unchanged: " + strings.Join(moved.Changed, "; ") + "."
	}
	l.print.say(said)
	l.state.Moved(nil)
	l.send(ctx, event.Inbound{Text: words})
}
