package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/conversation"
	"chatvault/internal/text"
)

// foldedContext is the context of a message that joined a running turn.
const foldedContext = "The user sent this while you were working: take it into account, and go on."

// fold adds the waiting messages that may join the running turn, in order. They share its outcome. A message joins
// only once its inbox entry says so on disk; one whose entry cannot be written keeps waiting.
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
		e.ToolsRan = e.ToolsRan || t.entries[0].ToolsRan // what was done for the turn was done for it, too
		e.Effects = slices.Concat(e.Effects, t.entries[0].Effects)
		if err := p.inbox.Update(*e, true); err != nil {
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

// takeFoldable moves the first message that may join a running turn from the queue to the turn, and returns its index
// in the queue. It returns nil if there is none or the turn was stopped. The message can no longer be taken back.
func (p *Processor) takeFoldable(t *turn) (e *inbox.Entry, at int) {
	if !t.answerable() { // a routed one is never merged with what is typed
		return nil, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.closed || t.ctx.Err() != nil {
		return nil, 0
	}
	at = slices.IndexFunc(p.queue, func(e inbox.Entry) bool { // typed, and not held for the next turn
		return e.Source == event.SourceDirect && !e.Hold && !e.Retried && e.Mode == event.ModeAct && e.Conversation == t.convID
	})
	if at < 0 {
		return nil, 0
	}
	t.entries = append(t.entries, p.queue[at])
	p.queue = slices.Delete(p.queue, at, at+1)
	return &t.entries[len(t.entries)-1], at
}

// putBack returns the turn's newest message to its place in the queue.
func (p *Processor) putBack(t *turn, e inbox.Entry, at int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(t.entries) - 1
	p.queue = slices.Insert(p.queue, min(at, len(p.queue)), e)
	t.entries = t.entries[:last:last]
}

// userMessage returns an inbox entry as a message of the conversation.
func userMessage(e inbox.Entry) conversation.Message {
	return conversation.Message{ID: e.ID, Role: conversation.RoleUser, Time: e.Time, Content: e.Text, Source: string(e.Source), Input: e.Metadata[event.MetaInput]}
}

// Attach reads a file or folder for a model, in about bytes bytes at most: a text with line numbers and its pictures,
// a folder's list, or a picture. It returns nothing for a path that does not exist or is private. The error explains
// to the user why an existing one cannot be shown.
type Attach func(ctx context.Context, path string, bytes int) ([]Attached, error)

// Attached is an attachment of a message.
type Attached struct {
	conversation.Attachment
	Data []byte // of Media
	Err  error  // why the attachment, of which only Path is set, cannot be shown
}

// Limits of a message's attachments.
const (
	maxAttachments = 20
	maxAttached    = 200 << 10 // bytes of all together
	leastAttached  = 2 << 10   // of each, however many there are
	attachedShare  = 25        // percent of the model's window that all may take
)

// attach reads a message's attachments. The user is notified of those that fail.
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
		if left == 0 {
			not(path, errors.New("this message has no room for more; name it in the next one"))
			continue
		}
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

// tellAttached publishes the pictures and documents of messages.
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
		return 0, fmt.Errorf("it has %s, and this message has room for %s; choose a model with a larger window, or show a smaller part of it", a.Media.About(), text.Thousands(left/history.BytesPerToken))
	}
	if p.opt.Artifacts == nil {
		return 0, errors.New("nothing can be kept here")
	}
	kept, err := p.opt.Artifacts.Put(t.conv.ID, a.Path, a.Data)
	media := *a.Media
	media.Hash, a.Media = kept.Hash, &media
	return size, err
}
