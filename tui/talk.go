package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"chatvault/agent/event"
	"chatvault/internal/session"
	"chatvault/tui/chat"
	"chatvault/tui/list"
	"chatvault/tui/loop"
	"chatvault/tui/paging"
	"chatvault/tui/phrase"
)

// talk is the conversation on the screen, and the ones above it.
type talk struct {
	*shared
	questions *questions
	pages     *paging.Pages

	first string    // the first words of it; empty: nothing was said yet
	by    list.Item // the message they are of
	begin list.Item // what stands above its first item; nil: nothing does
	// fresh is the boundary that /new drew, until the processor tells of it.
	fresh *chat.Boundary
	// ending is what was told since /new was asked for: the processor's events may come before the
	// command that ends the conversation returns.
	ending struct {
		asked, began bool
		drawn        *chat.Boundary
	}
	loading    bool      // it is being read at the start
	compacting time.Time // since when a summary of earlier messages is being made, or the last one was
	reviewing  time.Time // since when it, or the last one, is looked back at
	// boundaries are where conversations ended, by their ids: a title may come later.
	boundaries map[string]*chat.Boundary
}

// said notes a message of the user's: the first one names the conversation until it has a title.
func (t *talk) said(u *chat.User) {
	if t.first == "" {
		t.first, t.by = phrase.First(phrase.Head(u.Text(), phrase.MaxLine)), u
	}
}

// boundary draws the line below which a new conversation begins: before the item that opens it,
// else at the end.
func (t *talk) boundary(opening list.Item) *chat.Boundary {
	b := chat.NewBoundary(t.env, "New conversation · "+phrase.Time(t.now(), t.now()))
	if t.first != "" && (opening == nil || t.by != opening) {
		b.Before("“"+t.first+"”", "", "")
	}
	t.begin, t.first = b, ""
	if opening == nil {
		t.say(b)
		return b
	}
	t.list.InsertBefore(opening, b)
	if u, ok := opening.(*chat.User); ok {
		t.said(u)
	}
	return b
}

// conversationEnded draws where a conversation ended, unless that is drawn already: /new draws
// it before the processor ends anything.
func (h *listener) conversationEnded(e event.ConversationEnded) {
	if h.talk.boundaries[e.ID] != nil {
		return
	}
	h.details = true
	h.turn.asked = nil // nobody waits for the answer to it
	b := h.talk.fresh
	if b == nil {
		b = h.talk.boundary(h.opening())
		if h.talk.ending.asked && !h.talk.ending.began {
			h.talk.ending.drawn = b
		}
	}
	h.talk.fresh = nil
	h.talk.boundaries[e.ID] = b
}

// conversationTitled names what ended.
func (t *talk) conversationTitled(e event.ConversationTitled) {
	if b := t.boundaries[e.ID]; b != nil && e.Title != "" {
		t.list.Redraw(func() { b.Title(e.Title, e.Summary) })
	}
}

// opening is the first item of the turn that begins, which a conversation that ends before it
// ends above; nil where none begins.
func (h *listener) opening() list.Item {
	if h.state.Turn.Running {
		if h.state.Turn.Thought || h.turn.opening == nil {
			return nil
		}
		return h.turn.opening
	}
	for _, o := range h.sending.outbox {
		if o.item != nil {
			return o.item
		}
	}
	return nil
}

// earlier is the quiet line about the conversation that ended last, at the start.
func (t *talk) earlier(p *session.Past) *chat.Boundary {
	b := chat.NewBoundary(t.env, "")
	b.Before(phrase.Line(p.Name()), phrase.Time(p.Ended, t.now()), p.Summary)
	t.details = t.details || p.Summary != ""
	t.boundaries[p.ID] = b
	return b
}

// questionDropped takes the question away that nobody's answer is waited for any more.
func (h *listener) questionDropped(e event.QuestionDropped) {
	switch {
	case e.Left: // said by leaveQuestion
	case h.questions.question.Asks(e.Question):
		h.say(chat.NewNotice(h.env, "The question above was not answered in time and has expired. You can still say what you want."))
	case h.turn.asked.Asks(e.Question): // the turn that begins was to be the answer
		h.turn.asked = nil
		if at := h.opening(); at != nil {
			h.list.InsertBefore(at, chat.NewNotice(h.env, "The question above has expired."))
		}
	}
}

// leaveQuestion leaves the question unanswered that waits.
func (h *listener) leaveQuestion() tea.Cmd {
	c, was := h.o.Conversation, h.state.Question
	h.state.Question = session.Question{}
	h.questions.follow()
	h.say(chat.NewNotice(h.env, "Left unanswered. You can still say what you want."))
	return func() tea.Msg {
		err := c.LeaveQuestion()
		if err == nil {
			return nil
		}
		return loop.Do(func() tea.Cmd {
			h.state.Question = was
			h.questions.follow()
			return h.flash("The question stays: "+err.Error(), 3*quitWindow)
		})
	}
}

// runElsewhere runs an unfinished message again in its conversation, which is opened here.
func (g *revising) runElsewhere(u session.Unfinished) tea.Cmd {
	open := func(ctx context.Context) (session.Page, error) { return g.o.Inbox.Open(ctx, u.Message.ID) }
	return g.goOver(open, func() tea.Cmd {
		u.Where = ""
		return g.unfinished.Again(u)
	})
}

// goOver shows another conversation, from where open brings it, and then does what follows.
func (g *revising) goOver(open func(context.Context) (session.Page, error), then func() tea.Cmd) tea.Cmd {
	if g.busy() {
		return g.flash(turnRuns, 2*quitWindow)
	}
	g.base.Stop()
	keep := g.leaveEditing()
	g.sending.moving.running, g.sending.moving.on = true, true
	return tea.Batch(keep, loop.Then(g.ctx, open, func(page session.Page, err error) tea.Cmd { return g.wentOver(page, err, then) }))
}

// wentOver shows it below what was said before, as /new would. That the one before ended is
// told by an event, which may have come already.
func (g *revising) wentOver(page session.Page, err error, then func() tea.Cmd) tea.Cmd {
	g.sending.moving, g.turn.stopping = moving{}, g.turn.stopping && g.state.Turn.Running
	if err != nil {
		return tea.Batch(g.flash("Not continued: "+err.Error(), 3*quitWindow), g.sending.hand())
	}
	if g.talk.first != "" {
		b := g.talk.boundary(nil)
		if g.state.Conversation != page.ID {
			g.talk.fresh = b
		}
	}
	g.state.Usage, g.state.Conversation = session.Usage{Turns: g.state.Usage.Turns}, page.ID
	g.talk.reload(page)
	return tea.Batch(then(), g.sending.hand())
}
