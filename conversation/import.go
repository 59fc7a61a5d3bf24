package conversation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

// Import adds conversations from elsewhere, all as ended. Those whose ID exists are skipped. What was added is on
// disk even if an error is returned. It needs no lock, since each file is created whole.
func (m *Manager) Import(convs []*Conversation) (added, skipped int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range convs {
		switch err := m.store.create(c.ID, c.records()); {
		case err == nil:
			added++
		case errors.Is(err, fs.ErrExist):
			skipped++
		default:
			_, _ = m.index()
			return added, skipped, fmt.Errorf("conversation %s could not be written: %w", c.ID, err)
		}
	}
	_, err = m.index()
	return added, skipped, err
}

// create writes the file of a conversation, which there must not be yet, whole.
func (s store) create(id string, records []record) error {
	lines, err := s.lines(id, records)
	if err != nil {
		return err
	}
	return atomicfile.Writer{}.Replace(s.root, file(id), lines, atomicfile.Options{Perm: 0o600, Exclusive: true})
}

// records returns the records of the conversation's file.
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
		out = append(out, record{Type: "title", Time: ended, Title: beginning(c.Title, maxTitle), Summary: c.Summary})
	}
	return out
}

// Foreign reads the conversations in a folder that must not be changed, for Import: oldest first, with future times
// capped to now. Faults are sentences about invalid files.
func Foreign(root *os.Root, now time.Time) (convs []*Conversation, faults []string, err error) {
	list, err := statefile.List(root, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, f := range list {
		id, ok := strings.CutSuffix(f.Name(), ".jsonl")
		if !ok || !validID(id) {
			continue
		}
		data, err := statefile.Read(root, file(id), maxConversation)
		if err != nil {
			faults = append(faults, fmt.Sprintf("conversation %s cannot be read: %v", id, err))
			continue
		}
		c, _ := parse(id, data)
		switch {
		case c.later:
			faults = append(faults, fmt.Sprintf("conversation %s was %s", id, writtenLater))
		case len(c.tree.nodes) == 0 && len(c.Turns) == 0:
			faults = append(faults, fmt.Sprintf("conversation %s is empty", id))
		default:
			c.notAfter(now)
			convs = append(convs, c)
		}
	}
	slices.SortFunc(convs, func(a, b *Conversation) int { return a.Started.Compare(b.Started) })
	return convs, faults, nil
}

// notAfter has nothing in a conversation be later than a time, and the conversation ended.
func (c *Conversation) notAfter(now time.Time) {
	cap := func(t *time.Time) {
		if t.After(now) {
			*t = now
		}
	}
	capTurn := func(t *Turn) {
		cap(&t.Started)
		cap(&t.Ended)
		for i := range t.Messages {
			cap(&t.Messages[i].Time)
		}
	}
	cap(&c.Started)
	for i := range c.Turns {
		capTurn(&c.Turns[i])
	}
	for i := range c.tree.nodes {
		capTurn(&c.tree.nodes[i].turn)
	}
	for i := range c.compactions {
		cap(&c.compactions[i].Time)
	}
	if c.Ended.IsZero() {
		c.Ended = c.Last()
	}
	cap(&c.Ended)
}
