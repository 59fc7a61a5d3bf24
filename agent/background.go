package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
	"chatvault/conversation"
	"chatvault/internal/base/failpoint"
)

// background does tasks one at a time while no turn runs: titles of ended conversations, reviews, retention, stale
// questions. A turn that begins cancels the current task's model call, which is repeated later; a review is not
// canceled.
type background struct {
	*core
	*schedule
	in        *intake
	goals     *goals
	tasksCtx  context.Context // of tasks; ends a moment after the schedule's
	cancelCtx context.CancelCauseFunc
	notified  sync.Map        // by memory.Kind: failures that the user knows of
	tried     map[string]bool // conversations for which this process tried to make a title
}

func newBackground(in *intake, g *goals) *background {
	b := &background{core: in.core, schedule: in.schedule, in: in, goals: g, tried: map[string]bool{}}
	b.tasksCtx, b.cancelCtx = context.WithCancelCause(context.Background())
	b.tasks.Later(memory.Task{Kind: memory.Retain})
	if b.opt.CatchUp {
		b.tasks.Later(memory.Task{Kind: memory.Untitled})
	}
	return b
}

// cutTask cancels the current task because the program ends.
func (b *background) cutTask() { b.cancelCtx(errShutdown) }

// staleEvery is the interval at which unanswered questions are checked.
const staleEvery = 15 * time.Minute

// backlogTitles is how many conversations without a title a start takes up.
const backlogTitles = 5

// ended publishes the end of a conversation and schedules what follows from it.
func (b *background) ended(m event.Meta, c *conversation.Conversation) {
	b.bus.Publish(event.ConversationEnded{Meta: m, ID: c.ID, Reason: c.Reason})
	b.goals.conversationEnded(c.ID, c.Reason)
	if b.opt.Titles {
		b.tasks.Later(memory.Task{Kind: memory.Title, Conversation: c.ID})
	}
	if b.opt.Save != nil { // with its title
		b.tasks.Later(memory.Task{Kind: memory.Save, Conversation: c.ID})
	}
	if b.opt.Retrospection && c.LastDone() != nil {
		b.oweRetrospection(c.ID)
		b.tasks.Later(memory.Task{Kind: memory.Retrospect, Conversation: c.ID})
	}
	b.tasks.Later(memory.Task{Kind: memory.Retain})
	b.step("ended")
}

// workInBackground does the tasks until the processor is closed.
func (b *background) workInBackground() {
	defer close(b.tasks.Done)
	tick := time.NewTicker(staleEvery)
	defer tick.Stop()
	for {
		if t, ctx := b.nextTask(); ctx != nil {
			failpoint.Pass("round agent background")
			if err := b.tasks.Ended(ctx, t, b.do(ctx, t)); err != nil && !b.isClosed() {
				b.taskFailed(t, err)
			}
			continue
		}
		select {
		case <-b.tasks.Wake:
		case <-tick.C:
			b.tasks.Later(memory.Task{Kind: memory.Stale})
		case <-b.ctx.Done():
			return
		}
	}
}

// nextTask returns the next task; its context is nil if there is none or a turn comes first.
func (b *background) nextTask() (memory.Task, context.Context) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return memory.Task{}, nil
	}
	return b.tasks.Next(b.tasksCtx, b.free())
}

// do does a task. A panic in it fails the task, not the program.
func (b *background) do(ctx context.Context, c memory.Task) (err error) {
	defer caught(b.opt.Log, c.Conversation, &err)
	switch c.Kind {
	case memory.Stale:
		return b.in.dropStale(b.opt.StateTimeout)
	case memory.Retain:
		return b.retain()
	case memory.Untitled:
		return b.doBacklog(c.Most)
	case memory.Title:
		if b.leavesToChat() {
			return nil
		}
		return b.title(ctx, c.Conversation)
	case memory.Save:
		return b.opt.Save(ctx, c.Conversation)
	case memory.Retrospect:
		if b.leavesToChat() {
			return nil
		}
		return b.retrospect(ctx, c)
	}
	return fmt.Errorf("no chore %d", c.Kind)
}

// quickCall is the longest duration of a model call after which a process that is about to exit starts another one.
const quickCall = 5 * time.Second

// leavesToChat reports whether the model is so slow that titles and reviews are left to a longer-lived process.
func (b *background) leavesToChat() bool { return !b.opt.CatchUp && b.slow.Load() }

// taskFailed logs a failed task and notifies the user if they should know.
func (b *background) taskFailed(t memory.Task, err error) {
	if _, is := errors.AsType[memory.NotKept](err); is && !t.Asked {
		b.notifyOnce(memory.Retrospect, "Looking back at conversations: "+err.Error())
	}
	if t.Kind == memory.Save {
		b.notifyOnce(memory.Save, "A conversation that ended is not saved as a note: "+err.Error())
	}
	b.opt.Log.Error("not done in the background", "what", t.Kind.String(), "conversation", t.Conversation, "error", err)
	if t.Asked {
		b.Tell("Looking back at the conversation failed: " + llm.Words(err))
	}
}

