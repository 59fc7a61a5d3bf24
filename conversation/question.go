package conversation

import (
	"cmp"
	"slices"
	"time"
)

// Pending is a question that waits for an answer.
type Pending struct {
	ConversationID string    `json:"conversation_id"`
	MessageID      string    `json:"message_id"` // the message whose turn asked
	Question       string    `json:"question"`
	Options        []string  `json:"options,omitempty"`
	Plan           bool      `json:"plan,omitempty"` // it asks whether to carry out a plan
	Asked          time.Time `json:"asked"`
}

// PendingQuestion returns the question that waits for an answer, or nil. Failed turns and messages sent before the
// question was shown do not answer it.
func (c *Conversation) PendingQuestion() *Pending {
	t := c.OpenQuestion()
	if t == nil {
		return nil
	}
	return &Pending{ConversationID: c.ID, MessageID: t.ID, Question: t.Question, Options: t.Options, Plan: t.Plan, Asked: t.Asked()}
}

// LastAsking returns the turn that the next message continues from: the one whose question waits, else the last that
// did not fail, or nil.
func (c *Conversation) LastAsking() *Turn { return cmp.Or(c.OpenQuestion(), c.LastDone()) }

// LastDone returns the last turn that did not fail, or nil.
func (c *Conversation) LastDone() *Turn {
	for i := len(c.Turns) - 1; i >= 0; i-- {
		if t := &c.Turns[i]; !t.Failed {
			return t
		}
	}
	return nil
}

// OpenQuestion returns the turn whose question waits, or nil.
func (c *Conversation) OpenQuestion() *Turn {
	if !c.Ended.IsZero() {
		return nil
	}
	var later []*Turn
	for i := len(c.Turns) - 1; i >= 0; i-- {
		t := &c.Turns[i]
		switch {
		case t.Failed:
			continue
		case t.Question == "":
			later = append(later, t)
			continue
		}
		at := t.Asked()
		if slices.Contains(c.stale, t.ID) || slices.ContainsFunc(later, func(l *Turn) bool { return l.answersAfter(at) }) {
			return nil
		}
		return t
	}
	return nil
}

// Asked returns when the question of a turn was shown. Messages sent before do not answer it.
func (t *Turn) Asked() time.Time {
	at := t.Ended
	for i := range t.Messages {
		if t.Messages[i].IsQuestion {
			at = t.Messages[i].Time
		}
	}
	return at
}

// answersAfter reports whether a user's message of the turn was sent after the question was shown, or at an unknown
// time. Messages sent by the program for a goal do not count.
func (t *Turn) answersAfter(asked time.Time) bool {
	users := 0
	for i := range t.Messages {
		m := &t.Messages[i]
		if m.Role != RoleUser {
			continue
		}
		if users++; !m.ByProgram() && (m.Time.IsZero() || !m.Time.Before(asked)) {
			return true
		}
	}
	return users == 0
}

// sourceGoal is the Source of the program's own messages.
const sourceGoal = "goal"

// ByProgram reports whether the program wrote a user's message, to continue with a goal.
func (m *Message) ByProgram() bool { return m.Role == RoleUser && m.Source == sourceGoal }

// DropStale drops and returns the active conversation's question if it was asked, or opened again by Fork or Switch,
// longer than timeout ago. The conversation can then end when idle. The turn that asked remains.
func (m *Manager) DropStale(now time.Time, timeout time.Duration) (dropped *Pending, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.active()
	if err != nil || !stale(c, now, timeout) {
		return nil, err
	}
	return m.dropQuestion(c.ID, now)
}

// DropQuestion drops the question that waits in a conversation and returns it, or nil if there is none.
func (m *Manager) DropQuestion(id string) (dropped *Pending, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dropQuestion(id, m.now())
}

func (m *Manager) dropQuestion(id string, now time.Time) (dropped *Pending, err error) {
	err = m.changeLocked(id, func(c *Conversation) ([]record, error) {
		if dropped = c.PendingQuestion(); dropped == nil {
			return nil, nil
		}
		return []record{{Type: "stale", Time: now, Ref: &turnRef{Turn: dropped.MessageID}}}, nil
	})
	return dropped, err
}

// stale reports whether a question has waited for longer than timeout. Returning to it restarts the time.
func stale(c *Conversation, now time.Time, timeout time.Duration) bool {
	if timeout <= 0 || c == nil {
		return false
	}
	p := c.PendingQuestion()
	return p != nil && min(passed(p.Asked, now), passed(c.moved, now)) > timeout
}

// passed returns the time since an event by the wall clock, which includes sleep. It is zero for events in the
// future.
func passed(event, now time.Time) time.Duration {
	return max(now.Round(0).Sub(event.Round(0)), 0)
}
