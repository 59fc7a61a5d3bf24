package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/internal/text"
	"chatvault/tui/chat"
	"chatvault/tui/dialog"
	"chatvault/tui/keys"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
	"chatvault/tui/pickers"
)

// revising goes back to what was said before, or over to another conversation.
type revising struct {
	*shared
	sending    *sending
	talk       *talk
	turn       *turn
	base       *pickers.Base
	unfinished *pickers.Unfinished

	stoppedMessage stoppedMessage // what was said last, where its turn was stopped
}

// editing is an earlier message that is being edited. Sending it goes back to before its turn.
type editing struct {
	said
	kept string // what stood in the composer before
}

// said is what the user said in one turn.
type said struct {
	id   string // of its first message
	text string
	mode event.Mode
}

// typed is it as it was typed, so that sending it does the same again.
func (s said) typed() string {
	if s.mode != event.ModePlan && strings.HasPrefix(s.text, "/") {
		return " " + s.text // no command
	}
	return typedIn(s.mode, s.text)
}

// moving is a change of place in the conversation that is on its way.
type moving struct {
	running bool
	on      bool     // to one that continues another
	asks    bool     // whether changes of the vault are to be taken back
	edited  *editing // what is sent when it is done; nil: nothing
}

// stoppedMessage is what the user said last, where its turn was stopped: nothing of it is in the history.
type stoppedMessage struct {
	said
	mark  list.Item // that says so, in the transcript
	begin list.Item // where its conversation begins, as in talk
}

// noteStopped notes what the messages of a turn said that was stopped. What the program itself began is
// none of the user's.
func (g *revising) noteStopped(ids []string, mark list.Item) {
	g.stoppedMessage = stoppedMessage{}
	var texts []string
	s := said{}
	for _, id := range ids {
		in, known := g.sending.received[id]
		if !known || in.Source != event.SourceDirect {
			continue
		}
		if len(texts) == 0 {
			s.mode = in.Mode
		}
		texts = append(texts, in.Text)
	}
	if len(texts) > 0 {
		s.text = strings.Join(texts, "\n")
		g.stoppedMessage = stoppedMessage{s, mark, g.talk.begin}
	}
}

func (g *revising) loadUserMessages(last bool) tea.Cmd {
	switch s := g.stoppedMessage; {
	case g.busy():
		return g.flash(turnRuns, 2*quitWindow)
	case last && s.mark != nil && s.begin == g.talk.begin && g.list.Has(s.mark): // it is still the last that the user said
		g.composer.SetValue(s.typed())
		return g.flash("Your stopped message is back: edit it and send it again", 3*quitWindow)
	case g.talk.first == "":
		return g.flash("This conversation is empty", quitWindow)
	}
	return loop.Then(g.ctx, g.o.Conversation.History, func(items []session.HistoryItem, err error) tea.Cmd {
		return g.pickUserMessage(userMessagesIn(items), last, err)
	})
}

// userMessagesIn is what the user said, turn by turn, oldest first. Messages that one turn took together,
// or that went into it while it ran, are one: going back goes to before all of them. A turn that
// began toward the goal is none of the user's.
func userMessagesIn(history []session.HistoryItem) []said {
	var all []said
	turn, mine := "", false
	for _, h := range history {
		switch {
		case h.Carried: // said in another conversation
		case h.Role == session.HistoryGoal && !h.Added:
			turn, mine = h.Turn, false
		case h.Role != session.HistoryUser:
		case h.Turn == turn && h.ID != turn: // another message of the same turn
			if mine {
				all[len(all)-1].text += "\n" + h.Content
			}
		default:
			turn, mine = h.Turn, true
			if n := len(all); n > 0 && all[n-1].id == h.Turn { // it failed, and was tried again
				all = all[:n-1]
			}
			all = append(all, said{h.Turn, h.Content, planMode(h.Plan)})
		}
	}
	return all
}

