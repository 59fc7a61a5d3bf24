package conversation

import (
	"errors"
	"fmt"
	"strings"
)

// Compact records a summary that stands, for the model, for the turns of conversation id up to
// x.Through. When it returns nil it is on disk; the turns stay as they are. A later one stands
// for those before it too.
func (m *Manager) Compact(id string, x Compaction) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.read(id)
	if err != nil {
		return err
	}
	if strings.TrimSpace(x.Summary) == "" {
		return errors.New("conversation: a compaction without a summary")
	}
	d := Conversation{Turns: c.Turns, Compaction: &x}
	if d.Compacted() == 0 {
		return fmt.Errorf("conversation: no turn %q before %v to compact", x.Through, x.Time)
	}
	if err := m.store.append(id, record{Type: "compaction", Time: x.Time, Compaction: &x}); err != nil {
		return err
	}
	c.Compaction = &x
	m.keep(c)
	return nil
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
