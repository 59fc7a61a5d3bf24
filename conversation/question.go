package conversation

import (
	"errors"
	"io/fs"
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
	p := &Pending{ConversationID: c.ID, MessageID: t.ID, Question: t.Question, Options: t.Options, Plan: t.Plan, Asked: t.asked()}
	for j := range t.Messages {
		if t.Messages[j].Role == RoleTool {
			p.ToolCalls++
		}
	}
	return p
}

// asking is the turn whose question nobody has answered; nil: there is none.
func (c *Conversation) asking() *Turn {
	var said time.Time // the newest message of the turns after the one that is looked at
	for i := len(c.Turns) - 1; i >= 0; i-- {
		t := &c.Turns[i]
		switch {
		case t.Failed:
			continue
		case t.Question != "" && !said.IsZero() && !said.Before(t.asked()):
			return nil
		case t.Question != "":
			return t
		}
		if m := t.newest(); m.After(said) {
			said = m
		}
	}
	return nil
}

// asked is when the question of a turn was shown.
func (t *Turn) asked() time.Time {
	at := t.Ended
	for i := range t.Messages {
		if t.Messages[i].IsQuestion {
			at = t.Messages[i].Time
		}
	}
	return at
}

// newest is when the last of a turn's messages was sent, its beginning where that is not known.
// What the program says by itself, to go on toward a goal, answers nothing.
func (t *Turn) newest() (at time.Time) {
	known := false
	for i := range t.Messages {
		m := &t.Messages[i]
		if m.Role != RoleUser {
			continue
		}
		if known = known || !m.Time.IsZero(); m.Source != sourceGoal && m.Time.After(at) {
			at = m.Time
		}
	}
	if !known {
		return t.Started
	}
	return at
}

// sourceGoal is the Source of the program's own messages.
const sourceGoal = "goal"

// Pending is the text of PendingQuestion; empty where there is none.
func (c *Conversation) Pending() string {
	if p := c.PendingQuestion(); p != nil {
		return p.Question
	}
	return ""
}

// DropStale drops the questions of conversations that did not end which were asked longer than
// timeout ago: they are waited for no more, so that the conversation can end by idleness. The
// turns that asked stay.
func (m *Manager) DropStale(now time.Time, timeout time.Duration) (dropped []Pending, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	if err != nil {
		return nil, err
	}
	for _, id := range x.open() {
		c, readErr := m.read(id)
		if errors.Is(readErr, fs.ErrNotExist) {
			continue
		}
		if readErr != nil {
			err = errors.Join(err, readErr)
			continue
		}
		if !stale(c.PendingQuestion(), now, timeout) {
			continue
		}
		var p *Pending
		changeErr := m.changeLocked(id, func(c *Conversation) ([]record, error) {
			if p = c.PendingQuestion(); !stale(p, now, timeout) { // answered meanwhile
				p = nil
				return nil, nil
			}
			return []record{{Type: "stale", Time: now, Ref: &turnRef{Turn: p.MessageID}}}, nil
		})
		if changeErr == nil && p != nil {
			dropped = append(dropped, *p)
		}
		err = errors.Join(err, changeErr)
	}
	return dropped, err
}

// stale is the policy of the timeout of questions. A clock that went back makes none stale.
func stale(p *Pending, now time.Time, timeout time.Duration) bool {
	return p != nil && timeout > 0 && passed(p.Asked, now) > timeout
}
