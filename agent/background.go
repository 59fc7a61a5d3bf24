package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/window"
	"chatvault/conversation"
	"chatvault/internal/failpoint"
	"chatvault/internal/routine"
	"chatvault/internal/text"
)

// What nobody waits for is done in the background, one thing after another, while no turn runs:
// titles of conversations that ended, looks back at them, retention, questions that are stale. A
// turn that begins cuts a model call of the background short; it is made again later.

// staleEvery is how often questions are looked at that nobody has answered.
const staleEvery = 15 * time.Minute

const (
	maxCut        = 3               // times turns may cut a chore short before it is left to the next start
	choreTime     = 3 * time.Minute // that a chore may take
	backlogTitles = 5               // conversations without a title that a start takes up
)

// choreKind is what is done in the background.
type choreKind int

const (
	choreStale choreKind = iota
	choreRetain
	choreUntitled // what earlier processes left undone
	choreTitle
	choreRetrospect
)

// chore is something to be done in the background.
type chore struct {
	kind  choreKind
	conv  string // choreTitle, choreRetrospect: the conversation it is about
	asked bool   // the user asked for it, and is told when it fails
	cut   int    // times a turn cut it short
	most  int    // choreUntitled: so many titles and nothing else; 0: all that a start takes up
}

// background is what is to be done; the processor's mu guards it.
type background struct {
	chores  []chore
	doing   bool
	cancel  context.CancelCauseFunc // of the one that is being done
	wake    chan struct{}
	done    chan struct{}   // closed when its goroutine has ended
	notKept bool            // the user was told that looks back are not written down
	tried   map[string]bool // conversations that were to be titled, by whatever came of it
	idle    []chan struct{} // closed when nothing is left to do
}

func newBackground() background {
	return background{wake: make(chan struct{}, 1), done: make(chan struct{}), tried: map[string]bool{}}
}

// beginBackground starts it with what each start has to do.
func (p *Processor) beginBackground() {
	p.later(chore{kind: choreRetain})
	if p.opt.CatchUp {
		p.later(chore{kind: choreUntitled})
	}
	routine.Go("agent background", p.workBehind)
}

// later puts something off until no turn runs. What is already to be done is done once; what the
// user asks for comes first.
func (p *Processor) later(c chore) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &p.background
	same := func(o chore) bool { return o.kind == c.kind && o.conv == c.conv }
	switch i := slices.IndexFunc(b.chores, same); {
	case i >= 0 && !c.asked:
		return
	case i >= 0:
		b.chores = slices.Delete(b.chores, i, i+1)
	}
	if c.asked {
		b.chores = slices.Insert(b.chores, 0, c)
	} else {
		b.chores = append(b.chores, c)
	}
	p.wakeBackground()
}

func (p *Processor) wakeBackground() {
	select {
	case p.background.wake <- struct{}{}:
	default:
	}
}

// yield cuts a model call of the background short, with p.mu held: a turn begins.
func (p *Processor) yield() {
	if p.background.cancel != nil {
		p.background.cancel(errSuperseded)
	}
}

// workBehind does the chores until the processor is closed.
func (p *Processor) workBehind() {
	defer close(p.background.done)
	tick := time.NewTicker(staleEvery)
	defer tick.Stop()
	for {
		if c, ctx := p.nextChore(); ctx != nil {
			failpoint.Pass("round agent background")
			err := p.do(ctx, c)
			p.choreEnded(ctx, c, err)
			continue
		}
		select {
		case <-p.background.wake:
		case <-tick.C:
			p.later(chore{kind: choreStale})
		case <-p.ctx.Done():
			return
		}
	}
}

// nextChore takes the next thing to do; no context where there is none, or a turn comes first.
func (p *Processor) nextChore() (chore, context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &p.background
	if len(b.chores) == 0 {
		for _, c := range b.idle {
			close(c)
		}
		b.idle = nil
	}
	if p.closed || len(b.chores) == 0 || !p.free() {
		return chore{}, nil
	}
	c := b.chores[0]
	b.chores = b.chores[1:]
	ctx, stop := context.WithTimeout(p.ctx, choreTime)
	ctx, cancel := context.WithCancelCause(ctx)
	b.doing, b.cancel = true, func(cause error) { cancel(cause); stop() }
	return c, ctx
}

// free says, with p.mu held, whether the worker has nothing to do.
func (p *Processor) free() bool {
	return p.running == nil && len(p.queue) == 0 && p.goalStep == nil && !p.compact && p.errand == nil
}

// do does a chore. A panic in it fails the chore, not the program.
func (p *Processor) do(ctx context.Context, c chore) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(p.opt.Log, c.conv, v)
		}
	}()
	switch c.kind {
	case choreStale:
		return p.dropStale(p.opt.StateTimeout)
	case choreRetain:
		return p.retain()
	case choreUntitled:
		return p.takeUp(c.most)
	case choreTitle:
		return p.title(ctx, c.conv)
	case choreRetrospect:
		return p.retrospect(ctx, c)
	}
	return fmt.Errorf("no chore %d", c.kind)
}

