package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
	"chatvault/agent/window"
	"chatvault/conversation"
	"chatvault/internal/failpoint"
	"chatvault/internal/text"
)

// Background tasks run one at a time while no turn runs: titles of ended conversations, reviews, retention, stale
// questions. A turn that begins cancels the current task's model call, which is repeated later; a review is not
// cancelled.

// staleEvery is the interval at which unanswered questions are checked.
const staleEvery = 15 * time.Minute

// backlogTitles is how many conversations without a title a start takes up.
const backlogTitles = 5

// workInBackground does the tasks until the processor is closed.
func (p *Processor) workInBackground() {
	defer close(p.tasks.Done)
	tick := time.NewTicker(staleEvery)
	defer tick.Stop()
	for {
		if t, ctx := p.nextTask(); ctx != nil {
			failpoint.Pass("round agent background")
			if err := p.tasks.Ended(ctx, t, p.do(ctx, t)); err != nil && !p.isClosed() {
				p.taskFailed(t, err)
			}
			continue
		}
		select {
		case <-p.tasks.Wake:
		case <-tick.C:
			p.tasks.Later(memory.Task{Kind: memory.Stale})
		case <-p.ctx.Done():
			return
		}
	}
}

// nextTask returns the next task; its context is nil if there is none or a turn comes first.
func (p *Processor) nextTask() (memory.Task, context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return memory.Task{}, nil
	}
	return p.tasks.Next(p.background, p.free())
}

// do does a task. A panic in it fails the task, not the program.
func (p *Processor) do(ctx context.Context, c memory.Task) (err error) {
	defer caught(p.opt.Log, c.Conversation, &err)
	switch c.Kind {
	case memory.Stale:
		return p.dropStale(p.opt.StateTimeout)
	case memory.Retain:
		return p.retain()
	case memory.Untitled:
		return p.doBacklog(c.Most)
	case memory.Title:
		if p.leavesToChat() {
			return nil
		}
		return p.title(ctx, c.Conversation)
	case memory.Save:
		return p.opt.Save(ctx, c.Conversation)
	case memory.Retrospect:
		if p.leavesToChat() {
			return nil
		}
		return p.retrospect(ctx, c)
	}
	return fmt.Errorf("no chore %d", c.Kind)
}

// quickCall is the longest duration of a model call after which a process that is about to exit starts another one.
const quickCall = 5 * time.Second

// leavesToChat reports whether the model is so slow that titles and reviews are left to a longer-lived process.
func (p *Processor) leavesToChat() bool { return !p.opt.CatchUp && p.slow.Load() }

// taskFailed logs a failed task and notifies the user if they should know.
func (p *Processor) taskFailed(t memory.Task, err error) {
	if _, is := errors.AsType[memory.NotKept](err); is && !t.Asked {
		p.notifyOnce(memory.Retrospect, "Looking back at conversations: "+err.Error())
	}
	if t.Kind == memory.Save {
		p.notifyOnce(memory.Save, "A conversation that ended is not saved as a note: "+err.Error())
	}
	p.opt.Log.Error("not done in the background", "what", t.Kind.String(), "conversation", t.Conversation, "error", err)
	if t.Asked {
		p.Tell("Looking back at the conversation failed: " + llm.Words(err))
	}
}

// Working reports whether anything is being done that the user asked for.
func (p *Processor) Working() bool { return p.Busy() || p.tasks.Asked() }

// Settle waits until nothing is left to do in the background, or ctx ends. What is not done by
// then is done at a later start.
func (p *Processor) Settle(ctx context.Context) error {
	if p.isClosed() {
		return nil
	}
	return p.tasks.Settle(ctx)
}

// retain removes the oldest ended conversations beyond the limit.
func (p *Processor) retain() error {
	n, err := p.opt.Conversations.Retain(p.opt.MaxConversations)
	if n > 0 {
		p.opt.Log.Info("conversations removed", "count", n, "max_conversations_retained", p.opt.MaxConversations)
	}
	return err
}

// CatchUp takes up to most titles in the background that earlier processes left undone, for one
// that does not do so at its start. Settle waits for it.
func (p *Processor) CatchUp(most int) {
	if p.opt.Titles && most > 0 {
		p.tasks.Later(memory.Task{Kind: memory.Untitled, Most: most})
	}
}

// doBacklog takes up what earlier processes left undone: titles, and retrospections that are owed;
// or so many titles alone. What was tried here is not tried again.
func (p *Processor) doBacklog(most int) error {
	var errs []error
	if p.opt.Titles {
		tried := p.tasks.Tried()
		want := cmp.Or(most, backlogTitles)
		list, err := p.opt.Conversations.Untitled(want + len(tried))
		errs = append(errs, err)
		list = slices.DeleteFunc(list, func(e conversation.Entry) bool { return tried[e.ID] })
		for _, e := range list[:min(len(list), want)] {
			p.tasks.Later(memory.Task{Kind: memory.Title, Conversation: e.ID})
		}
	}
	if p.opt.Save != nil {
		p.tasks.Later(memory.Task{Kind: memory.Save})
	}
	if most > 0 {
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, p.doOwedRetrospections())...)
}