// pickUserMessage offers what the user said, the newest first, or edits the last of it.
func (g *revising) pickUserMessage(said []said, last bool, err error) tea.Cmd {
	switch {
	case err != nil:
		return g.flash("The conversation could not be read: "+err.Error(), 3*quitWindow)
	case g.busy() || g.editing != nil:
		return nil // something began meanwhile
	case len(said) == 0:
		return g.flash("No message of yours to edit in this conversation", 2*quitWindow)
	case last:
		if g.composer.Empty() {
			return g.edit(said[len(said)-1])
		}
		return nil
	}
	rows := make([]dialog.Row, 0, len(said))
	for i := len(said) - 1; i >= 0; i-- {
		right := "the last"
		if n := len(said) - i; n > 1 {
			right = fmt.Sprintf("%d turns back", n)
		}
		rows = append(rows, dialog.Row{Label: phrase.Line(said[i].text), Right: right, Find: phrase.Head(said[i].text, 4000), Result: loop.Do(func() tea.Cmd { return g.edit(said[i]) })})
	}
	g.dialogs.Push(dialog.NewPicker(g.styles, "Edit an earlier message", "", rows, []string{
		"Type to filter", "↑ ↓ choose", "Enter to edit", "Esc to cancel",
	}))
	return nil
}

// edit puts what was said into the composer, to be sent again in another way. What stood there
// is kept.
func (g *revising) edit(s said) tea.Cmd {
	kept := g.composer.Value()
	if g.editing != nil {
		kept = g.editing.kept
	}
	g.editing = &editing{s, kept}
	g.composer.SetValue(s.typed())
	return nil
}

// leaveEditing ends editing, if anything is edited, without going back: the message stays as it was sent, and
// what was written in its place is in the prompt history.
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

// sendEdited goes back to before the message that is edited and sends what was written instead.
func (g *revising) sendEdited(written, text string, mode event.Mode) tea.Cmd {
	if g.busy() {
		return g.flash(turnRuns+". Your text stays here", 2*quitWindow)
	}
	g.hint = ""
	keep := g.remember(written)
	e := &editing{said{g.editing.id, strings.TrimLeft(text, " "), mode}, ""}
	g.composer.Clear()
	g.composer.SetValue(g.editing.kept)
	g.editing, g.sending.moving.edited = nil, e
	return tea.Batch(keep, g.checkReach(e.id))
}

// move runs a change of place in the conversation, to another branch or back.
func (g *revising) move(do func(context.Context) (session.Moved, error), switched bool) tea.Cmd {
	g.sending.moving.running = true
	return loop.Then(g.ctx, do, func(got session.Moved, err error) tea.Cmd { return g.moved(got, switched, err) })
}

// moved shows the conversation as it is after the change of place, and sends what was edited.
func (g *revising) moved(got session.Moved, switched bool, err error) tea.Cmd {
	e, stopped := g.sending.moving.edited, g.turn.stopping && !g.state.Turn.Running
	g.sending.moving, g.turn.stopping = moving{}, g.turn.stopping && g.state.Turn.Running
	if err != nil {
		if e == nil {
			return g.flash("The conversation is unchanged: "+err.Error(), 3*quitWindow)
		}
		g.editAgain(e)
		return tea.Batch(g.flash("Not sent: "+err.Error(), 3*quitWindow), g.sending.hand())
	}
	g.talk.reload(session.Page{Items: got.History, Earlier: got.Earlier, First: got.First})
	if got.Left > 0 || switched {
		g.say(chat.NewArchived(g.env, leftText(got.Left, switched), got.Changed, got.Back, got.Kept))
	}
	if e == nil {
		return g.sending.hand()
	}
	if stopped { // while it went back: the text is not lost
		g.composer.SetValue(below(e.typed(), g.composer.Value()))
		return tea.Batch(g.flash("Not sent. Your text is back below.", 3*quitWindow), g.sending.hand())
	}
	return g.sending.submitFirst(event.Inbound{Text: e.text, Mode: e.mode, Hold: true})
}

