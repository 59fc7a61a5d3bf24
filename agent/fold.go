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
	"chatvault/internal/base/text"
)

// foldedContext is the context of a message that joined a running turn.
const foldedContext = "The user sent this while you were working: take it into account, and go on."

// fold adds the waiting messages that may join the running turn, in order. They share its outcome, and their inbox entries
// say so on disk: if that fails, no change of the turn can be made either.
func (w *worker) fold(t *turn) []conversation.Message {
	if !t.answerable() { // a routed message is never merged with typed ones
		return nil
	}
	var messages []conversation.Message
	for e := w.takeFoldable(t); e != nil; e = w.takeFoldable(t) {
		w.step("folding")
		e.Begin(t.id, t.started)
		e.ToolsRan = e.ToolsRan || t.entries[0].ToolsRan // what was done for the turn was done for it, too
		e.Calls = slices.Concat(e.Calls, t.entries[0].Calls)
		if err := w.in.inbox.Update(*e, true); err != nil {
			w.warn(t.meta(), "It could not be recorded that a message joined the running turn", err)
		}
		w.step("folded")
		m := w.userMessage(t, *e)
		m.Context = foldedContext
		messages = append(messages, m)
	}
	if len(messages) > 0 {
		ids := text.Of(messages, func(m conversation.Message) string { return m.ID })
		w.bus.Publish(event.Folded{Meta: t.meta(), MessageIDs: ids})
		w.publishAttached(t, messages)
	}
	return messages
}

// userMessage returns an inbox entry as a message of the conversation, with its attachments.
func (w *worker) userMessage(t *turn, e inbox.Entry) conversation.Message {
	return conversation.Message{
		ID: e.ID, Role: conversation.RoleUser, Time: e.Time, Content: e.Text, Source: string(e.Source), Input: e.Metadata[event.MetaInput], Sender: e.Sender(),
		Attached: w.attach(t, e.Inbound),
	}
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
func (w *worker) attach(t *turn, m event.Inbound) []conversation.Attachment {
	if w.opt.Attach == nil || len(m.Attach) == 0 {
		return nil
	}
	paths := m.Attach[:min(len(m.Attach), maxAttachments)]
	left := min(maxAttached, w.windows.Room(t.provider, w.opt.Window).Window*attachedShare/100*history.BytesPerToken)
	var out []conversation.Attachment
	not := func(path string, err error) {
		w.notice(t.meta(), fmt.Sprintf("“%s” was not attached: %v", text.Excerpt(path, 200), err))
	}
	for i, path := range paths {
		if left == 0 {
			not(path, errors.New("this message has no room for more; name it in the next one"))
			continue
		}
		list, err := w.opt.Attach(t.ctx, path, max(left/(len(paths)-i), leastAttached))
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
				size, a.Err = w.store(t, &a, left)
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
		w.notice(t.meta(), fmt.Sprintf("Only the first %d of what the message names were attached; %d were not.", maxAttachments, n))
	}
	return out
}

// publishAttached publishes the pictures and documents of messages.
func (w *worker) publishAttached(t *turn, messages []conversation.Message) {
	for _, m := range messages {
		if media := slices.DeleteFunc(slices.Clone(m.Attached), func(a conversation.Attachment) bool { return a.Media == nil }); len(media) > 0 {
			w.bus.Publish(event.Attached{Meta: t.meta(), MessageID: m.ID, Media: media})
		}
	}
}

// store stores a picture or document, if there are left bytes of room for it, and returns the bytes that it counts as.
func (w *worker) store(t *turn, a *Attached, left int) (size int, err error) {
	if size = a.Media.Tokens * history.BytesPerToken; size > left {
		return 0, fmt.Errorf("it has %s, and this message has room for %s; choose a model with a larger window, or show a smaller part of it", a.Media.About(), text.Thousands(left/history.BytesPerToken))
	}
	kept, err := w.opt.Artifacts.Put(t.conv.ID, a.Path, a.Data)
	media := *a.Media
	media.Hash, a.Media = kept.Hash, &media
	return size, err
}