// Working reports whether anything is being done that the user asked for.
func (b *background) Working() bool { return b.Busy() || b.tasks.Asked() }

// Settle waits until nothing is left to do in the background, or ctx ends. What is not done by
// then is done at a later start.
func (b *background) Settle(ctx context.Context) error {
	if b.isClosed() {
		return nil
	}
	return b.tasks.Settle(ctx)
}

// retain removes the oldest ended conversations beyond the limit.
func (b *background) retain() error {
	n, err := b.opt.Conversations.Retain(b.opt.MaxConversations)
	if n > 0 {
		b.opt.Log.Info("conversations removed", "count", n, "max_conversations_retained", b.opt.MaxConversations)
	}
	return err
}

// CatchUp takes up to most titles in the background that earlier processes left undone, for one
// that does not do so at its start. Settle waits for it.
func (b *background) CatchUp(most int) {
	if b.opt.Titles && most > 0 {
		b.tasks.Later(memory.Task{Kind: memory.Untitled, Most: most})
	}
}

// doBacklog takes up what earlier processes left undone: titles, and retrospections that are owed;
// or so many titles alone. What was tried here is not tried again.
func (b *background) doBacklog(most int) error {
	var errs []error
	if b.opt.Titles {
		want := cmp.Or(most, backlogTitles)
		list, err := b.opt.Conversations.Untitled(want + len(b.tried))
		errs = append(errs, err)
		list = slices.DeleteFunc(list, func(e conversation.Entry) bool { return b.tried[e.ID] })
		for _, e := range list[:min(len(list), want)] {
			b.tasks.Later(memory.Task{Kind: memory.Title, Conversation: e.ID})
		}
	}
	if b.opt.Save != nil {
		b.tasks.Later(memory.Task{Kind: memory.Save})
	}
	if most > 0 {
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, b.doOwedRetrospections())...)
}

// aside makes a model call about a conversation outside any turn, without tools: a system prompt and the conversation
// followed by words. If it exceeds the model's window, it is halved and tried once more. The usage counts for the
// conversation. hear receives the text as it streams.
func (b *background) aside(ctx context.Context, purpose llm.Purpose, c *conversation.Conversation, system, words string, limit int, hear func(event.Event)) (llm.Response, error) {
	provider := b.answering()
	a := b.agentFor(provider)
	if !b.opt.CatchUp && purpose == llm.PurposeTitle {
		a.Retry = nil // a later process tries again
	}
	limit = min(limit, b.windows.Room(provider, b.opt.Window).Window/2)
	told, _ := history.Of(b.sendable(c))
	r := newRun(a, Task{Purpose: purpose, Meter: b.accounts.Meter(c.ID), Emit: hear})
	return r.model.callWithin(ctx, limit, func(limit int) llm.Request {
		said := "<conversation>\n" + memory.Transcript(withoutContext(told), limit) + "\n</conversation>\n\n" + words
		return llm.Request{Purpose: purpose, Messages: []llm.Message{{Role: llm.RoleSystem, Content: system}, {Role: llm.RoleUser, Content: said}}}
	})
}

// withoutContext removes the program's context from messages.
func withoutContext(messages []llm.Message) []llm.Message {
	for i := range messages {
		messages[i].Context = ""
	}
	return messages
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
func (b *background) title(ctx context.Context, id string) error {
	b.tried[id] = true
	c, err := b.untitled(id)
	if c == nil || err != nil {
		return err
	}
	if b.opt.Prompt.CompactFor(ctx, b.answering()) { // a small model would take long: first words name it, too
		return nil
	}
	system, err := b.prompt(ctx, event.Meta{Time: time.Now()}, "", promptTitle, nil)
	if err != nil {
		return err
	}
	resp, err := b.aside(ctx, llm.PurposeTitle, c, system, titleWords, titleInput, func(event.Event) {})
	if err != nil {
		return err
	}
	title, summary := memory.ParseTitle(resp.Text)
	if title == "" {
		return errNoTitle
	}
	if c, err = b.untitled(id); c == nil || err != nil {
		return err
	}
	if err := b.opt.Conversations.SetTitle(id, title, summary); err != nil {
		return err
	}
	b.step("titled")
	b.bus.Publish(event.ConversationTitled{Meta: event.Meta{Time: time.Now()}, ID: id, Title: title, Summary: summary})
	return nil
}

// untitled returns a conversation if it has ended, is not empty and has no title; else nil.
func (b *background) untitled(id string) (*conversation.Conversation, error) {
	c, err := b.opt.Conversations.Get(id)
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
