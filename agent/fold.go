package agent

import (
	"chatvault/conversation"
)

// foldable messages may go into a running turn: typed ones that are not held for the next.
func foldable(e Pending) bool {
	return e.Source == SourceDirect && !e.Hold && !e.retried && e.Mode == ModeAct
}

// fold takes the waiting messages that may go into the running turn, and makes them part of
// it: their inbox entries share its fate.
func (p *Processor) fold(t *turn) []conversation.Message {
	if t.entries[0].Source != SourceDirect { // a routed turn is never merged with what is typed
		return nil
	}
	p.mu.Lock()
	var taken, left []Pending
	for _, e := range p.queue {
		if foldable(e) {
			taken = append(taken, e)
		} else {
			left = append(left, e)
		}
	}
	p.queue = left
	t.entries = append(t.entries, taken...)
	p.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	begun := t.entries[0]
	folded := t.entries[len(t.entries)-len(taken):]
	messages := make([]conversation.Message, len(folded))
	ids := make([]string, len(folded))
	for i := range folded {
		e := &folded[i]
		e.Attempts++
		e.Deaths++
		e.LastTried, e.ToolsRan = t.started, begun.ToolsRan
		if err := p.inbox.Save(*e); err != nil { // it is there as it was accepted
			p.warn(t, "The inbox entry could not be brought up to date", err)
		}
		messages[i], ids[i] = userMessage(*e), e.ID
	}
	p.bus.publish(Folded{t.meta(), ids})
	return messages
}

// userMessage is an inbox entry as the conversation holds it.
func userMessage(e Pending) conversation.Message {
	return conversation.Message{ID: e.ID, Role: conversation.RoleUser, Time: e.Time, Content: e.Text, Source: string(e.Source)}
}
