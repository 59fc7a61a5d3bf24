package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/phrase"
)

// talk tracks the conversation on the screen and those that ended above it.
type talk struct {
	*shared
	questions *questions

	first    string              // its first words; empty if it has no messages
	by       list.Item           // the message they are from
	gap      *gap                // its messages that are not loaded; nil for none
	loading  bool                // the history is being loaded
	review   *chat.Retrospection // being streamed, or nil
	reviewOf string              // the id of its conversation
	// boundaries maps ids of ended conversations to their boundaries, because titles may arrive later.
	boundaries map[string]*chat.Boundary
}

// reviewed returns the item for the current review of a conversation.
func (t *talk) reviewed(id, title string) *chat.Retrospection {
	if t.review == nil || t.reviewOf != id {
		t.review, t.reviewOf = chat.NewRetrospection(t.env, title), id
		t.appendItem(t.review)
	}
	return t.review
}

// noteUserMessage records a user's message: the first one names the conversation until it has a title.
func (t *talk) noteUserMessage(u *chat.User) {
	if t.first == "" {
		t.first, t.by = phrase.First(text.Head(u.Text, phrase.MaxLine)), u
	}
}

// boundary draws the start of a new conversation, before the item that opens it or at the end.
func (t *talk) boundary(opening list.Item) *chat.Boundary {
	b := chat.NewBoundary(t.env, "New conversation · "+phrase.Time(t.now(), t.now()))
	if t.first != "" && (opening == nil || t.by != opening) {
		b.Before("“"+t.first+"”", "", "")
	}
	t.first = ""
	if opening == nil {
		t.appendItem(b)
		return b
	}
	t.list.InsertBefore(opening, b)
	if u, ok := opening.(*chat.User); ok {
		t.noteUserMessage(u)
	}
	return b
}

// conversationEnded draws the end of the conversation on the screen, which had an ID. Another one, left by the user, is
// no longer shown.
func (m *Model) conversationEnded(e event.ConversationEnded, id string) {
	if e.ID != id {
		return
	}
	m.turn.asked = nil // its answer is no longer awaited
	m.talk.boundaries[e.ID] = m.talk.boundary(m.opening())
}

// conversationTitled sets the title of an ended conversation.
func (t *talk) conversationTitled(e event.ConversationTitled) {
	if b := t.boundaries[e.ID]; b != nil && e.Title != "" {
		t.list.Redraw(func() { b.Title(e.Title, e.Summary) })
	}
}

// opening returns the first item of a starting turn, above which a conversation that ends before it is closed; nil if
// there is none.
func (m *Model) opening() list.Item {
	if m.state.Turn.Running {
		if m.state.Turn.Thought || m.turn.opening == nil {
			return nil
		}
		return m.turn.opening
	}
	for _, o := range m.outbox {
		if o.item != nil {
			return o.item
		}
	}
	return nil
}

// questionDropped removes a question that can no longer be answered.
func (m *Model) questionDropped(e event.QuestionDropped) {
	switch {
	case e.Left: // leaveQuestion has reported it
	case m.turn.asked.Asks(e.Question): // the turn that begins was to answer it
		m.turn.asked = nil
		fallthrough
	case m.question.Asks(e.Question):
		m.list.InsertBefore(m.opening(), chat.NewNotice(m.env, "The question above has expired. You can still say what you want."))
	}
}

// leaveQuestion drops the open question.
func (m *Model) leaveQuestion() tea.Cmd {
	c, was := m.o.Conversation, m.state.Question
	m.state.Question = session.Question{}
	m.follow()
	m.appendItem(chat.NewNotice(m.env, "Left unanswered. You can still say what you want."))
	return func() tea.Msg {
		err := c.LeaveQuestion()
		if err == nil {
			return nil
		}
		return loop.Do(func() tea.Cmd {
			m.state.Question = was
			m.follow()
			return m.flash("The question stays: "+err.Error(), 3*quitWindow)
		})
	}
}

// goOn switches to the conversation or branch that an action returns.
func (g *revising) goOn(a session.Action) tea.Cmd {
	if a.Effect == session.EffectContinue {
		open := func(ctx context.Context) (session.Page, error) {
			done, err := a.Do(ctx, "")
			return done.Moved.Page, err
		}
		return g.switchTo(open, func() tea.Cmd { return g.flash("Your next message continues it", 2*quitWindow) })
	}
	g.lists.close()
	return tea.Batch(g.leaveEditing(), g.move(func(ctx context.Context) (session.Moved, error) {
		done, err := a.Do(ctx, "")
		return done.Moved, err
	}, true))
}

// runElsewhere switches to the conversation of an unfinished message and runs it again.
func (g *revising) runElsewhere(u session.Unfinished) tea.Cmd {
	open := func(ctx context.Context) (session.Page, error) { return g.o.Inbox.Open(ctx, u.Message.ID) }
	return g.switchTo(open, func() tea.Cmd {
		u.Where = ""
		return g.lists.retry(u)
	})
}

// switchTo switches to the conversation that open returns and then calls then.
func (g *revising) switchTo(open func(context.Context) (session.Page, error), then func() tea.Cmd) tea.Cmd {
	if g.busy() {
		return g.flash(turnRuns, 2*quitWindow)
	}
	g.lists.close()
	keep := g.leaveEditing()
	g.sending.moving.running = true
	return tea.Batch(keep, loop.Then(g.ctx, open, func(page session.Page, err error) tea.Cmd { return g.switchedTo(page, err, then) }))
}

// switchedTo shows the conversation in place of the previous one.
func (g *revising) switchedTo(page session.Page, err error, then func() tea.Cmd) tea.Cmd {
	g.sending.moving, g.turn.stopping = moving{}, g.turn.stopping && g.state.Turn.Running
	if err != nil {
		return tea.Batch(g.flash("Not opened: "+err.Error(), 3*quitWindow), g.sending.submitNext())
	}
	g.state.Usage, g.state.Conversation, g.state.Question = session.Usage{}, page.ID, page.Question()
	g.talk.reload(page)
	return tea.Batch(then(), g.sending.submitNext())
}
