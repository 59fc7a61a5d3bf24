package conversation

import (
	"fmt"
	"slices"
	"time"
)

// tree holds all turns of a conversation in the order in which they were appended, parents first. The zero value is
// empty.
type tree struct {
	nodes []node
	head  int // 1-based index of the head; 0 is before the first turn
}

// node is a turn and the 1-based index of the one it follows; 0 if it is the first.
type node struct {
	turn   Turn
	parent int
}

// Branch is a run of turns that is not on the active path: the end of a path of its own.
type Branch struct {
	ID    string    `json:"id"`             // ID of its last turn, with a number if that is ambiguous
	Fork  string    `json:"fork,omitempty"` // the last turn shared with the active path; empty if none
	Ended time.Time `json:"ended"`          // when its last turn ended
	Turns []Turn    `json:"turns"`          // the turns after Fork

	leaf int // the node of its last turn
}

// add appends a turn after the head and makes it the head.
func (t *tree) add(turn Turn) {
	t.nodes = append(t.nodes, node{turn, t.head})
	t.head = len(t.nodes)
}

// path returns the nodes from the beginning to a node, as 1-based indexes.
func (t *tree) path(to int) []int {
	var p []int
	for n := to; n > 0; n = t.nodes[n-1].parent {
		p = append(p, n)
	}
	slices.Reverse(p)
	return p
}

// turns returns the turns of nodes.
func (t *tree) turns(path []int) []Turn {
	out := make([]Turn, len(path))
	for i, n := range path {
		out[i] = t.nodes[n-1].turn
	}
	return out
}

// leaves returns the last nodes of the branches, oldest first.
func (t *tree) leaves() []int {
	inner := make([]bool, len(t.nodes)+1)
	for i := range t.nodes {
		inner[t.nodes[i].parent] = true
	}
	for _, n := range t.path(t.head) {
		inner[n] = true
	}
	var out []int
	for n := 1; n <= len(t.nodes); n++ {
		if !inner[n] {
			out = append(out, n)
		}
	}
	return out
}

// nth returns how many of the nodes up to n have its ID. A failed turn and its retry have the same ID.
func (t *tree) nth(n int) int {
	k := 0
	for i := range n {
		if t.nodes[i].turn.ID == t.nodes[n-1].turn.ID {
			k++
		}
	}
	return k
}

// find returns the nth node with an ID, the last one if there are fewer, 0 if there is none.
func (t *tree) find(id string, nth int) int {
	found, k := 0, 0
	for i := range t.nodes {
		if t.nodes[i].turn.ID == id {
			found = i + 1
			if k++; k == max(nth, 1) {
				break
			}
		}
	}
	return found
}

// Branches returns the branches off the active path, newest first. Together with the active path they hold every
// turn; branches that forked from each other share turns.
func (c *Conversation) Branches() []Branch {
	active := map[int]bool{}
	for _, n := range c.tree.path(c.tree.head) {
		active[n] = true
	}
	var out []Branch
	used := map[string]bool{}
	for _, leaf := range c.tree.leaves() {
		path := c.tree.path(leaf)
		shared := 0
		for shared < len(path) && active[path[shared]] {
			shared++
		}
		b := Branch{Turns: c.tree.turns(path[shared:]), leaf: leaf}
		if shared > 0 {
			b.Fork = c.tree.nodes[path[shared-1]-1].turn.ID
		}
		last := &b.Turns[len(b.Turns)-1]
		b.ID, b.Ended = last.ID, last.Ended
		for i := 2; used[b.ID]; i++ {
			b.ID = fmt.Sprintf("%s~%d", last.ID, i)
		}
		used[b.ID] = true
		out = append(out, b)
	}
	slices.Reverse(out)
	slices.SortStableFunc(out, func(a, b Branch) int { return b.Ended.Compare(a.Ended) })
	return out
}

// Fork goes back to before a turn of a conversation, including earlier failed attempts at its message. It and what
// follows become a branch.
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

// Switch makes a branch of a conversation the active path. The turns that were active after the fork become a branch.
func (m *Manager) Switch(id, branchID string) error {
	return m.change(id, func(c *Conversation) ([]record, error) {
		for _, b := range c.Branches() {
			if b.ID == branchID {
				return []record{c.headRecord(b.leaf, m.now())}, nil
			}
		}
		return nil, fmt.Errorf("conversation %s has no branch %q", id, branchID)
	})
}

// headRecord returns the record that moves the head to a node.
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
