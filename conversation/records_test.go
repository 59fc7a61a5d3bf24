package conversation

import "fmt"

// AddBranch adds turns after the one with the ID b.Fork, or at the beginning, as an archived branch. It ignores b.ID
// and b.Ended.
func (c *Conversation) AddBranch(b Branch) error {
	c.grow()
	fork := 0
	if b.Fork != "" {
		if fork = c.tree.find(b.Fork, 1); fork == 0 {
			return fmt.Errorf("conversation: no turn %q to branch from", b.Fork)
		}
	}
	head := c.tree.head
	c.tree.head = fork
	for _, t := range b.Turns {
		c.tree.add(t)
	}
	c.tree.head = head
	return nil
}

// grow builds the tree of a conversation that was constructed with Turns only.
func (c *Conversation) grow() {
	if len(c.tree.nodes) == 0 {
		for _, t := range c.Turns {
			c.tree.add(t)
		}
	}
}

// records returns the records of a file that stores the conversation.
func (c *Conversation) records() []record {
	d := *c
	d.grow()
	out := []record{head(c)}
	at := 0
	goTo := func(n int) {
		if n != at {
			out = append(out, d.headRecord(n, c.Last()))
			at = n
		}
	}
	for i := range d.tree.nodes {
		n := &d.tree.nodes[i]
		goTo(n.parent)
		out = append(out, record{Type: "turn", Time: n.turn.Ended, Turn: &n.turn})
		at = i + 1
	}
	goTo(d.tree.head)
	if len(d.compactions) == 0 && c.Compaction != nil {
		d.compactions = []Compaction{*c.Compaction}
	}
	for i := range d.compactions {
		out = append(out, record{Type: "compaction", Time: d.compactions[i].Time, Compaction: &d.compactions[i]})
	}
	for _, id := range c.stale {
		out = append(out, record{Type: "stale", Time: c.Last(), Ref: &turnRef{Turn: id}})
	}
	ended := c.Ended
	if ended.IsZero() {
		ended = c.Last()
	}
	out = append(out, record{Type: "ended", Time: ended, Reason: "imported"})
	if c.Title != "" || c.Summary != "" {
		out = append(out, record{Type: "title", Time: ended, Title: c.Title, Summary: c.Summary})
	}
	return out
}
