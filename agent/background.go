package agent

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
	"chatvault/conversation"
	"chatvault/internal/base/failpoint"
)

// background does tasks one at a time while no turn runs: titles of ended conversations, reviews, retention, expired
// questions. A turn that begins cancels the current task's model call, which is repeated later; a review is not
// canceled.
type background struct {
	*core
	in         *intake
	goals      *goals
	tasksCtx   context.Context // of tasks; ends a moment after the schedule's
	cancelTask context.CancelCauseFunc
	notified   bool            // the user knows that conversations cannot be saved as notes
	tried      map[string]bool // conversations for which this process tried to make a title
}

// Names of tasks whose failures the user may see.
const (
	taskSave   = "saving a conversation as a note"
	taskReview = "retrospection"
)

func newBackground(in *intake, g *goals) *background {
	b := &background{core: in.core, in: in, goals: g, tried: map[string]bool{}}
	b.tasksCtx, b.cancelTask = context.WithCancelCause(context.Background())
	b.later("retention", "", b.retain)
	if b.opt.CatchUp {
		b.CatchUp(backlogTitles)
	}
	return b
}

// later queues a task about a conversation, which may be empty.
func (b *background) later(name, conversation string, do func(context.Context, task) error) {
	b.queueTask(task{name: name, conversation: conversation, do: do})
}

// staleEvery is the interval at which unanswered questions are checked.
const staleEvery = 15 * time.Minute

// backlogTitles is how many conversations without a title a start takes up.
const backlogTitles = 5

// ended publishes the end of a conversation and schedules what follows from it.
func (b *background) ended(m event.Meta, c *conversation.Conversation) {
	b.bus.Publish(event.ConversationEnded{Meta: m, ID: c.ID, Reason: c.Reason})
	b.goals.conversationEnded(c.ID, c.Reason)
	if b.opt.Titles {
		b.later(taskTitle, c.ID, b.title)
	}
	if b.opt.Save != nil { // with its title
		b.later(taskSave, c.ID, b.save)
	}
	if b.opt.Retrospection && c.LastDone() != nil {
		b.later(taskReview, c.ID, b.review)
	}
	b.later("retention", "", b.retain)
	b.step("ended")
}

// workInBackground does the tasks until the processor is closed.
func (b *background) workInBackground() {
	defer close(b.tasksDone)
	tick := time.NewTicker(staleEvery)
	defer tick.Stop()
	for b.ctx.Err() == nil {
		if t, ctx := b.nextTask(b.tasksCtx); ctx != nil {
			failpoint.Pass("round agent background")
			if err := b.taskEnded(ctx, t, b.do(ctx, t)); err != nil && b.ctx.Err() == nil {
				b.taskFailed(t, err)
			}
			continue
		}
		select {
		case <-b.tasksWake:
		case <-tick.C:
			b.later("stale questions", "", func(context.Context, task) error { return b.in.dropStale() })
		case <-b.ctx.Done():
		}
	}
}

// do does a task. A panic in it fails the task, not the program.
func (b *background) do(ctx context.Context, t task) (err error) {
	defer caught(b.opt.Log, t.conversation, &err)
	return t.do(ctx, t)
}

// quickCall is the longest duration of a model call after which a process that is about to exit starts another one.
const quickCall = 5 * time.Second

// leavesToChat reports whether the model is so slow that titles and reviews are left to a longer-lived process.
func (b *background) leavesToChat() bool { return !b.opt.CatchUp && b.slow.Load() }

// taskFailed logs a failed task and notifies the user if they should know.
func (b *background) taskFailed(t task, err error) {
	b.opt.Log.Error("not done in the background", "what", t.name, "conversation", t.conversation, "error", err)
	switch {
	case t.asked:
		b.Tell("Looking back at the conversation failed: " + llm.Words(err))
	case t.name == taskSave && !b.notified:
		b.notified = true
		b.Tell("A conversation that ended is not saved as a note: " + err.Error())
	}
}

