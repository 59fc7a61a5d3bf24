// Package agent is the heart of chatvault: the Processor takes messages one at a
// time through a durable inbox, the Agent thinks and acts in a loop over tools,
// and subscribers see every step as an Event. It promises that a message Submit
// returned nil for is on disk, that a tool never runs twice because a model call
// was retried, and that Stop is safe at any moment.
package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/lock"
	"chatvault/agent/memory"
	"chatvault/agent/prompts"
	"chatvault/agent/smallmodel"
	"chatvault/agent/spend"
	"chatvault/conversation"
	"chatvault/internal/failpoint"
	"chatvault/internal/routine"
	"chatvault/tools"
)

// maxMessageBytes bounds one message: a larger one fits no model's window.
const maxMessageBytes = 4 << 20

// errStopped and errShutdown are the causes a turn's context ends with.
var (
	errStopped  = errors.New("stopped by the user")
	errShutdown = errors.New("the program is ending")
)

// Options of a Processor.
type Options struct {
	Root  *os.Root // the vault's state folder
	Vault *os.Root // the vault's folder, for .smarthole; may be nil
	// Agreed reports whether the owner trusts a file of the vault that steers the model, such as a prompt. Nil trusts
	// none.
	Agreed        func(file string, data []byte) bool
	Agent                                       // that works on turns
	Tools         func(tools.Messenger) Toolbox // a turn's tools
	Conversations *conversation.Manager
	Vars          func(context.Context) prompts.Vars // of the system prompt; asked once a conversation
	Steer         func(*prompts.Vars)                // adds the vault owner's instructions as they are now; may be nil
	GoalMaxTurns  int                                // turns toward a goal before it is paused; zero means 10
	Name          string                             // what this process is: "chat", "ask"
	Hooks
	// NewConversation makes the first turn begin a new conversation.
	NewConversation bool
	// LeaveGoal leaves the goal that an earlier process set alone: this one answers a request.
	LeaveGoal bool
	// Reports is set for commands that report a failure by their exit status.
	Reports bool
	// Attended is set if a user handles Requested events and calls Answer.
	Attended bool
	// Approval selects the changes that require consent; ApproveAll gives it in advance.
	Approval       event.Approval
	EngineApproval event.Approval // the same for changes by Engine; empty means Approval
	ApproveAll     bool
	Engine         llm.Provider  // the embedded engine, which looks up a small model's questions; may be nil
	Supplier       Supplier      // asks the user for what a provider lacks, if Attended; may be nil
	memory.Options               // what is done of conversations that ended
	StateTimeout   time.Duration // after which an unanswered question expires; zero means never

	step func(string)
}

// Hooks are callbacks of a processor. Each may be nil.
type Hooks struct {
	// Ready waits a while for tools that are about to come, at most until the context ends.
	Ready func(context.Context)
	// Notify reports a message's result to its source, before it is recorded.
	Notify func(event.Inbound, event.Result)
	// TurnEnded is called after each turn, unless the program's end cut it.
	TurnEnded func(id string)
	// Attach reads what messages take with them.
	Attach Attach
	// News returns a notice for the user to show before a turn; may be empty.
	News func() string
	// Found returns passages of the notes for a message to a small model. If change is set, notes that the message
	// names come first.
	Found func(ctx context.Context, message string, change bool) smallmodel.Found
	// Withhold returns the current rule for leaving out recorded results; a nil rule leaves out nothing.
	Withhold func() history.Rule
}

// Processor takes messages one at a time: inbox, agent, notification, record, clean-up. It is
// safe for concurrent use. Close it when done.
type Processor struct {
	opt   Options
	inbox *inbox.Box
	owner *lock.Owner
	bus   event.Bus

	ctx    context.Context // ends when the processor is closed
	cancel context.CancelCauseFunc
	wake   chan struct{}
	done   chan struct{} // closed when the worker has ended

	background       context.Context // of background tasks; ends a moment after ctx
	cancelBackground context.CancelCauseFunc

	accepting sync.Mutex // one message after another is accepted: an id is taken once

	schedule

	tasks       *memory.Tasks // what is done while no turn runs
	notified    sync.Map      // by memory.Kind: failures that the user knows of
	staleLooked atomic.Bool   // stale questions were looked for since the start
	unreported  []string      // notices that the next turn publishes

	keptOf string         // the conversation of the last turn
	kept   map[string]int // Outcome.Shortened of that turn, which is kept so that prompt caches stay valid

	closing  sync.Once
	closeErr error

	requests requests // what turns ask the user, and wait for

	goal     goal.Keeper
	accounts *spend.Ledger // what model calls used
	approval approvals

	prompts promptMaker
	learned
	step func(string) // called after each step of the pipeline, in tests
}

