package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/conversation"
	"chatvault/internal/artifact"
	"chatvault/internal/text"
)

// Attach reads a file or folder as a model may be shown it, in at most about so many bytes: a text with
// its lines numbered and the pictures that stand in it, the list of a folder, a picture. Nothing is for
// what is not there or must not be seen: it was no more than a word of the message. An error says in
// plain words for the user why something that is there cannot be shown.
type Attach func(ctx context.Context, path string, bytes int) ([]Attached, error)

// Attached is something that goes with a message.
type Attached struct {
	conversation.Attachment
	Data []byte // of Media
	Err  error  // why what stands in the one before cannot be shown, of which the path alone is known then
}

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
	left := min(maxAttached, p.windows.Room(t.provider, p.opt.Window).Window*attachedShare/100*history.BytesPerToken)
	var out []conversation.Attachment
	not := func(path string, err error) {
		p.bus.Publish(event.Notice{Meta: t.meta(), Text: fmt.Sprintf("“%s” was not attached: %v", text.Excerpt(path, 200), err)})
	}
	for i, path := range paths {
		list, err := p.opt.Attach(t.ctx, path, max(left/(len(paths)-i), leastAttached))
		if t.ctx.Err() != nil {
			return out
		}
		if err != nil {
			not(path, err)
			continue
		}
		for _, a := range list {
			if slices.ContainsFunc(out, func(o conversation.Attachment) bool { return o.Path == a.Path }) {
				continue
			}
			size := len(a.Text)
			if a.Err == nil && a.Media != nil {
				size, a.Err = p.keep(t, &a, left)
			}
			if a.Err != nil {
				not(a.Path, a.Err)
				continue
			}
			left = max(left-size, 0)
			out = append(out, a.Attachment)
		}
	}
	if n := len(m.Attach) - len(paths); n > 0 {
		p.bus.Publish(event.Notice{Meta: t.meta(), Text: fmt.Sprintf("Only the first %d of what the message names were attached; %d were not.", maxAttachments, n)})
	}
	return out
}

// tellAttached tells which pictures and documents go with messages.
func (p *Processor) tellAttached(t *turn, messages []conversation.Message) {
	for _, m := range messages {
		if media := slices.DeleteFunc(slices.Clone(m.Attached), func(a conversation.Attachment) bool { return a.Media == nil }); len(media) > 0 {
			p.bus.Publish(event.Attached{Meta: t.meta(), MessageID: m.ID, Media: media})
		}
	}
}

// keep keeps the bytes of a picture or a document, if there is room for it, and gives what it counts as.
func (p *Processor) keep(t *turn, a *Attached, left int) (size int, err error) {
	if size = a.Media.Tokens * history.BytesPerToken; size > left {
		return 0, fmt.Errorf("it has %s, and this message has room for %s", a.Media.About(), text.Thousands(left/history.BytesPerToken))
	}
	if p.opt.Artifacts == nil {
		return 0, errors.New("nothing can be kept here")
	}
	kept, err := p.opt.Artifacts.Put(t.conv.ID, artifact.Source{Turn: t.id, Input: true}, a.Path, a.Data)
	media := *a.Media
	media.Hash, a.Media = kept.Hash, &media
	return size, err
}
