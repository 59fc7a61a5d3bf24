package agent

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"chatvault/agent/inbox"
	"chatvault/conversation"
)

// A message belongs to the conversation that it was sent in. Its inbox entry names it, so that it runs there and
// nowhere else, also after the program ended.

// Place is the conversation of an unfinished message.
type Place struct {
	Conversation *conversation.Conversation // nil: it has no turn yet, or it is unknown
	Here         bool                       // it continues here, or begins here
	Same         bool                       // Here, and no message was sent there after this one
}

// place notes in the entry of a message that is sent now which conversation it belongs to.
func (p *Processor) place(e *inbox.Entry) error {
	if e.Conversation = p.nextID(); e.Conversation != "" {
		return nil
	}
	if p.isFree() {
		p.dropStaleFirst()
	}
	id, c, err := p.opt.Conversations.Next(time.Now())
	if err != nil {
		return fmt.Errorf("the conversation could not be opened: %w", err)
	}
	if c == nil {
		p.mu.Lock()
		p.nextConv = id
		p.mu.Unlock()
	}
	e.Conversation, e.After = id, c.LastTurn()
	return nil
}

// Where returns the conversation of an unfinished message. The error says why the message cannot run in it.
func (p *Processor) Where(e inbox.Entry) (Place, error) {
	here, err := p.opt.Conversations.Active()
	if err != nil || e.Conversation == "" { // an older version recorded none
		return Place{Here: here == nil}, err
	}
	c, err := p.opt.Conversations.Get(e.Conversation)
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.After != "":
		return Place{}, errors.New("its conversation has been deleted")
	case errors.Is(err, fs.ErrNotExist):
		id := p.opt.Conversations.ID()
		empty := here == nil && (id == "" || id == e.Conversation)
		return Place{Here: empty, Same: empty}, nil
	case err != nil:
		return Place{}, err
	}
	for _, b := range c.Branches() {
		if e.After != "" && slices.ContainsFunc(b.Turns, func(t conversation.Turn) bool { return t.ID == e.After }) {
			return Place{Conversation: c}, errors.New("it was sent in another branch of its conversation: switch to that branch first")
		}
	}
	at := Place{Conversation: c, Here: here != nil && here.ID == c.ID}
	at.Same = at.Here && !slices.ContainsFunc(c.Turns, func(t conversation.Turn) bool { return len(t.Messages) > 0 && t.Messages[0].Time.After(e.Time) })
	return at, nil
}

// GoTo makes the conversation of an unfinished message the active one; a message without one gets a new one. It fails
// while a turn runs or messages wait.
func (p *Processor) GoTo(e inbox.Entry) error {
	at, err := p.Where(e)
	switch {
	case err != nil:
		return err
	case at.Here && at.Conversation != nil:
		return nil
	case !at.Here && !p.isFree():
		return errBusy
	case !at.Here:
		if _, err := p.opt.Conversations.Open(cmp.Or(e.Conversation, conversation.NewID(time.Now())), time.Now()); err != nil {
			return err
		}
	}
	p.recorded(p.nextID())
	return nil
}