// New returns a running processor.
func New(opt Options) (*Processor, error) {
	opt.Log = cmp.Or(opt.Log, slog.New(slog.DiscardHandler))
	if opt.Retry == nil {
		opt.Retry = llm.DefaultRetry
	}
	opt.MaxRounds = cmp.Or(max(opt.MaxRounds, 0), 10)
	opt.GoalMaxTurns = cmp.Or(max(opt.GoalMaxTurns, 0), 10)
	opt.Name = cmp.Or(opt.Name, "chat")
	opt.RetrospectionPrompt = cmp.Or(opt.RetrospectionPrompt, "Look back at this conversation, in at most 200 words.")
	o, err := lock.NewOwner(opt.Root)
	if err != nil {
		return nil, err
	}
	p := &Processor{
		opt: opt, inbox: inbox.For(opt.Root, o.Name), owner: o, schedule: schedule{provider: opt.Provider},
		wake: make(chan struct{}, 1), done: make(chan struct{}), step: opt.step, tasks: memory.NewTasks(),
	}
	if opt.NewConversation {
		p.NewConversation()
	}
	p.prompts.files = prompts.NewFiles(opt.Vault, opt.Agreed)
	if p.step == nil {
		p.step = func(step string) { failpoint.Pass("step " + step) }
	}
	p.accounts = spend.Open(opt.Root)
	p.accounts.Publish, p.accounts.Log = p.bus.Publish, opt.Log
	p.goal.Save, p.goal.Publish, p.goal.Log = p.saveGoal, p.bus.Publish, opt.Log
	p.approval.now = opt.Approval
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	p.background, p.cancelBackground = context.WithCancelCause(context.Background())
	if !opt.LeaveGoal {
		p.loadGoal(time.Now())
	}
	p.tasks.Later(memory.Task{Kind: memory.Retain})
	if opt.CatchUp {
		p.tasks.Later(memory.Task{Kind: memory.Untitled})
	}
	routine.Go("agent background", p.workInBackground)
	routine.Go("agent worker", p.work)
	return p, nil
}

// Finish cuts the running turn as Close does, and waits until ctx ends for the background to finish the
// task it is at: a model call that is cut is paid for all the same.
func (p *Processor) Finish(ctx context.Context) {
	p.leave()
	select {
	case <-p.tasks.Done:
	case <-ctx.Done():
	}
}

// leave begins nothing more, and cuts what is done for messages.
func (p *Processor) leave() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cancel(errShutdown)
}

// lastMoment is how long the background may take for the model call it is at when the processor is closed.
const lastMoment = 800 * time.Millisecond

// Close ends the processor: a running turn is cut and its message stays in the inbox, to be
// offered at the next start. It waits for the worker until ctx ends. Closing again does nothing.
func (p *Processor) Close(ctx context.Context) error {
	p.closing.Do(func() { p.closeErr = p.close(ctx) })
	return p.closeErr
}

func (p *Processor) close(ctx context.Context) error {
	p.leave()
	defer time.AfterFunc(lastMoment, routine.Guard("agent cut", func() { p.cancelBackground(errShutdown) })).Stop()
	var err error
	for _, done := range []chan struct{}{p.done, p.tasks.Done} {
		select {
		case <-done:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	p.bus.Close()
	return errors.Join(err, p.owner.Close())
}

// Submit accepts a message: when it returns nil the message is on disk and will be worked on
// in its turn, or, when the program ends before, be offered at the next start. It fills an
// empty ID and Time. A message whose id is in the inbox already is accepted again without
// being handled twice.
func (p *Processor) Submit(_ context.Context, m event.Inbound) (event.Inbound, error) {
	switch {
	case strings.TrimSpace(m.Text) == "":
		return m, errors.New("the message is empty")
	case len(m.Text) > maxMessageBytes:
		return m, fmt.Errorf("the message is too long: %d bytes, at most %d are allowed; put the text into a note and refer to it", len(m.Text), maxMessageBytes)
	}
	if m.Time.IsZero() {
		m.Time = time.Now()
	}
	m.Source = cmp.Or(m.Source, event.SourceDirect)
	p.accepting.Lock()
	defer p.accepting.Unlock()
	if p.isClosed() {
		return m, errors.New("the program is ending, so the message was not sent")
	}
	if m.ID == "" {
		m.ID = newMessageID(m.Time)
	} else if known, err := p.has(m.ID); known || err != nil {
		return m, err
	}
	entry := inbox.Entry{Inbound: m, Owner: p.owner.Name}
	if err := p.place(&entry); err != nil {
		return m, fmt.Errorf("the message was not sent: %w", err)
	}
	if err := p.inbox.Save(entry); err != nil {
		return m, fmt.Errorf("the message could not be saved, so it was not sent: %w", err)
	}
	p.step("received")
	if err := p.enqueue(entry); err != nil {
		p.opt.Log.Warn("accepted while closing", "message", m.ID, "error", err)
	}
	return m, nil
}

// has reports whether a message is queued, running or in the inbox. Its entry must not be overwritten.
func (p *Processor) has(id string) (bool, error) {
	if err := inbox.CheckID(id); err != nil {
		return false, err
	}
	if p.knows(id) {
		return true, nil
	}
	_, err := p.inbox.Load(id)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, inbox.ErrCorrupt) {
		return false, nil
	}
	return err == nil, err
}

// TakeBack takes a waiting message of the user's out of the queue and the inbox; false when it is not
// waiting any more. What another program sent is not theirs to edit.
func (p *Processor) TakeBack(id string) (event.Inbound, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.queue, func(e inbox.Entry) bool { return e.ID == id })
	if i < 0 || p.queue[i].Source != event.SourceDirect {
		return event.Inbound{}, false
	}
	if err := p.inbox.Remove(id); err != nil {
		p.opt.Log.Error("inbox entry not removed", "message", id, "error", err)
		return event.Inbound{}, false
	}
	e := p.queue[i]
	p.queue = slices.Delete(p.queue, i, i+1)
	return e.Inbound, true
}

