package conversation

import (
	"slices"
	"time"
)

// Pending is a question that a conversation waits for an answer to.
type Pending struct {
	ConversationID string    `json:"conversation_id"`
	MessageID      string    `json:"message_id"` // the message whose turn asked
	ToolCalls      int       `json:"tool_calls"` // that were completed before it
	Question       string    `json:"question"`
	Options        []string  `json:"options,omitempty"`
	Plan           bool      `json:"plan,omitempty"` // it asks whether to carry out a plan
	Asked          time.Time `json:"asked"`
}

// PendingQuestion is the question the conversation waits for an answer to; nil: it waits for
// none, or the question was dropped as stale. Turns since that failed, or whose messages were all
// sent before the question was shown, have answered nothing.
func (c *Conversation) PendingQuestion() *Pending {
	t := c.asking()
	if t == nil || !c.Ended.IsZero() || slices.Contains(c.stale, t.ID) {
		return nil
	}
	p := &Pending{ConversationID: c.ID, MessageID: t.ID, Question: t.Question, Options: t.Options, Plan: t.Plan, Asked: t.Asked()}
	for j := range t.Messages {
		if t.Messages[j].Role == RoleTool {
			p.ToolCalls++
		}
	}
	return p
}

// OpenQuestion is the turn whose question the conversation waits with; nil: it waits with none.
func (c *Conversation) OpenQuestion() *Turn {
	if c.PendingQuestion() == nil {
		return nil
	}
	return c.asking()
}

// LastAsking is the turn that the next message goes on from: the one that waits for an answer, else
// the last that did not fail; nil: there is none.
func (c *Conversation) LastAsking() *Turn {
	if t := c.OpenQuestion(); t != nil {
		return t
	}
	return c.LastDone()
}

// LastDone is the last turn that did not fail; nil: there is none.
func (c *Conversation) LastDone() *Turn {
	for i := len(c.Turns) - 1; i >= 0; i-- {
		if t := &c.Turns[i]; !t.Failed {
			return t
		}
	}
	return nil
}

// asking is the turn whose question nobody has answered; nil: there is none.
func (c *Conversation) asking() *Turn {
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
		if slices.ContainsFunc(later, func(l *Turn) bool { return l.answersAfter(at) }) {
			return nil
		}
		return t
	}
	return nil
}

// Asked is when the question of a turn was shown: what was sent before it is no answer to it.
func (t *Turn) Asked() time.Time {
	at := t.Ended
	for i := range t.Messages {
		if t.Messages[i].IsQuestion {
			at = t.Messages[i].Time
		}
	}
	return at
}

// answersAfter says whether a message of the turn was sent when a question had been shown, or
// nobody knows when. What the program says by itself, to go on toward a goal, answers nothing.
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

// ByProgram reports whether the program wrote a user's message, to go on toward a goal.
func (m *Message) ByProgram() bool { return m.Role == RoleUser && m.Source == sourceGoal }

// DropStale drops the question that the conversation waits with, and returns it, if it was asked, or opened again by
// Fork or Switch, longer than timeout ago: the conversation can end by idleness then. The turn that asked stays.
func (m *Manager) DropStale(now time.Time, timeout time.Duration) (dropped *Pending, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.active()
	if err != nil || !stale(c, now, timeout) {
		return nil, err
	}
	return m.dropQuestion(c.ID, now)
}

// DropQuestion drops the question that a conversation waits with, and returns it; nil: there was none.
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

// stale is the policy of the timeout of questions. One that is open again as the user went back waits from then on.
func stale(c *Conversation, now time.Time, timeout time.Duration) bool {
	if timeout <= 0 || c == nil {
		return false
	}
	p := c.PendingQuestion()
	return p != nil && min(passed(p.Asked, now), passed(c.moved, now)) > timeout
}

// passed is how long after an event it is, by the clock on the wall, which goes on while the
// machine sleeps. An event that lies in the future, as a clock went back since, is now.
func passed(event, now time.Time) time.Duration {
	return max(now.Round(0).Sub(event.Round(0)), 0)
}
