package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"chatvault/internal/atomicfile"
	"chatvault/internal/text"
)

// Continuation is what a conversation has of the ended one that it continues: a copy, so that it
// stays where that one is removed.
type Continuation struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"` // its title then, or its first words
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	Summary string    `json:"summary,omitempty"`
	// Older is the summary that stood, for the model, for turns before those that were carried.
	Older   string `json:"older,omitempty"`
	Turns   []Turn `json:"turns,omitempty"`   // its last ones, as far as they were carried
	Omitted int    `json:"omitted,omitempty"` // turns before them
}

// ErrGoesOn says that a conversation cannot be continued as it has not ended.
var ErrGoesOn = errors.New("it has not ended: the next message continues it")

// Bounds of what is carried. The last turn is carried even where it alone is more, without its
// steps.
const (
	maxCarriedTurns  = 10
	maxCarriedBytes  = 32 << 10
	maxCarriedText   = 8 << 10 // of one message
	maxCarriedResult = 2 << 10 // of one tool's result, and of the arguments of one call
)

// Continue begins a conversation that carries summary and last turns of conversation id, which
// has ended and stays as it is; an id may be cut short as for Get. The new one is active, and on
// disk, when it is returned. The one that was active before has ended then; where it had not one
// turn, it is gone, and none is returned. With an error ended may have a value all the same.
func (m *Manager) Continue(id string, now time.Time) (begun, ended *Conversation, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, err := m.index()
	if err != nil {
		return nil, nil, err
	}
	if id, err = whole(id, x); err != nil {
		return nil, nil, err
	}
	source, err := m.read(id)
	switch {
	case err != nil:
		return nil, nil, err
	case source.later:
		return nil, nil, fmt.Errorf("conversation %s was %s, so this version cannot continue it", id, writtenLater)
	case source.Ended.IsZero():
		return nil, nil, ErrGoesOn
	}
	carried := carriedOf(source)
	if len(carried.Turns) == 0 && carried.Summary == "" {
		return nil, nil, errors.New("it has nothing to continue")
	}
	before, err := m.active()
	if err != nil {
		return nil, nil, err
	}
	if before != nil {
		if ended, err = m.end(before.ID, now, "new"); err != nil {
			return nil, nil, err
		}
	}
	c, err := m.begin(&Conversation{ID: NewID(now), Started: now, Continues: carried, Pinned: m.pin != ""})
	return c.Clone(), ended, err
}

// begin writes the file of a conversation that continues another one.
func (m *Manager) begin(c *Conversation) (*Conversation, error) {
	if c.Pinned {
		if err := m.opt.Hold(c.ID); err != nil {
			return nil, err
		}
	}
	if err := m.store.create(c.ID, []record{head(c)}); err != nil {
		return nil, fmt.Errorf("the conversation could not be written: %w", err)
	}
	c, err := m.read(c.ID)
	if err != nil {
		return nil, err
	}
	if c.Pinned {
		m.pin = c.ID
	}
	m.wrote(c)
	return c, nil
}

// untouched says whether nothing was said in a conversation that continues another one: where it
// ends so, nothing is lost without it.
func (c *Conversation) untouched() bool {
	return c.Continues != nil && len(c.Turns) == 0 && len(c.tree.nodes) == 0 && !c.damaged
}

// discard removes the file of an untouched conversation.
func (m *Manager) discard(c *Conversation) error {
	if err := m.store.root.Remove(file(c.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m.last = nil
	err := atomicfile.SyncDir(m.store.root, folder)
	_, indexErr := m.index()
	return errors.Join(err, indexErr)
}

// Recalled are those of the carried turns that the model is still told: all, but for those that
// the Compaction stands for.
func (c *Conversation) Recalled() []Turn {
	if c.Continues == nil {
		return nil
	}
	turns := c.Continues.Turns
	switch {
	case c.Compaction == nil:
		return turns
	case c.Compacted() > 0:
		return nil
	}
	return turns[c.Continues.through(c.Compaction.Through):]
}

// through is how many of the carried turns there are up to the one with an id; 0: it is none.
func (x *Continuation) through(id string) int {
	if x != nil {
		for i := len(x.Turns) - 1; i >= 0; i-- {
			if x.Turns[i].ID == id {
				return i + 1
			}
		}
	}
	return 0
}

// carriedOf is what a conversation that continues c has of it.
func carriedOf(c *Conversation) *Continuation {
	turns := c.Turns
	if b := c.Branches(); len(turns) == 0 && len(b) > 0 { // the user went back, and said no more
		turns = b[0].Turns
	}
	e := c.Entry()
	x := &Continuation{ID: c.ID, Name: e.Name(), Started: c.Started, Ended: c.Ended, Summary: c.Summary}
	if c.Compaction != nil {
		x.Older = c.Compaction.Summary
	}
	if y := c.Continues; y != nil { // it continued one itself
		turns = slices.Concat(y.Turns, turns)
		x.Omitted = y.Omitted
		x.Older = cmp.Or(x.Older, strings.TrimSpace(y.Summary+"\n\n"+y.Older))
	}
	from := len(turns)
	for size := 0; from > 0 && len(turns)-from < maxCarriedTurns; from-- {
		t := carriedTurn(turns[from-1])
		if size += turnSize(t); size > maxCarriedBytes {
			if from < len(turns) {
				break
			}
			t.Messages = slices.DeleteFunc(t.Messages, func(m Message) bool { return m.Role == RoleTool || len(m.ToolCalls) > 0 })
		}
		x.Turns = append(x.Turns, t)
	}
	slices.Reverse(x.Turns)
	x.Omitted += from
	if x.Omitted == 0 {
		x.Older = "" // what it stood for is there
	}
	return x
}

// carriedTurn is a turn with long texts shortened, and without what the model was told beside
// the user's messages: that was true then.
func carriedTurn(t Turn) Turn {
	t.Messages = slices.Clone(t.Messages)
	for i := range t.Messages {
		m := &t.Messages[i]
		m.Context, m.Attached = "", nil
		limit := maxCarriedText
		if m.Role == RoleTool {
			limit = maxCarriedResult
		}
		m.Content = middleOut(m.Content, limit)
		if len(m.Echo) > maxCarriedText {
			m.Echo = "" // half of it is worth nothing
		}
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for j := range m.ToolCalls {
			if c := &m.ToolCalls[j]; len(c.Arguments) > maxCarriedResult {
				c.Arguments = "{}" // the result says what it was about
			}
		}
	}
	return t
}

// turnSize is how much of a turn a model reads, in bytes.
func turnSize(t Turn) int {
	n := 0
	for i := range t.Messages {
		m := &t.Messages[i]
		n += len(m.Content) + len(m.Echo)
		for _, c := range m.ToolCalls {
			n += len(c.Name) + len(c.Arguments)
		}
	}
	return n
}

// middleOut is a text without its middle where it is longer than limit bytes.
func middleOut(s string, limit int) string {
	const note = "\n[… left out …]\n"
	if len(s) <= limit+len(note) {
		return s
	}
	tail := len(s) - limit/3
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return text.Head(s, limit*2/3) + note + s[tail:]
}
