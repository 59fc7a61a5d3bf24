package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/text"
)

// lineHelp is what /help says.
const lineHelp = `Type a message and press Enter. What you send while a turn runs is queued, or taken into it.
A file or folder that you name with @, as @Plums.md or @"Plum jam.md", goes with the message.
Several lines: end a line with a backslash to go on in the next, or type """ alone in a line, then the text, then """ alone again. Put a text that you paste between two such lines.
A question with numbered options is answered with a number, or in your own words.
Ctrl+C stops the running turn; twice leaves. Ctrl+D leaves. A message that was not finished is kept and offered at the next start.
Commands:
/help: this
/stop: stop the running turn
/new: begin a new conversation
/history N: read the last N turns of the conversation
/conversations: the conversations so far, with numbers; /conversations N continues one; with find WORDS, read N, rename N TITLE, export N or delete N it does that
/plan TEXT: have a plan made first
/goal TEXT: work toward a goal; /goal says how it stands, /goal resume, /goal drop
/retry: send the message again that was not finished; /drop removes it
/undo: take back what the last turn changed; /redo restores it
/changes: what was changed in the vault, turn by turn; /changes N shows one of them word by word
/compact: summarise the conversation so far for the model
/trust: see what this vault brings that would steer the agent; /trust agree or /trust refuse answers
/retrospect: look back at the conversation; /retrospect accept shows what a look back proposes, and again takes it
/draft: send the draft that was kept; /draft drop forgets it
/cost: tokens and cost, by turn too, and how full the model's window is
/settings: the settings; /settings KEY VALUE sets one
/edit TEXT: send TEXT in the place of your last message; /branches: what was before, /branches N goes over to it
/inbox: messages that were not finished
/vault: the vaults there are, and how to go over to one
/copy: copy the last answer; /copy code its last block of code; /copy all the conversation
/smarthole on: take messages that SmartHole routes here; /smarthole off
/export FILE: write the conversation to a file; without a name, to one of its title
/model NAME: take another model; /model lists those that are known
/quit: leave`

// command runs a command; false where there is none of that name and the text is a message.
func (l *lines) command(ctx context.Context, name, words string) bool {
	switch name {
	case "help":
		l.print.say(lineHelp + l.customHelp(ctx))
	case "quit", "exit":
		l.left = true
	case "stop":
		if l.state.Turn.Running || len(l.state.Pending) > 0 {
			l.stop()
		} else {
			l.print.say("Nothing is running.")
		}
	case "plan":
		if words == "" {
			l.print.say("Say what to plan: /plan TEXT")
			return true
		}
		l.send(ctx, event.Inbound{Text: words, Mode: event.ModePlan})
	case "goal":
		l.goalCommand(words)
	case "history":
		l.historyCommand(ctx, words)
	case "conversations":
		l.conversationsCommand(ctx, words)
	case "retry", "drop":
		l.decide(ctx, name)
	case "undo", "redo":
		l.undoCommand(ctx, name, words)
	case "changes":
		l.changesCommand(ctx, words)
	case "draft":
		l.draftCommand(ctx, words)
	case "usage", "cost":
		l.usage()
	case "model":
		l.modelCommand(words)
	case "retrospect":
		l.retrospectCommand(ctx, words)
	case "trust":
		l.trustCommand(ctx, words)
	case "new", "compact":
		l.act(ctx, name)
	case "export":
		l.exportCommand(ctx, words)
	default:
		if l.placeCommand(ctx, name, words) || l.customCommand(ctx, name, words) {
			return true
		}
		if near := nearCommand(name, nil); near != "" || words == "" {
			l.print.say("There is no command /" + name + " here; /help lists them. To send it as a message, put a space before the slash.")
			return true
		}
		return false
	}
	return true
}

// act runs a command that takes no words and says nothing by itself.
func (l *lines) act(ctx context.Context, name string) {
	var err error
	said := ""
	switch name {
	case "new":
		said = "A new conversation begins with your next message."
		l.state.Moved(nil)
		err = l.o.NewConversation(ctx)
	case "compact":
		err = l.o.Compact()
	case "retrospect":
		said = "The agent looks back at the conversation."
		err = l.o.Retrospect()
	}
	l.tell(said, err)
}

