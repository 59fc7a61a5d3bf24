package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// revising goes back in the conversation or switches to another one.
type revising struct {
	*shared
	sending *sending
	talk    *talk
	turn    *turn
	lists   *lists
}

// editing is an earlier message being edited. Sending it forks the conversation before its turn.
type editing struct {
	userInput
	kept string // the composer's previous text
}

// userInput is the user's part of a turn.
type userInput struct {
	id   string // of the turn: that of its first message
	text string
	mode event.Mode
	ids  []string // of all its messages
}

// typed returns the text as typed, so that sending it has the same effect.
func (s userInput) typed() string {
	if s.mode != event.ModePlan && strings.HasPrefix(s.text, "/") {
		return " " + s.text // the space prevents parsing it as a command
	}
	return typedIn(s.mode, s.text)
}

// moving is a pending change of position in the conversation.
type moving struct {
	running bool
	edited  *editing // sent afterwards; nil for none
}

// loadUserMessages handles /edit.
func (g *revising) loadUserMessages() tea.Cmd {
	if g.busy() {
		return g.flash(turnRuns, 2*quitWindow)
	}
	return g.readUserMessages(g.pickUserMessage)
}

// readUserMessages passes the user's messages to then, unless something else began in the meantime.
func (g *revising) readUserMessages(then func([]userInput) tea.Cmd) tea.Cmd {
	return fetch(g.shared, "The conversation could not be read: ", g.o.Conversation.History, func(items []session.HistoryItem) tea.Cmd {
		if g.busy() || g.editing != nil {
			return nil
		}
		return then(userMessagesIn(items))
	})
}

// userMessagesIn returns the user's messages by turn, oldest first. Messages that one turn took together are joined,
// since going back removes all of them. Turns started for the goal are omitted.
func userMessagesIn(history []session.HistoryItem) []userInput {
	var all []userInput
	turn, mine := "", false
	for _, h := range history {
		switch {
		case h.Role == session.HistoryGoal && !h.Added:
			turn, mine = h.Turn, false
		case h.Role != session.HistoryUser:
		case h.Turn == turn && h.ID != turn: // another message of the same turn
			if mine {
				last := &all[len(all)-1]
				last.text, last.ids = last.text+"\n"+h.Content, append(last.ids, h.ID)
			}
		default:
			turn, mine = h.Turn, true
			if n := len(all); n > 0 && all[n-1].id == h.Turn { // a retry of a failed turn
				all = all[:n-1]
			}
			all = append(all, userInput{h.Turn, h.Content, planMode(h.Plan), []string{h.ID}})
		}
	}
	return all
}

// pickUserMessage lists the user's messages, newest first.
func (g *revising) pickUserMessage(said []userInput) tea.Cmd {
	if len(said) == 0 {
		return g.flash("No message of yours to edit in this conversation", 2*quitWindow)
	}
	rows := make([]dialog.Row, 0, len(said))
	for i := len(said) - 1; i >= 0; i-- {
		rows = append(rows, dialog.Row{Label: phrase.Line(said[i].text), Find: text.Head(said[i].text, 4000), Result: loop.Do(func() tea.Cmd { return g.edit(said[i]) })})
	}
	g.dialogs.Push(dialog.NewPicker(g.styles, "Edit an earlier message", "", rows, []string{
		"Type to filter", "↑ ↓ choose", "Enter to edit", "Esc to cancel",
	}))
	return nil
}

// edit loads a message into the composer and saves the text there.
func (g *revising) edit(s userInput) tea.Cmd {
	g.editing = &editing{s, g.composer.Value()}
	g.composer.SetValue(s.typed())
	return nil
}

// leaveEditing cancels editing. The replacement text goes to the prompt history.
func (g *revising) leaveEditing() tea.Cmd {
	if g.editing == nil {
		return nil
	}
	var keep tea.Cmd
	if text := g.composer.Value(); strings.TrimSpace(text) != strings.TrimSpace(g.editing.typed()) {
		keep = g.remember(text)
	}
	g.composer.Clear()
	g.composer.SetValue(g.editing.kept)
	g.editing = nil
	return keep
}

// sendEdited forks the conversation before the edited message and sends the new text.
func (g *revising) sendEdited(written, text string, mode event.Mode) tea.Cmd {
	if g.busy() {
		return g.flash(turnRuns+". Your text stays here", 2*quitWindow)
	}
	g.hint = ""
	keep := g.remember(written)
	e := &editing{userInput: userInput{id: g.editing.id, text: strings.TrimLeft(text, " "), mode: mode}}
	g.composer.Clear()
	g.composer.SetValue(g.editing.kept)
	g.editing, g.sending.moving.edited = nil, e
	return tea.Batch(keep, g.goBack())
}