// aside makes a model call about a conversation outside any turn, without tools: a system prompt and the conversation
// followed by words. If it exceeds the model's window, it is halved and tried once more. The usage counts for the
// conversation. hear receives the text as it streams.
func (p *Processor) aside(ctx context.Context, purpose llm.Purpose, c *conversation.Conversation, system, words string, limit int, hear func(event.Event)) (llm.Response, error) {
	provider := p.answering()
	a := p.agent(&turn{provider: provider, conv: c})
	if !p.opt.CatchUp && purpose == llm.PurposeTitle {
		a.Retry = nil // a later process tries again
	}
	limit = min(limit, p.windows.Room(provider, p.opt.Window).Window/2)
	told, _ := history.Of(p.sendable(c))
	for again := true; ; again = false {
		messages := []llm.Message{
			{Role: llm.RoleSystem, Content: system},
			{Role: llm.RoleUser, Content: "<conversation>\n" + memory.Transcript(withoutContext(told), limit) + "\n</conversation>\n\n" + words},
		}
		resp, err := a.reply(ctx, Task{Purpose: purpose, Meter: p.accounts.Meter(c.ID), Emit: hear}, messages)
		if e, ok := errors.AsType[*llm.Error](err); ok && again && ctx.Err() == nil && e.Reason == llm.ReasonContextLength {
			limit /= 2
			if window, named := window.From(e.Message); named {
				limit = min(limit, window/2)
			}
			continue
		}
		if err == nil && text.Blank(resp.Text) {
			err = errors.New("the model returned nothing")
		}
		resp.Text = memory.WithoutThinking(resp.Text)
		return resp, err
	}
}

// withoutContext removes the program's context from messages.
func withoutContext(messages []llm.Message) []llm.Message {
	for i := range messages {
		messages[i].Context = ""
	}
	return messages
}

// A question that is not answered in time expires. Expired questions are looked for at the start, by Recover or
// before the first turn, and every staleEvery while no turn runs. An answer that is a little late still counts.

// dropStale drops the question that waits if it is older than timeout.
func (p *Processor) dropStale(timeout time.Duration) error {
	if timeout <= 0 {
		return nil
	}
	dropped, err := p.opt.Conversations.DropStale(time.Now(), timeout)
	if dropped != nil {
		p.bus.Publish(event.QuestionDropped{Meta: event.Meta{Time: time.Now()}, ConversationID: dropped.ConversationID, Question: dropped.Question})
	}
	if err == nil {
		p.staleLooked.Store(true)
	}
	return err
}

// dropStaleFirst drops them before a message is placed.
func (p *Processor) dropStaleFirst() {
	timeout := p.opt.StateTimeout
	if timeout <= 0 {
		return
	}
	if p.staleLooked.Load() {
		timeout += staleEvery
	}
	if err := p.dropStale(timeout); err != nil {
		p.warn(event.Meta{Time: time.Now()}, "It is unknown whether a question is still open", err)
	}
}

const (
	promptTitle = "title"
	titleInput  = 6000 // tokens of a conversation that are looked at for its title

	titleWords = "Write the title and the summary of this conversation."
)

// errNoTitle is the error for an answer without a title.
var errNoTitle = errors.New("the answer has no title")

// title has the model give an ended conversation a title and a summary. One that has a title
// already, of the user's or by another process, keeps it.
func (p *Processor) title(ctx context.Context, id string) error {
	p.tasks.Try(id)
	c, err := p.untitled(id)
	if c == nil || err != nil {
		return err
	}
	if p.opt.Prompt.CompactFor(ctx, p.answering()) { // a small model would take long: first words name it, too
		return nil
	}
	system, err := p.backgroundPrompt(ctx, promptTitle)
	if err != nil {
		return err
	}
	resp, err := p.aside(ctx, llm.PurposeTitle, c, system, titleWords, titleInput, func(event.Event) {})
	if err != nil {
		return err
	}
	title, summary := memory.ParseTitle(resp.Text)
	if title == "" {
		return errNoTitle
	}
	if c, err = p.untitled(id); c == nil || err != nil {
		return err
	}
	if err := p.opt.Conversations.SetTitle(id, title, summary); err != nil {
		return err
	}
	p.step("titled")
	p.bus.Publish(event.ConversationTitled{Meta: event.Meta{Time: time.Now()}, ID: id, Title: title, Summary: summary})
	return nil
}

// untitled returns a conversation if it has ended, is not empty and has no title; else nil.
func (p *Processor) untitled(id string) (*conversation.Conversation, error) {
	c, err := p.opt.Conversations.Get(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || c.Ended.IsZero() || c.Title != "" {
		return nil, err
	}
	if branches := c.Branches(); len(c.Turns) == 0 && len(branches) > 0 { // the user went back and said nothing more
		c.Turns = branches[0].Turns
	}
	if len(c.Turns) == 0 {
		return nil, nil
	}
	return c, nil
}
