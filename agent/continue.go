package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"chatvault/agent/event"
)

// Continue begins a conversation that carries the summary and the last messages of one that has
// ended, which stays as it is; its id may be cut short. The active one ends, as by
// NewConversation. When it returns nil the new one is active and on disk, also for other
// processes. A question with which the old one ended is waited for no more: it stands among what
// is carried, so that the next message may answer it. It fails while a turn runs or messages wait.
func (p *Processor) Continue(id string) error {
	return p.alone(func(t *turn) error {
		begun, ended, err := p.opt.Conversations.Continue(id, time.Now())
		endedID := ""
		if ended != nil {
			endedID = ended.ID
			p.ended(t.meta(), ended, endedNew)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return err
		case err != nil:
			return fmt.Errorf("the conversation could not be continued: %w", err)
		}
		p.forgo()
		p.bus.Publish(event.ConversationBegan{Meta: t.meta(), ID: begun.ID, EndedID: endedID})
		p.step("continued")
		return nil
	})
}

// EndConversation ends the active conversation for a new one, as NewConversation does, but at
// once where no turn runs and no message waits, in no other process either.
func (p *Processor) EndConversation() {
	p.NewConversation()
	err := p.alone(func(t *turn) error {
		c, err := p.opt.Conversations.End(t.started, endedNew)
		if err != nil {
			return err
		}
		p.forgo()
		if c != nil {
			p.ended(t.meta(), c, endedNew)
		}
		return nil
	})
	if err != nil { // the next message does it
		p.opt.Log.Info("the conversation does not end at once", "why", err)
	}
}
