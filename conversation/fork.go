package conversation

import (
	"fmt"
	"time"
)

// Fork goes back to before turn turnID of conversation id, as when its message is edited: it
// and what followed become a branch, and the next turn follows the one before it. Attempts at
// the same message that failed right before it go with it.
func (m *Manager) Fork(id, turnID string) error {
	return m.change(id, func(c *Conversation) ([]record, error) {
		if !c.Ended.IsZero() {
			return nil, fmt.Errorf("conversation %s has ended and cannot be changed", id)
		}
		path := c.tree.path(c.tree.head)
		i := len(path) - 1
		for i >= 0 && c.tree.nodes[path[i]-1].turn.ID != turnID {
			i--
		}
		if i < 0 {
			return nil, fmt.Errorf("conversation %s has no turn %q on its active path", id, turnID)
		}
		for i > 0 && c.tree.nodes[path[i-1]-1].turn.ID == turnID {
			i--
		}
		to := 0
		if i > 0 {
			to = path[i-1]
		}
		return []record{c.headRecord(to, m.now())}, nil
	})
}

// Switch makes a branch of conversation id the active path; what was active after their fork
// becomes a branch.
func (m *Manager) Switch(id, branchID string) error {
	return m.change(id, func(c *Conversation) ([]record, error) {
		to := c.branch(branchID)
		if to == 0 {
			return nil, fmt.Errorf("conversation %s has no branch %q", id, branchID)
		}
		return []record{c.headRecord(to, m.now())}, nil
	})
}

// headRecord is the record that moves the head to a node.
func (c *Conversation) headRecord(to int, now time.Time) record {
	r := record{Type: "head", Time: now, Ref: &turnRef{}}
	if to > 0 {
		r.Ref.Turn = c.tree.nodes[to-1].turn.ID
		if n := c.tree.nth(to); n > 1 {
			r.Ref.Nth = n
		}
	}
	return r
}