// choreEnded decides what becomes of a chore: one that a turn cut short is done again.
func (p *Processor) choreEnded(ctx context.Context, c chore, err error) {
	cause := context.Cause(ctx)
	p.mu.Lock()
	b := &p.background
	b.cancel(nil)
	b.doing, b.cancel = false, nil
	again := false
	if err != nil && errors.Is(cause, errSuperseded) {
		c.cut++
		if again = c.cut < maxCut; again {
			b.chores = slices.Insert(b.chores, 0, c)
		} else {
			err = fmt.Errorf("turns came first %d times", c.cut)
		}
	}
	closed := p.closed
	p.mu.Unlock()
	if err == nil || again || closed {
		return
	}
	if errors.Is(err, errNotKept) && !c.asked {
		p.tellNotKept(err)
	}
	p.opt.Log.Error("not done in the background", "what", c.kind.String(), "conversation", c.conv, "error", err)
	if c.asked {
		why := err.Error()
		var e *llm.Error
		if errors.As(err, &e) && e.Message != "" {
			why = e.Message
		}
		p.bus.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: "Looking back at the conversation failed: " + why})
	}
}

func (k choreKind) String() string {
	return [...]string{"stale questions", "retention", "what was left undone", "title", "retrospection"}[k]
}

// Settle waits until nothing is left to do in the background, or ctx ends. What is not done by
// then is done at a later start.
func (p *Processor) Settle(ctx context.Context) error {
	p.mu.Lock()
	b := &p.background
	if p.closed || len(b.chores) == 0 && !b.doing {
		p.mu.Unlock()
		return nil
	}
	idle := make(chan struct{})
	b.idle = append(b.idle, idle)
	p.wakeBackground()
	p.mu.Unlock()
	select {
	case <-idle:
	case <-b.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
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
		p.later(chore{kind: choreUntitled, most: most})
	}
}

// takeUp takes up what earlier processes left undone: titles, and retrospections that are owed;
// or so many titles alone. What was tried here is not tried again.
func (p *Processor) takeUp(most int) error {
	var errs []error
	if p.opt.Titles {
		p.mu.Lock()
		tried := maps.Clone(p.background.tried)
		p.mu.Unlock()
		want := most
		if want == 0 {
			want = backlogTitles
		}
		list, err := p.opt.Conversations.Untitled(want + len(tried))
		errs = append(errs, err)
		list = slices.DeleteFunc(list, func(e conversation.Entry) bool { return tried[e.ID] })
		for _, e := range list[:min(len(list), want)] {
			p.later(chore{kind: choreTitle, conv: e.ID})
		}
	}
	if most > 0 {
		return errors.Join(errs...)
	}
	return errors.Join(append(errs, p.takeUpRetrospections())...)
}

// aside is what the model answers to a request about a conversation beside any turn, without
// tools: a system prompt, and the conversation with words after it. Where it is longer than the
// model takes, it is told half as much, once. What it uses is counted for the conversation.
func (p *Processor) aside(ctx context.Context, purpose llm.Purpose, c *conversation.Conversation, system, words string, limit int) (string, error) {
	p.mu.Lock()
	provider := p.provider
	p.mu.Unlock()
	m := event.Meta{Time: time.Now()}
	p.accounts.Update(m)
	defer p.accounts.Flush(m)
	a := p.agent(&turn{provider: provider, conv: c})
	limit = min(limit, p.windows.Room(provider, p.opt.Window).Window/2)
	for again := true; ; again = false {
		messages := []llm.Message{
			{Role: llm.RoleSystem, Content: system},
			{Role: llm.RoleUser, Content: "<conversation>\n" + transcript(spokenIn(p.sendable(c)), limit) + "\n</conversation>\n\n" + words},
		}
		s, err := a.reply(ctx, event.Totals{}, Task{Purpose: purpose, Meter: p.accounts.Meter(c.ID), Emit: func(event.Event) {}}, messages)
		var e *llm.Error
		if again && ctx.Err() == nil && errors.As(err, &e) && e.Reason == llm.ReasonContextLength {
			limit /= 2
			if window, named := window.From(e.Message); named {
				limit = min(limit, window/2)
			}
			continue
		}
		if err == nil && text.Blank(s) {
			err = errors.New("the model returned nothing")
		}
		return withoutThinking(s), err
	}
}

// spokenIn is a conversation as it is told to who was not in it: without what the program said
// beside the user's messages.
func spokenIn(c *conversation.Conversation) []llm.Message {
	messages, _ := history.Of(c)
	for i := range messages {
		messages[i].Context = ""
	}
	return messages
}
