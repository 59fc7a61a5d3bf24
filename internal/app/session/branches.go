package session

import (
	"context"
	"errors"
	"slices"

	"chatvault/conversation"
	"chatvault/internal/app/session/export"
	"chatvault/vault"
	"chatvault/vault/journal"
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
	return s.ForkBack(ctx, messageID, nil)
}

// Switch switches to a branch.
func (s *Conversations) Switch(ctx context.Context, branchID string) (Moved, error) {
	return s.moved(ctx, func() error { return s.processor.Switch(branchID) }, nil)
}

// ForkBack forks and then undoes the given turns, in this order.
func (s *Conversations) ForkBack(ctx context.Context, messageID string, ids []string) (Moved, error) {
	return s.moved(ctx, func() error { return s.processor.Fork(messageID) }, ids)
}

// moved calls move, undoes turns, and returns the conversation after that.
func (s *Conversations) moved(ctx context.Context, move func() error, undo []string) (Moved, error) {
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
	m := Moved{Page: s.lastPage(after)}
	if before != nil {
		left := before.Turns[shared(before.Turns, after.Turns):]
		done := s.undoTurns(ctx, before, undo, &m)
		m.Left = distinct(left)
		m.Changed = s.changes.remainingChanges(ctx, slices.DeleteFunc(slices.Clone(left), func(t conversation.Turn) bool { return done[t.ID] }))
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
	return branchList(c, s.changes.marks), nil
}

func branchList(c *conversation.Conversation, marked func([]conversation.Turn) marks) []Branch {
	archived := c.Branches()
	from := len(c.Turns) // the active branch is shown from where the first other one leaves it
	for _, b := range archived {
		from = min(from, export.AfterTurn(c.Turns, b.Fork))
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

// Reach describes which changes of the vault can be undone when turns are left.
type Reach struct {
	Turns []string // IDs, newest first
	Notes int      // number of changed notes
	Back  []string // what an undo does, a line each
}

// Reach returns, from the journal, what the turns that would be left changed: the turns from the one with the message
// on, and turns stopped since then, which are in no conversation.
func (s *Conversations) Reach(ctx context.Context, messageID string) (Reach, error) {
	c, err := s.manager.Active()
	if c == nil || err != nil {
		return Reach{}, err
	}
	turns, err := s.vault.History.Turns(ctx, 0)
	if err != nil {
		return Reach{}, err
	}
	var r Reach
	notes := map[string]bool{}
	for _, t := range reached(c, messageID, turns) {
		r.Turns = append(r.Turns, t.Turn)
		r.Back = append(r.Back, ChangedTurnOf(&t).Back...)
		for i := range t.Changes {
			ch := &t.Changes[i]
			if backLine(ch) == "" {
				continue
			}
			for k := range ch.Files {
				notes[ch.Files[k].Path] = true
			}
			if len(ch.Files) == 0 {
				notes[ch.Path] = true
			}
		}
	}
	r.Notes = len(notes)
	return r, nil
}

// reached returns the journal's turns, newest first, that going back to before a message leaves and that can still be
// undone.
func reached(c *conversation.Conversation, messageID string, turns []journal.Turn) []journal.Turn {
	from := slices.IndexFunc(c.Turns, func(t conversation.Turn) bool { return t.Holds(messageID) })
	if from < 0 {
		return nil
	}
	left, known := map[string]bool{}, map[string]bool{}
	for i := range c.Turns {
		known[c.Turns[i].ID] = true
		left[c.Turns[i].ID] = i >= from
	}
	for _, b := range c.Branches() {
		for i := range b.Turns {
			known[b.Turns[i].ID] = true
		}
	}
	began := c.Turns[from].Started
	var out []journal.Turn
	for _, t := range turns {
		stopped := t.Conversation == c.ID && !known[t.Turn] && !t.Began.Before(began)
		if (left[t.Turn] || stopped) && !t.Running && t.Undoes == "" && len(ChangedTurnOf(&t).Back) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// undoTurns undoes turns one after another and returns the IDs of those it undid. The agent gets a
// notice only for stopped turns: it no longer sees the others.
func (s *Conversations) undoTurns(ctx context.Context, c *conversation.Conversation, ids []string, m *Moved) map[string]bool {
	done, kept := map[string]bool{}, map[string]bool{}
	for _, id := range ids {
		u, err := s.vault.History.Undo(ctx, id)
		m.Back = append(m.Back, u.Lines...)
		for _, r := range u.Refused {
			if !kept[r.Path] { // the last turn that changed it gives the reason
				m.Kept, kept[r.Path] = append(m.Kept, refusalLine(r)), true
			}
		}
		if err != nil && !errors.Is(err, vault.ErrUndone) && !errors.Is(err, vault.ErrNothingToUndo) {
			m.Kept = append(m.Kept, "Not all of it could be undone: "+err.Error()+". /changes undoes one turn at a time.")
			break
		}
		done[id] = true
		if export.AfterTurn(c.Turns, id) == 0 {
			s.changes.recordUndo(u, false)
		}
	}
	return done
}