// tell says how a command went.
func (l *lines) tell(said string, err error) {
	switch {
	case err != nil:
		l.print.say("Error: " + err.Error())
	case said != "":
		l.print.say(said)
	}
}

func (l *lines) goalCommand(words string) {
	var err error
	switch words {
	case "":
		l.print.say(session.GoalText(l.state.Goal))
	case "resume":
		err = l.o.ResumeGoal()
	case "drop":
		_, err = l.o.SetGoal("")
	default:
		_, err = l.o.SetGoal(words)
	}
	l.tell("", err)
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
	items, err := l.o.History(ctx)
	if err == nil && len(items) == 0 {
		l.print.say("Nothing was said yet in this conversation.")
	}
	l.history(items, turns)
	l.tell("", err)
}

// offer names the messages that were not finished.
func (l *lines) offer() {
	for i, u := range l.offers {
		why := "the program ended"
		if u.LastError != "" {
			why = u.LastError
		}
		text := fmt.Sprintf("Not finished, because %s: %s", why, text.FirstLine(u.Message.Text))
		if len(u.Changes) > 0 {
			text += "\nIt had changed notes already: " + strings.Join(u.Changes, ", ")
		}
		if i == len(l.offers)-1 {
			text += "\n/retry sends the first of these again, /drop removes it."
		}
		l.print.say(text)
	}
}

// decide retries or drops the first message that was not finished.
func (l *lines) decide(ctx context.Context, what string) {
	if len(l.offers) == 0 {
		l.print.say("There is no message that was not finished.")
		return
	}
	u := l.offers[0]
	do := l.o.Retry
	if what == "drop" {
		do = l.o.Drop
	}
	if err := do(ctx, u.Message.ID); err != nil {
		l.tell("", err)
		return
	}
	l.offers = l.offers[1:]
	if what == "drop" {
		l.print.say("Removed: " + text.FirstLine(u.Message.Text))
		return
	}
	l.state.Submitted(u.Message)
	l.print.say("Sent again: " + text.FirstLine(u.Message.Text))
}

func (l *lines) undoCommand(ctx context.Context, what, id string) {
	if !l.idle() {
		l.print.say("A turn is running: /stop stops it.")
		return
	}
	var u session.Undone
	var err error
	if what == "undo" {
		u, err = l.o.Changes.Undo(ctx, id)
	} else {
		u, err = l.o.Changes.Redo(ctx)
	}
	did := "Took back"
	if what == "redo" || u.Restored {
		did = "Restored"
	}
	if len(u.Lines) > 0 {
		l.print.say(did + " “" + u.Title + "”:\n" + strings.Join(u.Lines, "\n"))
	}
	if len(u.Left) > 0 {
		l.print.say("Left as it is:\n" + strings.Join(u.Left, "\n"))
	}
	l.tell("", err)
}

func (l *lines) draftCommand(ctx context.Context, words string) {
	switch text := l.draft; {
	case text == "":
		l.print.say("There is no draft.")
	case words == "drop":
		l.draft = ""
		l.print.say("The draft is forgotten.")
	default:
		l.draft = ""
		l.send(ctx, event.Inbound{Text: text})
		if l.o.SaveDraft != nil {
			l.o.SaveDraft(l.draft)
		}
	}
}

func (l *lines) usage() {
	if l.o.Usage == nil {
		l.print.say("What was used is not known.")
		return
	}
	conversation, day, err := l.o.Usage()
	if err != nil {
		l.tell("", err)
		return
	}
	l.print.say(session.UsageLine("This conversation", conversation))
	l.print.say(session.UsageLine("Today", day))
	used := l.state.Usage
	if used.Window == 0 && l.o.Context != nil {
		used.Context, used.Window = l.o.Context()
	}
	for _, line := range used.Lines() {
		l.print.say(line)
	}
}
