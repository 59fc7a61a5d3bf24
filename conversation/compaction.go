package conversation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Compact records a summary that stands, for the model, for the turns of conversation id up to
// x.Through, which may be a carried one. When it returns nil it is on disk; the turns stay as they are. A later one stands
// for those before it too.
func (m *Manager) Compact(id string, x Compaction) error {
	return m.change(id, func(c *Conversation) ([]record, error) {
		if strings.TrimSpace(x.Summary) == "" {
			return nil, errors.New("conversation: a compaction without a summary")
		}
		d := Conversation{Turns: c.Turns, Compaction: &x}
		if d.Compacted() == 0 && c.Continues.through(x.Through) == 0 {
			return nil, fmt.Errorf("conversation: no turn %q before %v to compact", x.Through, x.Time)
		}
		return []record{{Type: "compaction", Time: x.Time, Compaction: &x}}, nil
	})
}

// Compacted counts the turns, from the first on, that the Compaction stands for; 0 without one,
// and where the last of them is gone (a line that could not be read): then all of them are told
// again, and none is lost. A turn that failed has the id of the one that retries it: only what
// ended before the summary was made is in it.
func (c *Conversation) Compacted() int {
	x := c.Compaction
	if x == nil {
		return 0
	}
	n := 0
	for i := range c.Turns {
		if c.Turns[i].Ended.After(x.Time) {
			break
		}
		if c.Turns[i].ID == x.Through {
			n = i + 1
		}
	}
	return n
}

// standing is the compaction that stands for turns of the active path: the last one made there.
// One whose last turn is nowhere, as its line could not be read, is better than none; one that
// ends on a branch tells of what was not said here.
func (c *Conversation) standing() *Compaction {
	var lost *Compaction
	for i := len(c.compactions) - 1; i >= 0; i-- {
		x := &c.compactions[i]
		if c.Continues.through(x.Through) > 0 {
			return x // what was carried precedes every path
		}
		if slices.ContainsFunc(c.Turns, func(t Turn) bool { return t.ID == x.Through }) {
			return x
		}
		if lost == nil && c.tree.find(x.Through, 1) == 0 {
			lost = x
		}
	}
	return lost
}
