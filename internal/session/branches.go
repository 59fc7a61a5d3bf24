package session

import (
	"context"

	"chatvault/conversation"
	"chatvault/internal/session/telling"
)

// History is what was said in the conversation so far.
func (s *Conversations) History(context.Context) ([]HistoryItem, error) {
	c, err := s.manager.Active()
	if c == nil || err != nil {
		return nil, err
	}
	return historyItems(c), nil
}

// Question is what waits for its answer; nil: nothing does, or it is not known.
func (s *Conversations) Question() *conversation.Pending {
	c, err := s.manager.Active()
	if err != nil || c == nil {
		return nil
	}
	return c.PendingQuestion()
}

// Fork goes back to before one of the user's messages.
func (s *Conversations) Fork(ctx context.Context, messageID string) (Moved, error) {
	return s.moved(ctx, func() error { return s.processor.Fork(messageID) })
}

// Switch goes over to a branch.
func (s *Conversations) Switch(ctx context.Context, branchID string) (Moved, error) {
	return s.moved(ctx, func() error { return s.processor.Switch(branchID) })
}

func (s *Conversations) moved(ctx context.Context, move func() error) (Moved, error) {
	before, err := s.manager.Active()
	if err != nil {
		return Moved{}, err
	}
	if err := move(); err != nil {
		return Moved{}, err
	}
	after, err := s.manager.Active()
	if err != nil || after == nil {
		return Moved{}, err
	}
	p, err := s.lastPage(after)
	if err != nil {
		return Moved{}, err
	}
	m := Moved{History: p.Items, Earlier: p.Earlier, First: p.First}
	if before != nil {
		left := before.Turns[shared(before.Turns, after.Turns):]
		m.Left, m.Changed = distinct(left), s.changes.left(ctx, left)
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

// Branches are the ways the conversation went, the active one first.
func (s *Conversations) Branches(context.Context) ([]Branch, error) {
	c, err := s.manager.Active()
	if c == nil || err != nil {
		return nil, err
	}
	return branchList(c, s.changes.marks), nil
}

func branchList(c *conversation.Conversation, marked func([]conversation.Turn) marks) []Branch {
	archived := c.Branches()
	from := len(c.Turns) // the active way is told from where the first of the others leaves it
	for _, b := range archived {
		from = min(from, telling.AfterTurn(c.Turns, b.Fork))
	}
	list := []Branch{branchOf("", c.Turns[from:], marked)}
	list[0].Active = true
	for _, b := range archived {
		list = append(list, branchOf(b.ID, b.Turns, marked))
	}
	return list
}

func branchOf(id string, turns []conversation.Turn, marked func([]conversation.Turn) marks) Branch {
	b, m := Branch{ID: id, Turns: distinct(turns)}, marked(turns)
	for i := range turns {
		b.History = append(b.History, TurnItems(&turns[i], false)...)
		b.History = append(b.History, m.after(turns, i)...)
		b.Ended = turns[i].Ended
	}
	for _, h := range b.History {
		if h.Role == HistoryUser || h.Role == HistoryGoal {
			b.First = h.Content
			break
		}
	}
	return b
}