// editAgain is after going back failed: the text is edited as before.
func (g *revising) editAgain(e *editing) {
	e.kept = g.composer.Value()
	g.editing = e
	g.composer.SetValue(e.typed())
}

// leftText says what became of the turns that are on the way no longer.
func leftText(left int, switched bool) string {
	n := text.Count(left, "turn")
	switch {
	case !switched:
		return n + " archived · /branches"
	case left == 0:
		return "Switched to another branch · /branches"
	}
	return "Switched to another branch; " + n + " of the previous one kept · /branches"
}

// below puts one text below another; either may be empty.
func below(text, next string) string {
	if text == "" || next == "" {
		return text + next
	}
	return text + "\n" + next
}

// written is all that stands in the composer, and that comes back to it.
func (g *revising) written() string {
	if g.editing != nil {
		return below(g.editing.kept, g.composer.Value())
	}
	if g.sending.moving.asks {
		return below(g.sending.moving.edited.typed(), g.composer.Value())
	}
	return g.composer.Value()
}

// editingText is how to go on, for the status line, the longest way of saying it first.
var editingText = []string{
	"Editing an earlier message · Enter to send as a new branch · Esc to cancel",
	"Editing · Enter to send as a new branch · Esc to cancel",
	"Editing · Enter to send · Esc to cancel",
	"Editing · Enter send · Esc cancel",
	"Editing",
}

// editLast edits the last message, where nothing runs and nothing is written.
func (g *revising) editLast() tea.Cmd {
	if g.editing != nil || !g.composer.Empty() {
		return g.flash("Send or clear your text first", quitWindow)
	}
	return g.loadUserMessages(true)
}

// askToEdit edits the last message when the key that stops is pressed twice, with nothing written
// and nothing that runs.
func (m *Model) askToEdit(k tea.KeyPressMsg) tea.Cmd {
	on := m.keys.EditLast
	if !on.Enabled() || !slices.ContainsFunc(on.Keys(), keys.Twice) || m.talk.first == "" {
		return nil
	}
	if m.twice(k) {
		m.asked, m.hint = asked{}, ""
		return m.loadUserMessages(true)
	}
	return m.flash(keys.Show(keys.Name(k))+" again edits your last message", quitWindow)
}

// Where turns are left that changed the vault, going back asks whether that is to be taken back
// too. Nothing happens before the answer.

// checkReach finds out what the turns changed that are about to be left.
func (g *revising) checkReach(id string) tea.Cmd {
	g.sending.moving.running = true
	reach := func(ctx context.Context) (session.Reach, error) { return g.o.Conversation.Reach(ctx, id) }
	return loop.Then(g.ctx, reach, g.reached)
}

// reached asks, or goes back where there is nothing to ask.
func (g *revising) reached(r session.Reach, err error) tea.Cmd {
	switch {
	case g.turn.stopping && !g.state.Turn.Running: // it was stopped meanwhile
		g.turn.stopping = false
		return g.keepEditing()
	case err != nil || len(r.Turns) == 0: // what stays is told
		return g.goBack(nil)
	}
	g.sending.moving.running, g.sending.moving.asks = false, true
	title := "The turns you leave changed " + text.Count(r.Notes, "note") + ". Undo that too?"
	g.dialogs.PushUnasked(dialog.NewConfirm(g.styles, title, "Anything changed since is kept and listed.", phrase.Lines(r.Back), []dialog.Choice{
		{Label: "Undo it", Result: g.goingBack(r.Turns)},
		{Label: "Keep the changes", Result: g.goingBack(nil)},
		{Label: "Do not go back", Result: loop.Do(g.keepEditing)},
	}, 1, loop.Do(g.keepEditing)), g.now())
	return nil
}

