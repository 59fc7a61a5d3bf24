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

// What nobody waits for is done in the background, one thing after another, while no turn runs:
// titles of conversations that ended, looks back at them, retention, questions that are stale. A
// turn that begins cuts a model call of the background short; it is made again later. A look back is
// read as it is written, and goes on beside a turn.

// staleEvery is how often questions are looked at that nobody has answered.
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

// nextTask takes the next thing to do; no context where there is none, or a turn comes first.
func (p *Processor) nextTask() (memory.Task, context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return memory.Task{}, nil
	}
	return p.tasks.Next(p.behind, p.free())
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

// quickCall is the longest model call after which a process that ends with its answer begins another one,
// which it waits for.
const quickCall = 5 * time.Second

// leavesToChat reports whether the model is so slow that this process leaves titles and retrospections to
// one that lives longer.
func (p *Processor) leavesToChat() bool { return !p.opt.CatchUp && p.slow.Load() }

// taskFailed tells of a task that failed, where somebody should know.
func (p *Processor) taskFailed(t memory.Task, err error) {
	if _, is := errors.AsType[memory.NotKept](err); is && !t.Asked {
		p.tellOnce(memory.Retrospect, "Looking back at conversations: "+err.Error())
	}
	if t.Kind == memory.Save {
		p.tellOnce(memory.Save, "A conversation that ended is not saved as a note: "+err.Error())
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

// retain removes the oldest of the conversations that ended, beyond those that are kept.
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

// aside is what the model answers to a request about a conversation beside any turn, without
// tools: a system prompt, and the conversation with words after it. Where it is longer than the
// model takes, it is told half as much, once. What it uses is counted for the conversation; hear is told
// of its text as it comes.
func (p *Processor) aside(ctx context.Context, purpose llm.Purpose, c *conversation.Conversation, system, words string, limit int, hear func(event.Event)) (llm.Response, error) {
	provider := p.answering()
	a := p.agent(&turn{provider: provider, conv: c})
	if !p.opt.CatchUp && purpose == llm.PurposeTitle {
		a.Retry = nil // a later process tries again
	}
	limit = min(limit, p.windows.Room(provider, p.opt.Window).Window/2)
	for again := true; ; again = false {
		messages := []llm.Message{
			{Role: llm.RoleSystem, Content: system},
			{Role: llm.RoleUser, Content: "<conversation>\n" + memory.Transcript(withoutContext(p.sendable(c)), limit) + "\n</conversation>\n\n" + words},
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

// withoutContext is a conversation as it is told to who was not in it: without what the program said
// beside the user's messages.
func withoutContext(c *conversation.Conversation) []llm.Message {
	messages, _ := history.Of(c)
	for i := range messages {
		messages[i].Context = ""
	}
	return messages
}

// A question that is not answered for a while is waited for no more: it is looked for at start,
// by Recover or before the first turn, and every staleEvery, while no turn runs. What the screen
// shows as waiting is answered until then, also a little late; after the machine slept, when
// nobody looked, a turn finds out itself.

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

// errNoTitle says that no title can be read from what the model answered.
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

// untitled is a conversation that has ended, holds something and has no title; nil: it is no
// such conversation any more.
func (p *Processor) untitled(id string) (*conversation.Conversation, error) {
	c, err := p.opt.Conversations.Get(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || c.Ended.IsZero() || c.Title != "" {
		return nil, err
	}
	if branches := c.Branches(); len(c.Turns) == 0 && len(branches) > 0 { // the user went back, and said no more
		c.Turns = branches[0].Turns
	}
	if len(c.Turns) == 0 {
		return nil, nil
	}
	return c, nil
}
