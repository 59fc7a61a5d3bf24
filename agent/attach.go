package agent

import (
	"context"
	"fmt"
	"slices"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/conversation"
	"chatvault/internal/text"
)

// Attach reads a file or folder of the vault as a model may be shown it, in at most about so many
// bytes: a text with its lines numbered, the list of a folder. The zero Attachment is for what is
// not there or must not be seen: it was no more than a word of the message. An error says in plain
// words for the user why something that is there cannot be shown.
type Attach func(ctx context.Context, path string, bytes int) (conversation.Attachment, error)

// Bounds of what goes with one message.
const (
	maxAttachments = 20
	maxAttached    = 200 << 10 // bytes of all together
	leastAttached  = 2 << 10   // of each, however many there are
	attachedShare  = 25        // percent of the model's window that all may take
)

// attach reads what a message takes with it. What cannot be is told to the user, and the message
// goes without it.
func (p *Processor) attach(t *turn, m event.Inbound) []conversation.Attachment {
	if p.opt.Attach == nil || len(m.Attach) == 0 {
		return nil
	}
	paths := m.Attach[:min(len(m.Attach), maxAttachments)]
	left := p.attachable(t)
	var out []conversation.Attachment
	for i, path := range paths {
		if t.ctx.Err() != nil {
			return out
		}
		a, err := p.opt.Attach(t.ctx, path, max(left/(len(paths)-i), leastAttached))
		if err != nil {
			p.bus.Publish(event.Notice{Meta: t.meta(), Text: fmt.Sprintf("“%s” was not attached: %v", text.Excerpt(path, 200), err)})
			continue
		}
		if a.Path == "" || slices.ContainsFunc(out, func(o conversation.Attachment) bool { return o.Path == a.Path }) {
			continue
		}
		left = max(left-len(a.Text), 0)
		out = append(out, a)
	}
	if n := len(m.Attach) - len(paths); n > 0 {
		p.bus.Publish(event.Notice{Meta: t.meta(), Text: fmt.Sprintf("Only the first %d of what the message names were attached, %d were not.", maxAttachments, n)})
	}
	return out
}

// attachable is how many bytes may go with a message to the model that answers.
func (p *Processor) attachable(t *turn) int {
	window := p.windows.Room(t.provider, p.opt.Window).Window
	return min(maxAttached, window*attachedShare/100*history.BytesPerToken)
}
