package session

import (
	"context"
	"slices"

	"chatvault/conversation"
	"chatvault/internal/app/session/export"
)

// History returns the conversation so far.
func (s *Conversations) History(context.Context) ([]HistoryItem, error) {
	c, err := s.manager.Active()
	if c == nil || err != nil {
		return nil, err
	}
	return s.page(c, 0, len(c.Turns)).Items, nil
}

// Question returns the question that waits for an answer. It returns nil if there is none or it cannot be read.
func (s *Conversations) Question() *conversation.Pending {
	c, err := s.manager.Active()
	if err != nil || c == nil {
		return nil
	}
	return c.PendingQuestion()
}

// Fork goes back to before one of the user's messages.
func (s *Conversations) Fork(ctx context.Context, messageID string) (Moved, error) {
	return s.moved(ctx, messageID, s.processor.Fork)
}

// Switch switches to a branch.
func (s *Conversations) Switch(ctx context.Context, branchID string) (Moved, error) {
	return s.moved(ctx, branchID, s.processor.Switch)
}

// moved calls move and returns the conversation after that.
func (s *Conversations) moved(ctx context.Context, id string, move func(id string) error) (Moved, error) {
	before, err := s.manager.Active()
	if err != nil {
		return Moved{}, err
	}
	if err := move(id); err != nil {
		return Moved{}, err
	}
	after, err := s.manager.Active()
	if err != nil || after == nil {
		return Moved{}, err
	}
	m := Moved{Page: s.lastPage(after)}
	if before != nil {
		left := before.Turns[shared(before.Turns, after.Turns):]
		m.Left = distinct(left)
		m.Changed = s.changes.remaining(ctx, left)
	}
	return m, nil
}

// shared returns how many turns two branches have in common.
func shared(a, b []conversation.Turn) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].ID == b[n].ID && a[n].Ended.Equal(b[n].Ended) {
		n++
	}
	return n
}

// distinct counts turns. A failed turn and its retry count as one.
func distinct(turns []conversation.Turn) int {
	ids := map[string]bool{}
	for i := range turns {
		ids[turns[i].ID] = true
	}
	return len(ids)
}

// Branches returns the branches of the conversation, the active one first.
func (s *Conversations) Branches(context.Context) ([]Branch, error) {
	c, err := s.manager.Active()
	if c == nil || err != nil {
		return nil, err
	}
	return branchList(c), nil
}

func branchList(c *conversation.Conversation) []Branch {
	archived := c.Branches()
	from := len(c.Turns) // the active branch is shown from where the first other one leaves it
	for _, b := range archived {
		from = min(from, export.AfterTurn(c.Turns, b.Fork))
	}
	list := []Branch{branchOf("", c.Turns[from:])}
	list[0].Active = true
	for _, b := range archived {
		list = append(list, branchOf(b.ID, b.Turns))
	}
	return list
}

func branchOf(id string, turns []conversation.Turn) Branch {
	b := Branch{ID: id, Turns: distinct(turns)}
	for i := range turns {
		b.History = append(b.History, TurnItems(&turns[i], false)...)
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

// remaining returns what turns changed in the vault and was not undone, a line each, oldest first, as in /changes.
func (ch *Changes) remaining(ctx context.Context, of []conversation.Turn) (lines []string) {
	turns, err := ch.vault.History.Turns(ctx, 0)
	if err != nil {
		ch.log.Warn("the journal cannot be read for what is left behind", "error", err)
	}
	for _, t := range slices.Backward(turns) {
		if !slices.ContainsFunc(of, func(l conversation.Turn) bool { return l.ID == t.Turn }) {
			continue
		}
		for i := range t.Changes {
			if c := &t.Changes[i]; backLine(c) != "" {
				lines = append(lines, c.Text())
			}
		}
	}
	return lines
}