// move switches to another branch or an earlier point of the conversation.
func (g *revising) move(do func(context.Context) (session.Moved, error), switched bool) tea.Cmd {
	g.sending.moving.running = true
	return loop.Then(g.ctx, do, func(got session.Moved, err error) tea.Cmd { return g.moved(got, switched, err) })
}

// moved shows the conversation after a move and sends the edited message.
func (g *revising) moved(got session.Moved, switched bool, err error) tea.Cmd {
	e, stopped := g.sending.moving.edited, g.turn.stopping && !g.state.Turn.Running
	g.sending.moving, g.turn.stopping = moving{}, g.turn.stopping && g.state.Turn.Running
	if err != nil {
		if e == nil {
			return g.flash("The conversation is unchanged: "+err.Error(), 3*quitWindow)
		}
		g.editAgain(e)
		return tea.Batch(g.flash("Not sent: "+err.Error(), 3*quitWindow), g.sending.submitNext())
	}
	g.talk.reload(got.Page)
	if got.Left > 0 || switched {
		g.appendItem(chat.NewArchived(g.env, leftText(got.Left, switched), got.Changed))
	}
	if e == nil {
		return g.sending.submitNext()
	}
	if stopped { // stopped while moving: restore the text
		g.composer.SetValue(below(e.typed(), g.composer.Value()))
		return tea.Batch(g.flash("Not sent. Your text is back below.", 3*quitWindow), g.sending.submitNext())
	}
	return g.sending.submitFirst(event.Inbound{Text: e.text, Mode: e.mode, Hold: true})
}

// editAgain resumes editing after going back failed.
func (g *revising) editAgain(e *editing) {
	e.kept = g.composer.Value()
	g.editing = e
	g.composer.SetValue(e.typed())
}

// leftText describes the turns that left the active branch.
func leftText(left int, switched bool) string {
	said := text.Count(left, "turn") + " archived"
	if switched {
		said = "Switched to another branch"
	}
	return said + " · /branches"
}

// below joins two texts by a line break; either may be empty.
func below(text, next string) string {
	if text == "" || next == "" {
		return text + next
	}
	return text + "\n" + next
}

// written returns the text in the composer and any text that will return to it.
func (g *revising) written() string {
	if g.editing != nil {
		return below(g.editing.kept, g.composer.Value())
	}
	return g.composer.Value()
}

// goBack forks the conversation before the edited message.
func (g *revising) goBack() tea.Cmd {
	id := g.sending.moving.edited.id
	return g.move(func(ctx context.Context) (session.Moved, error) { return g.o.Conversation.Fork(ctx, id) }, false)
}

// findTurn finds the turn of a user's message, to edit the message or run the turn again.
func (g *revising) findTurn(u *chat.User, again bool) tea.Cmd {
	switch {
	case g.busy():
		return g.flash(turnRuns, 2*quitWindow)
	case g.o.Conversation == nil, g.editing != nil, u.ID == "":
		return g.flash("You cannot go back to this message now", quitWindow)
	}
	retry := func(context.Context) (*session.Unfinished, error) { return nil, nil }
	if again && g.o.Inbox != nil {
		retry = func(ctx context.Context) (*session.Unfinished, error) {
			list, _ := g.o.Inbox.List(ctx) // on error, the turn is revised instead
			if i := slices.IndexFunc(list, func(x session.Unfinished) bool { return x.Message.ID == u.ID }); i >= 0 {
				return &list[i], nil
			}
			return nil, nil
		}
	}
	return loop.Then(g.ctx, retry, func(waiting *session.Unfinished, _ error) tea.Cmd {
		return g.readUserMessages(func(said []userInput) tea.Cmd { return g.turnFound(said, u.ID, waiting, again) })
	})
}

// turnFound edits the message with an id or runs its turn again. waiting is the message if it failed and can be
// retried, or nil.
func (g *revising) turnFound(said []userInput, id string, waiting *session.Unfinished, again bool) tea.Cmd {
	i := slices.IndexFunc(said, func(s userInput) bool { return slices.Contains(s.ids, id) })
	switch {
	case waiting != nil:
		g.selection.Leave()
		return g.lists.askOrRetry(*waiting)
	case i < 0:
		return g.flash("This is not part of the active conversation: /conversations continues another", 3*quitWindow)
	}
	g.selection.Leave()
	if !again {
		return g.edit(said[i])
	}
	g.hint = ""
	g.sending.moving.edited = &editing{userInput: said[i]}
	g.list.End()
	return g.goBack()
}
