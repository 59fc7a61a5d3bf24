package lines

import (
	"context"

	"chatvault/agent/event"
	"chatvault/internal/app/printed"
	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
)

// lineHelp is the text of /help before the commands.
const lineHelp = `Type a message and press Enter. What you send while a turn runs is queued, or taken into it.
A file or folder that you name with @, as @Plums.md or @"Plum jam.md", goes with the message.
Several lines: end a line with a backslash to go on in the next, or type """ alone in a line, then the text, then """ alone again. Put a text that you paste between two such lines.
A question with numbered options is answered with a number, or in your own words.
Ctrl+C stops the running turn; twice leaves. Ctrl+D leaves. A message that was not finished is kept and offered at the next start.
Commands:`

// own returns the commands that package printed does not have.
func (l *lines) own() map[string]func(ctx context.Context, words string) {
	return map[string]func(ctx context.Context, words string){
		"stop":  l.stopCommand,
		"edit":  l.editCommand,
		"draft": l.draftCommand,
		"copy":  func(ctx context.Context, words string) { l.copyFrom(ctx, l.o.Conversations, words) },
		"quit":  func(context.Context, string) { l.left = true },
	}
}

// newViews returns the commands of the chat.
func (l *lines) newViews() printed.Views {
	a := l.o.Session
	return printed.Views{
		Session: a, Print: l.block, Used: func() session.Usage { return l.state.Usage }, Own: l.own(), Table: l.o.Commands, Intro: lineHelp, Event: l.event, Retry: l.retry,
		Actions: &session.Actions{Goal: a, Approval: a, Conversation: a.Conversations, Routing: a.Routing, Servers: a.Servers(), Models: a.Models, Skills: a.Trust},
		Send: func(ctx context.Context, m event.Inbound) error {
			l.send(ctx, m)
			return nil
		},
		Moved: l.moved, Width: l.o.Out.Width, Idle: l.idle,
	}
}

// typedCommand runs a text that is a command, or explains a mistyped one. It returns false for a message.
func (l *lines) typedCommand(ctx context.Context, typed string) bool {
	r, own, ok := l.views.Typed(ctx, typed, &l.state)
	if !ok {
		return false
	}
	if own && r.Send != nil {
		l.print.say("You send: " + r.Send.Text)
	}
	_, _ = l.views.Reply(ctx, r) // send prints its error
	return true
}

func (l *lines) stopCommand(context.Context, string) {
	if l.state.Turn.Running || len(l.state.Pending) > 0 {
		l.stop()
	} else {
		l.print.say("Nothing is running.")
	}
}

// retry runs an unfinished message again, in its conversation.
func (l *lines) retry(ctx context.Context, u session.Unfinished) error {
	if u.Where != "" {
		page, err := l.o.Inbox.Open(ctx, u.Message.ID)
		if err != nil {
			return err
		}
		l.print.say("Its conversation continues here. It ended with:")
		l.moved(page.Items)
	}
	if err := l.o.Inbox.Retry(ctx, u.Message.ID); err != nil {
		return err
	}
	l.state.Submitted(u.Message)
	l.print.say("Sent again: " + text.FirstLine(u.Message.Text))
	return nil
}

// moved continues with a history and prints its end.
func (l *lines) moved(history []session.HistoryItem) {
	l.state.Moved(history)
	l.views.History(history, 1)
}

func (l *lines) draftCommand(ctx context.Context, words string) {
	switch text := l.draft; {
	case text == "":
		l.print.say("There is no draft.")
	case words == "drop":
		l.draft = ""
		l.print.say("The draft is deleted.")
	default:
		l.draft = ""
		l.send(ctx, event.Inbound{Text: text})
		l.o.Drafts.Save(l.draft)
	}
}
