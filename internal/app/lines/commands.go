package lines

import (
	"context"
	"strconv"

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

// lineView shows or does what a command names; words are its argument.
type lineView func(l *lines, ctx context.Context, words string)

// lineViews returns the views that package printed does not have.
func lineViews() map[string]lineView {
	return map[string]lineView{
		"stop":     (*lines).stopCommand,
		"edit":     (*lines).editCommand,
		"history":  (*lines).historyCommand,
		"vault":    (*lines).vaultCommand,
		"settings": (*lines).settingsCommand,
		"theme": func(l *lines, _ context.Context, _ string) {
			l.print.say("There are no colours here. /settings theme NAME sets those of the screen.")
		},
		"draft": (*lines).draftCommand,
		"copy":  func(l *lines, ctx context.Context, words string) { l.copyFrom(ctx, l.o.Conversations, words) },
		"quit":  func(l *lines, _ context.Context, _ string) { l.left = true },
	}
}

// actions returns what commands act through.
func (l *lines) actions() *session.Actions {
	return &session.Actions{Goal: l.o.Session, Approval: l.o.Session, Conversation: l.o.Conversations, Routing: l.o.Routing, Servers: l.o.Servers(), Models: l.o.Models, Skills: l.o.Trust}
}

// commands returns the available commands, without those that the vault defines.
func (l *lines) commands() []session.Command {
	views := lineViews()
	return session.CommandsFor(l.o.Commands, l.actions(), func(v string) bool { return views[v] != nil || printed.Has(v) }, true)
}

// typedCommand runs a text that is a command, or explains a mistyped one. It returns false for a message.
func (l *lines) typedCommand(ctx context.Context, typed string) bool {
	r, own, ok := l.views.Typed(ctx, typed, session.Call{State: &l.state, Do: l.actions()})
	if !ok {
		return false
	}
	if own && r.Send != nil {
		l.print.say("You send: " + r.Send.Text)
	}
	l.reply(ctx, r)
	return true
}

// reply handles the reply of a command.
func (l *lines) reply(ctx context.Context, r session.Reply) {
	if r.Told != nil {
		l.event(r.Told)
	}
	if r.Err != nil {
		l.print.say(r.Err.Error())
	}
	for _, text := range []string{r.Say, r.Hint} {
		if text != "" {
			l.print.say(text)
		}
	}
	if show := lineViews()[r.View]; show != nil {
		show(l, ctx, r.Words)
	} else {
		l.views.Show(ctx, r.View, r.Words)
	}
	if r.Send != nil {
		l.send(ctx, *r.Send)
	}
	if r.Act != nil {
		l.reply(ctx, r.Act(ctx))
	}
}

func (l *lines) stopCommand(context.Context, string) {
	if l.state.Turn.Running || len(l.state.Pending) > 0 {
		l.stop()
	} else {
		l.print.say("Nothing is running.")
	}
}

func (l *lines) historyCommand(ctx context.Context, words string) {
	turns := 10
	if words != "" {
		n, err := strconv.Atoi(words)
		if err != nil || n < 1 {
			l.print.say("Say how many turns: /history 5")
			return
		}
		turns = n
	}
	items, err := l.o.Conversations.History(ctx)
	if err == nil && len(items) == 0 {
		l.print.say("This conversation is empty.")
	}
	l.history(items, turns)
	l.views.Tell("", err)
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
	l.history(history, 1)
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
