package conversation

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"chatvault/internal/statefile"
)

// Foreign reads the conversations below a root that is not ours to change, such as what came with
// a vault, to be handed to Import: oldest first, and nothing in them lies in the future. Faults are
// sentences about files that are none.
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
