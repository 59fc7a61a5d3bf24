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
// none, or the question was dropped as stale. Turns that failed since have answered nothing.
func (c *Conversation) PendingQuestion() *Pending {
	i := len(c.Turns) - 1
	for i >= 0 && c.Turns[i].Failed {
		i--
	}
	if i < 0 || c.Turns[i].Question == "" || !c.Ended.IsZero() || slices.Contains(c.stale, c.Turns[i].ID) {
		return nil
	}
	t := &c.Turns[i]
	p := &Pending{ConversationID: c.ID, MessageID: t.ID, Question: t.Question, Options: t.Options, Plan: t.Plan, Asked: t.Ended}
	for j := range t.Messages {
		switch m := &t.Messages[j]; {
		case m.Role == RoleTool:
			p.ToolCalls++
		case m.IsQuestion:
			p.Asked = m.Time
		}
	}
	return p
}

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
