// Package agent is the heart of chatvault: the Processor takes messages one at a
// time through a durable inbox, the Agent thinks and acts in a loop over tools,
// and subscribers see every step as an Event. It promises that a message Submit
// returned nil for is on disk, that a tool never runs twice because a model call
// was retried, and that Stop is safe at any moment.
package agent

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/lock"
	"chatvault/agent/prompts"
	"chatvault/agent/smallmodel"
	"chatvault/agent/spend"
	"chatvault/conversation"
	"chatvault/internal/base/failpoint"
	"chatvault/internal/base/routine"
	"chatvault/tools"
)

// The causes that the context of a turn or a background task ends with.
var (
	errStopped    = errors.New("stopped by the user")
	errShutdown   = errors.New("the program is ending")
	errSuperseded = errors.New("something else comes first")
)

// Goals is how goals are pursued.
type Goals struct {
	GoalMaxTurns int // turns toward a goal before it is paused; zero means 10
	// LeaveGoal leaves the goal that an earlier process set alone: this one answers a request.
	LeaveGoal bool
}

// Ended is what happens to conversations that ended.
type Ended struct {
	Titles              bool   // they get a title and a summary
	Retrospection       bool   // they get a review
	RetrospectionPrompt string // asks for a review, also on demand; empty means the built-in one
	CatchUp             bool   // titles and reviews that earlier processes did not make are made at the start
	MaxConversations    int    // number to keep; zero means all
	// Save saves a conversation as a note, or with an empty ID those left over. May be nil.
	Save func(ctx context.Context, id string) error
}

// Options of a Processor.
type Options struct {
	Root  *os.Root // the vault's state folder
	Vault *os.Root // the vault's folder, for .smarthole; may be nil
	// Agreed reports whether the owner trusts a file of the vault that steers the model, such as a prompt. Nil trusts
	// none.
	Agreed func(file string, data []byte) bool
	Agent                                // that works on turns
	Tools  func(tools.Messenger) Toolbox // a turn's tools
	// Made returns the changes of the vault that the calls of a turn made, as its journal has them; nil if it has none.
	Made          func(ctx context.Context, turn string) ([]tools.Call, error)
	Conversations *conversation.Manager
	Vars          func(context.Context) prompts.Vars // of the system prompt; asked once a conversation
	Steer         func(*prompts.Vars)                // adds the vault owner's instructions as they are now; may be nil
	Single        bool                               // each message is a turn of its own, also if several wait
	Name          string                             // what this process is: "chat", "ask"
	// NewConversation makes the first turn begin a new conversation.
	NewConversation bool
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
	StateTimeout   time.Duration // after which an unanswered question expires; zero means never

	Goals // how goals are pursued
	Ended // what happens to conversations that ended

	// Callbacks, each of which may be nil.

	// Ready waits a while for tools that are about to come, at most until the context ends.
	Ready func(context.Context)
	// Notify reports to a message's source what comes of it: each AgentMessage, each Requested that is refused because
	// the source cannot be asked and, before it is recorded, the result as a TurnFinished.
	Notify func(event.Inbound, event.Event)
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

	step func(string)
}

// Processor takes messages one at a time. The intake accepts a message, the worker runs it as a turn and
// records the outcome; goals and the background work between turns. It is safe for concurrent use. Close it when done.
type Processor struct {
	*core
	*intake
	*goals
	*background
	*worker
	*consents

	lock     *lock.Owner
	cancel   context.CancelCauseFunc // of schedule.ctx
	closing  sync.Once
	closeErr error
}

// New returns a running processor.
func New(opt Options) (*Processor, error) {
	opt.Log = cmp.Or(opt.Log, slog.New(slog.DiscardHandler))
	if opt.Retry == nil {
		opt.Retry = llm.DefaultRetry
	}
	if opt.Withhold == nil {
		opt.Withhold = func() history.Rule { return nil }
	}
	if opt.Ready == nil {
		opt.Ready = func(context.Context) {}
	}
	opt.Artifacts = opt.Conversations.Artifacts()
	opt.MaxRounds = cmp.Or(max(opt.MaxRounds, 0), 10)
	opt.GoalMaxTurns = cmp.Or(max(opt.GoalMaxTurns, 0), 10)
	opt.Name = cmp.Or(opt.Name, "chat")
	opt.RetrospectionPrompt = cmp.Or(opt.RetrospectionPrompt, "Look back at this conversation, in at most 200 words.")
	owner, err := lock.NewOwner(opt.Root)
	if err != nil {
		return nil, err
	}
	c := &core{
		opt: opt, owner: owner.Name, provider: opt.Provider, step: opt.step,
		accounts: spend.Open(opt.Root), prompts: prompts.NewFiles(opt.Vault, opt.Agreed),
	}
	if c.step == nil {
		c.step = func(step string) { failpoint.Pass("step " + step) }
	}
	c.accounts.Publish, c.accounts.Log = c.bus.Publish, opt.Log
	p := &Processor{core: c, lock: owner}
	ctx, cancel := context.WithCancelCause(context.Background())
	p.cancel = cancel
	c.schedule = &schedule{ctx: ctx, single: opt.Single}
	c.wake, c.done, c.tasksWake, c.tasksDone = make(chan struct{}, 1), make(chan struct{}), make(chan struct{}, 1), make(chan struct{})
	if opt.NewConversation {
		p.NewConversation()
	}
	p.intake = &intake{core: c, inbox: inbox.For(opt.Root, c.owner)}
	p.goals = newGoals(p.intake)
	p.background = newBackground(p.intake, p.goals)
	p.worker = newWorker(p.intake, p.goals, p.background)
	p.consents = p.asks
	routine.Go("agent background", p.workInBackground)
	routine.Go("agent worker", p.work)
	return p, nil
}

// Finish cuts the running turn as Close does, and waits until ctx ends for the current background task: a model call
// that is cut must be paid for all the same.
func (p *Processor) Finish(ctx context.Context) {
	p.cancel(errShutdown)
	select {
	case <-p.tasksDone:
	case <-ctx.Done():
	}
}

// lastMoment is how long the current background task may take for its model call when the processor is closed.
const lastMoment = 800 * time.Millisecond

// Close ends the processor: a running turn is cut and its message stays in the inbox, to be offered at the next start.
// It waits for the worker until ctx ends. Closing again does nothing.
func (p *Processor) Close(ctx context.Context) error {
	p.closing.Do(func() { p.closeErr = p.close(ctx) })
	return p.closeErr
}

func (p *Processor) close(ctx context.Context) error {
	p.cancel(errShutdown)
	defer time.AfterFunc(lastMoment, routine.Guard("agent cut", func() { p.cancelTask(errShutdown) })).Stop()
	var err error
	for _, done := range []chan struct{}{p.done, p.tasksDone} {
		select {
		case <-done:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	p.bus.Close()
	return errors.Join(err, p.lock.Close())
}