// Subscribe returns a mailbox of all events from now on.
func (p *Processor) Subscribe() *event.Subscription { return p.bus.Subscribe() }

func (p *Processor) enqueue(e inbox.Entry) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return errors.New("the program is ending; the message is kept in the inbox")
	}
	queued := p.running != nil || len(p.queue) > 0
	p.queue = append(p.queue, e)
	if p.goalStep != nil {
		p.goalStep.cancel(memory.ErrSuperseded)
	}
	p.bus.Publish(event.Received{Meta: event.Meta{Time: time.Now()}, Message: e.Inbound, Queued: queued})
	p.mu.Unlock()
	p.wakeWorker()
	return nil
}

// newMessageID sorts by time.
func newMessageID(now time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return now.UTC().Format("20060102-150405.000000") + "-" + hex.EncodeToString(b[:])
}

// Sees returns the answering model and whether it accepts a media type, if known.
func (p *Processor) Sees(mediaType string) (model string, sees, known bool) {
	provider := p.answering()
	sees, known = p.sees(provider, mediaType)
	return provider.Name(), sees, known
}

// Recover returns the messages that ended processes left unfinished, for Retry or Drop (see inbox.Box.Recover), and
// drops expired questions. It is called once, at the start.
func (p *Processor) Recover() (pending []inbox.Entry, warnings []string, err error) {
	pending, warnings, err = p.inbox.Recover(p.answered)
	lock.Sweep(p.opt.Root)
	if staleErr := p.dropStale(p.opt.StateTimeout); staleErr != nil {
		warnings = append(warnings, fmt.Sprintf("It is unknown whether a question is still open: %v", staleErr))
	}
	return pending, warnings, err
}

// Unfinished lists the messages that Retry and Drop can decide about now, oldest first.
func (p *Processor) Unfinished() (pending []inbox.Entry, warnings []string, err error) {
	return p.inbox.Unfinished(p.knows, p.answered)
}

// answered reports whether the answer to a message is on record.
func (p *Processor) answered(e inbox.Entry) (bool, error) {
	if e.LastTried.IsZero() {
		return false, nil
	}
	return p.opt.Conversations.Answered(e.ID, e.LastTried)
}

// Retry runs an unfinished message in its conversation, as a turn of its own. It opens that conversation if
// necessary.
func (p *Processor) Retry(id string) error {
	p.accepting.Lock()
	defer p.accepting.Unlock()
	if p.knows(id) {
		return nil
	}
	e, err := p.inbox.Load(id)
	if err == nil && !p.inbox.Others(e) { // else Claim returns the error
		err = p.GoTo(e)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		e, err = p.inbox.Claim(id)
	}
	if err != nil {
		return err
	}
	if e.Retried = true; e.Conversation == "" {
		if err := p.place(&e); err != nil {
			return err
		}
	}
	return p.enqueue(e)
}

// Drop removes an unfinished message and notifies its source.
func (p *Processor) Drop(id string) error {
	p.accepting.Lock()
	defer p.accepting.Unlock()
	if p.knows(id) {
		return fmt.Errorf("message %s is being worked on", id)
	}
	e, loadErr := p.inbox.Load(id)
	if err := p.inbox.Drop(id); err != nil {
		return err
	}
	if loadErr == nil {
		p.notifyOf(event.Meta{Time: time.Now()}, e.Inbound, event.Result{Success: true, MessageID: id, Dropped: true})
	}
	return nil
}
