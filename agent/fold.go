package agent

import (
	"slices"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/conversation"
)

// foldedContext stands beside a message that was folded into a turn.
const foldedContext = "The user sent this while you were working: take it into account, and go on."

// foldable messages may go into a running turn: typed ones that are not held for the next.
func foldable(e inbox.Entry) bool {
	return e.Source == event.SourceDirect && !e.Hold && !e.Retried && e.Mode == event.ModeAct
}

// fold takes the waiting messages that may go into the running turn, in order, and makes them
// part of it: from then on their inbox entries share its outcome. A message is folded only when
// its entry says so on disk, for whoever recovers it to know; one whose entry cannot be written
// waits on.
func (p *Processor) fold(t *turn) []conversation.Message {
	var messages []conversation.Message
	var ids []string
	for {
		e, at := p.takeFoldable(t)
		if e == nil {
			break
		}
		p.step("folding")
		before := *e
		e.Attempts++
		e.Deaths++
		e.LastError, e.LastTried = "", t.started
		e.ToolsRan = e.ToolsRan || t.changed
		e.Effects = slices.Concat(e.Effects, t.effects)
		if err := p.inbox.Save(*e); err != nil {
			p.putBack(t, before, at)
			t.closed = true
			p.warn(t.meta(), "A message could not be taken into the running turn, so it waits for the next", err)
			break
		}
		p.step("folded")
		m := userMessage(*e)
		m.Context = foldedContext
		m.Attached = p.attach(t, e.Inbound)
		messages, ids = append(messages, m), append(ids, e.ID)
	}
	if len(ids) > 0 {
		p.bus.Publish(event.Folded{Meta: t.meta(), MessageIDs: ids})
		p.tellAttached(t, messages)
	}
	return messages
}

// takeFoldable moves the first foldable message from the queue to the end of the turn, and says
// where in the queue it stood; nil when there is none, when the turn was stopped, or when what
// waits belongs to a new conversation. From then on it cannot be taken back.
func (p *Processor) takeFoldable(t *turn) (e *inbox.Entry, at int) {
	if !t.answerable() { // a routed one is never merged with what is typed
		return nil, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.closed || t.ctx.Err() != nil {
		return nil, 0
	}
	at = slices.IndexFunc(p.queue, func(e inbox.Entry) bool { return foldable(e) && !p.news.opens(e) })
	if at < 0 {
		return nil, 0
	}
	t.entries = append(t.entries, p.queue[at])
	p.queue = slices.Delete(p.queue, at, at+1)
	return &t.entries[len(t.entries)-1], at
}

// putBack returns the newest message of the turn, as it was, to its place in the queue.
func (p *Processor) putBack(t *turn, e inbox.Entry, at int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(t.entries) - 1
	p.queue = slices.Insert(p.queue, min(at, len(p.queue)), e)
	t.entries = t.entries[:last:last]
}

// userMessage is an inbox entry as the conversation holds it.
func userMessage(e inbox.Entry) conversation.Message {
	return conversation.Message{ID: e.ID, Role: conversation.RoleUser, Time: e.Time, Content: e.Text, Source: string(e.Source), Input: e.Metadata[event.MetaInput]}
}