// Settle waits until no task is left or ctx ends. The rest is done at a later start.
func (b *background) Settle(ctx context.Context) error {
	for b.ctx.Err() == nil && b.tasksLeft() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// retain removes the oldest ended conversations beyond the limit.
func (b *background) retain(context.Context, task) error {
	n, err := b.opt.Conversations.Retain(b.opt.MaxConversations)
	if n > 0 {
		b.opt.Log.Info("conversations removed", "count", n, "max_conversations_retained", b.opt.MaxConversations)
	}
	return err
}

// save saves an ended conversation as a note, or with none those left over.
func (b *background) save(ctx context.Context, t task) error {
	return b.opt.Save(ctx, t.conversation)
}

// taskCatchUp is the name of a task that queues what earlier processes left undone.
const taskCatchUp = "what was left undone"

// CatchUp makes up to most titles that earlier processes did not make, in a process that does not do so at its start.
// Settle waits for it.
func (b *background) CatchUp(most int) {
	if b.opt.Titles && most > 0 {
		b.later(taskCatchUp, "", func(context.Context, task) error { return b.catchUp(most) })
	}
}

// catchUp queues titles and notes that earlier processes did not make. What was tried here is not tried again.
func (b *background) catchUp(titles int) (err error) {
	if b.opt.Titles {
		var list []conversation.Entry
		list, err = b.opt.Conversations.Untitled(titles + len(b.tried))
		list = slices.DeleteFunc(list, func(e conversation.Entry) bool { return b.tried[e.ID] })
		for _, e := range list[:min(len(list), titles)] {
			b.later(taskTitle, e.ID, b.title)
		}
	}
	if b.opt.Save != nil {
		b.later(taskSave, "", b.save)
	}
	return err
}

// aside makes a model call about a conversation outside any turn, without tools: a prompt and the conversation followed
// by words, at most limit tokens of it. The usage counts for the conversation. hear receives the text as it streams.
func (b *background) aside(ctx context.Context, purpose llm.Purpose, c *conversation.Conversation, prompt, words string, limit int, hear func(event.Event)) (llm.Response, error) {
	system, err := b.prompt(ctx, event.Meta{Time: time.Now()}, "", prompt, nil)
	if err != nil {
		return llm.Response{}, err
	}
	provider := b.answering()
	a := b.agentFor(provider)
	if !b.opt.CatchUp && purpose == llm.PurposeTitle {
		a.Retry = nil // a later process tries again
	}
	limit = min(limit, b.windows.Room(provider, b.opt.Window).Window/2)
	told := history.Join(history.Of(b.sendable(c)))
	r := newRun(a, Task{Purpose: purpose, Meter: b.accounts.Meter(c.ID), Emit: hear})
	said := "<conversation>\n" + memory.Transcript(withoutContext(told), limit) + "\n</conversation>\n\n" + words
	return r.model.callForText(ctx, purpose, system, said)
}

// withoutContext removes the program's context from messages.
func withoutContext(messages []llm.Message) []llm.Message {
	for i := range messages {
		messages[i].Context = ""
	}
	return messages
}

const (
	taskTitle   = "title"
	promptTitle = "title"
	titleInput  = 6000 // tokens of a conversation that are looked at for its title

	titleWords = "Write the title and the summary of this conversation."
)

// errNoTitle is the error for an answer without a title.
var errNoTitle = errors.New("the answer has no title")

// title has the model make a title and a summary of an ended conversation that has none.
func (b *background) title(ctx context.Context, t task) error {
	if b.leavesToChat() {
		return nil
	}
	id := t.conversation
	b.tried[id] = true
	c, err := b.untitled(id)
	if c == nil || err != nil {
		return err
	}
	if b.opt.Prompt.CompactFor(ctx, b.answering()) { // a small model would take long: first words name it, too
		return nil
	}
	resp, err := b.aside(ctx, llm.PurposeTitle, c, promptTitle, titleWords, titleInput, func(event.Event) {})
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
