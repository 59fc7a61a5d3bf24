package cli

import (
	"context"

	"chatvault/conversation"
	"chatvault/internal/session"
)

// The chat goes back in its conversation, and over to another way it went. The processor moves
// the head; what the screen is told is read from disk before and after.

// history is what was said in the conversation so far.
func (a *app) history(context.Context) ([]session.HistoryItem, error) {
	c, err := a.conversations.Active()
	if c == nil || err != nil {
		return nil, err
	}
	return historyItems(c), nil
}

// fork goes back to before one of the user's messages.
func (a *app) fork(ctx context.Context, messageID string) (session.Moved, error) {
	return a.moved(ctx, func() error { return a.processor.Fork(messageID) })
}

// switchTo goes over to a branch.
func (a *app) switchTo(ctx context.Context, branchID string) (session.Moved, error) {
	return a.moved(ctx, func() error { return a.processor.Switch(branchID) })
}

func (a *app) moved(ctx context.Context, move func() error) (session.Moved, error) {
	before, err := a.conversations.Active()
	if err != nil {
		return session.Moved{}, err
	}
	if err := move(); err != nil {
		return session.Moved{}, err
	}
	after, err := a.conversations.Active()
	if err != nil || after == nil {
		return session.Moved{}, err
	}
	p, err := a.lastPage(after)
	if err != nil {
		return session.Moved{}, err
	}
	m := session.Moved{History: p.Items, Earlier: p.Earlier, First: p.First}
	if before != nil {
		left := before.Turns[shared(before.Turns, after.Turns):]
		m.Left, m.Changed = distinct(left), a.changesLeft(ctx, left)
	}
	return m, nil
}

// shared is how many turns two ways have in common.
func shared(a, b []conversation.Turn) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].ID == b[n].ID && a[n].Ended.Equal(b[n].Ended) {
		n++
	}
	return n
}

// distinct counts turns; one that failed and was tried again is one.
func distinct(turns []conversation.Turn) int {
	ids := map[string]bool{}
	for i := range turns {
		ids[turns[i].ID] = true
	}
	return len(ids)
}

// branches are the ways the conversation went, the active one first.
func (a *app) branches(context.Context) ([]session.Branch, error) {
	c, err := a.conversations.Active()
	if c == nil || err != nil {
		return nil, err
	}
	return branchList(c, a.marks), nil
}

func branchList(c *conversation.Conversation, marked func([]conversation.Turn) marks) []session.Branch {
	archived := c.Branches()
	from := len(c.Turns) // the active way is told from where the first of the others leaves it
	for _, b := range archived {
		from = min(from, afterTurn(c.Turns, b.Fork))
	}
	list := []session.Branch{branchOf("", c.Turns[from:], marked)}
	list[0].Active = true
	for _, b := range archived {
		list = append(list, branchOf(b.ID, b.Turns, marked))
	}
	return list
}

func branchOf(id string, turns []conversation.Turn, marked func([]conversation.Turn) marks) session.Branch {
	b, m := session.Branch{ID: id, Turns: distinct(turns)}, marked(turns)
	for i := range turns {
		b.History = append(b.History, turnItems(&turns[i], false)...)
		b.History = append(b.History, m.after(turns, i)...)
		b.Ended = turns[i].Ended
	}
	for _, h := range b.History {
		if h.Role == session.HistoryUser || h.Role == session.HistoryGoal {
			b.First = h.Content
			break
		}
	}
	return b
}