// goingBack is the result that goes back, and takes turns back.
func (g *revising) goingBack(turns []string) loop.Do {
	return func() tea.Cmd {
		switch e := g.sending.moving.edited; {
		case e == nil:
			g.sending.moving.asks = false
			return nil
		case g.busy():
			g.sending.moving = moving{}
			g.editAgain(e)
			return g.flash("Not sent: a turn is running. Your text stays here", 3*quitWindow)
		}
		g.sending.moving.asks = false
		return g.goBack(turns)
	}
}

// keepEditing goes back to nothing: the message is edited on.
func (g *revising) keepEditing() tea.Cmd {
	e := g.sending.moving.edited
	g.sending.moving.asks = false
	if e == nil {
		return nil
	}
	g.sending.moving = moving{}
	g.editAgain(e)
	return g.sending.hand()
}

// goBack goes back to before the message that was edited, and takes turns back.
func (g *revising) goBack(turns []string) tea.Cmd {
	id, c := g.sending.moving.edited.id, g.o.Conversation
	return g.move(func(ctx context.Context) (session.Moved, error) {
		if len(turns) > 0 {
			return c.ForkBack(ctx, id, turns)
		}
		return c.Fork(ctx, id)
	}, false)
}

// findTurn finds the turn of a message of the user's, to edit the message or to try the turn again.
func (g *revising) findTurn(u *chat.User, again bool) tea.Cmd {
	switch {
	case g.o.Conversation == nil:
		return g.flash("You cannot go back in this conversation here", quitWindow)
	case g.busy():
		return g.flash(turnRuns, 2*quitWindow)
	case g.editing != nil:
		return g.flash("You are editing a message: Esc to cancel", 2*quitWindow)
	case u.ID() == "":
		return g.flash("This message was not sent", quitWindow)
	}
	ctx, c, unfinished := g.ctx, g.o.Conversation, g.o.Inbox
	if !again {
		unfinished = nil
	}
	return func() tea.Msg {
		var waiting *session.Unfinished
		if unfinished != nil {
			waiting = waitingFor(ctx, unfinished, u.ID())
		}
		items, err := c.History(ctx)
		return loop.Do(func() tea.Cmd { return g.turnFound(userMessageWith(items, u.ID()), waiting, again, err) })
	}
}

// waitingFor is the message with this id, where it failed and waits to be tried again.
func waitingFor(ctx context.Context, unfinished pickers.Inbox, id string) *session.Unfinished {
	list, _ := unfinished.List(ctx) // where it cannot be read, the turn is gone back to instead
	if i := slices.IndexFunc(list, func(x session.Unfinished) bool { return x.Message.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// userMessageWith is what the user said in the turn that took a message; nil where none did.
func userMessageWith(items []session.HistoryItem, id string) *said {
	turn := ""
	for _, h := range items {
		if h.ID == id && h.ID != "" && !h.Carried {
			turn = h.Turn
		}
	}
	if turn == "" {
		return nil
	}
	for _, s := range userMessagesIn(items) {
		if s.id == turn {
			return &s
		}
	}
	return nil
}

// turnFound edits what the user said in the turn of a message, or tries the turn again; nil: it is not of the
// conversation that goes on. waiting failed, and waits to be retried; nil: it does not.
func (g *revising) turnFound(s *said, waiting *session.Unfinished, again bool, err error) tea.Cmd {
	switch {
	case err != nil:
		return g.flash("The conversation could not be read: "+err.Error(), 3*quitWindow)
	case g.busy() || g.editing != nil:
		return nil // something began meanwhile
	case waiting != nil:
		g.selection.Leave()
		return g.unfinished.AskOrRetry(*waiting)
	case s == nil:
		return g.flash("This is not part of the active conversation: /conversations continues another", 3*quitWindow)
	}
	g.selection.Leave()
	if !again {
		return g.edit(*s)
	}
	g.hint = ""
	g.sending.moving.edited = &editing{said: *s}
	g.list.End()
	return g.checkReach(s.id)
}
