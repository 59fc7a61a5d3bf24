package pickers

import (
	"chatvault/agent/event"
	"chatvault/tui/chat"
)

// Reviews shows the reviews of conversations as they are written.
type Reviews struct {
	*Base
	writing *chat.Retrospection // the reflection being streamed, or nil
	of      string              // the id of its conversation
}

// Hear appends streamed text of a reflection.
func (p *Reviews) Hear(e event.RetrospectionDelta) {
	if p.writing == nil || p.of != e.ConversationID {
		p.writing, p.of = chat.NewRetrospection(p.Env, e.ConversationTitle), e.ConversationID
		p.Say(p.writing)
	}
	p.writing.Append(e.Text)
}

// Look shows a completed reflection.
func (p *Reviews) Look(e event.Retrospected) {
	card := p.writing
	shown := card != nil && p.of == e.ConversationID
	if !shown {
		card = chat.NewRetrospection(p.Env, e.ConversationTitle)
	}
	p.writing = nil
	p.List.Redraw(func() { card.Finish(e.Content, e.Cut) })
	if !shown {
		p.Say(card)
	}
}
