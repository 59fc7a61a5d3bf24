package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/conversation"
)

// schedule holds the worker's current turn and its waiting work: accepted messages and jobs between turns. It is safe for concurrent use.
type schedule struct {
	ctx       context.Context // ends when the processor is closed
	wake      chan struct{}   // the worker has something to do
	done      chan struct{}   // closed when the worker has ended
	tasksWake chan struct{}   // there may be a task to do
	tasksDone chan struct{}   // closed when no more tasks are done

	single bool // each message is a turn of its own

	mu       sync.Mutex
	queue    []inbox.Entry
	running  *turn
	jobs     []func(*turn)
	tasks    []task      // done one at a time while no turn runs
	task     *task       // the current one
	nextConv string      // ID of the conversation of messages sent now, until it is on disk; empty means the active one
	draining atomic.Bool // no further turn begins
}

// next begins the next job, or else a turn with the messages that wait. It returns nil if there is neither, or the
// processor is closed.
func (s *schedule) next() *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ctx.Err() != nil:
		return nil
	case len(s.jobs) > 0:
		t := &turn{job: s.jobs[0]}
		s.jobs = s.jobs[1:]
		return s.begin(t)
	case s.draining.Load() || len(s.queue) == 0:
		return nil
	}
	return s.take()
}

// take begins a turn with the first message that waits and those after it that can join it. It requires s.mu.
func (s *schedule) take() *turn {
	n := 1
	for !s.single && joinable(s.queue[0], s.queue[0].Conversation) && n < len(s.queue) && joinable(s.queue[n], s.queue[0].Conversation) {
		n++
	}
	t := &turn{id: s.queue[0].ID, entries: s.queue[:n:n]}
	s.queue = append([]inbox.Entry(nil), s.queue[n:]...)
	return s.begin(t)
}

// begin makes a turn the running one. It requires s.mu.
func (s *schedule) begin(t *turn) *turn {
	t.started = time.Now()
	t.ctx, t.cancel = context.WithCancelCause(s.ctx)
	s.running = t
	if s.task != nil && s.task.name != taskReview {
		s.task.cancel(errSuperseded)
	}
	return t
}

// joinable reports whether a message may share a turn of a conversation: it was typed, and is neither retried nor a
// request for a plan.
func joinable(e inbox.Entry, conversation string) bool {
	return e.Source == event.SourceDirect && !e.Retried && e.Mode == event.ModeAct && e.Conversation == conversation
}

// takeFoldable moves the first message that may join a running turn from the queue to the turn. It returns nil if there
// is none or the turn was stopped. The message can no longer be taken back.
func (s *schedule) takeFoldable(t *turn) *inbox.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.queue, func(e inbox.Entry) bool { return joinable(e, t.conv.ID) && !e.Hold })
	if s.single || t.ctx.Err() != nil || at < 0 {
		return nil
	}
	t.entries = append(t.entries, s.queue[at])
	s.queue = slices.Delete(s.queue, at, at+1)
	return &t.entries[len(t.entries)-1]
}

func (s *schedule) wakeWorker() { poke(s.wake) }

// poke wakes the receiver of a channel.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Busy reports whether a turn or a job runs, or a job waits.
func (s *schedule) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil || len(s.jobs) > 0
}

// Drain stops the processor from beginning turns. Queued and later messages stay in the inbox for the next start.
func (s *schedule) Drain() { s.draining.Store(true) }

// knows reports whether a message is queued or running.
func (s *schedule) knows(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.queue, func(e inbox.Entry) bool { return e.ID == id }) {
		return true
	}
	if s.running != nil {
		for i := range s.running.entries { // the worker may change other fields at the same time
			if s.running.entries[i].ID == id {
				return true
			}
		}
	}
	return false
}

// isFree is free for callers that do not hold s.mu.
func (s *schedule) isFree() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free()
}

// free reports whether the worker has nothing to do. It requires s.mu.
func (s *schedule) free() bool {
	return s.running == nil && len(s.queue) == 0 && len(s.jobs) == 0
}

// Stop ends the running turn, or step toward the goal, at its next safe point; either pauses the goal. It also ends the
// review that is being written, and drops those that the user asked for.
func (s *schedule) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		s.running.cancel(errStopped)
	}
	if s.task != nil && s.task.name == taskReview {
		s.task.cancel(errStopped)
	}
	s.tasks = slices.DeleteFunc(s.tasks, isAsked)
}

// stepping reports whether a step toward the goal runs that has no message yet. It requires s.mu.
func (s *schedule) stepping() bool {
	return s.running != nil && s.running.toward.Text != "" && len(s.running.entries) == 0
}

// cancelStep cancels a step toward the goal that has no message yet. It requires s.mu.
func (s *schedule) cancelStep() {
	if s.stepping() {
		s.running.cancel(errSuperseded)
	}
}

// NewConversation makes the next message begin a new conversation. Messages that wait already belong to the one before.
func (s *schedule) NewConversation() { s.setNextID(conversation.NewID(time.Now())) }

func (s *schedule) setNextID(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextConv = id
}

// nextID returns the ID of the conversation that a message sent now begins; empty if it continues the active one.
func (s *schedule) nextID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nextConv
}

// recorded records that a conversation is on disk or has ended, so that new messages belong to the active one.
func (s *schedule) recorded(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nextConv == id {
		s.nextConv = ""
	}
}

// entered sets the conversation of a turn, which began it or not. Messages that wait for the conversation id belong to it
// as well.
func (s *schedule) entered(t *turn, conv *conversation.Conversation, id string, began bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.conv = conv
	for i := range s.queue {
		if s.queue[i].Conversation == id {
			s.queue[i].Conversation = conv.ID
		}
	}
	if began && (s.nextConv == "" || s.nextConv == id) {
		s.nextConv = conv.ID
	}
}

// taskTime is how long a task may take.
const taskTime = 3 * time.Minute

// task is something to be done in the background. Its name and conversation identify it.
type task struct {
	name         string // for the log
	conversation string // ID; empty if it is about none
	asked        bool   // by the user, who is notified if it fails
	do           func(context.Context, task) error
	cancel       context.CancelCauseFunc // of the current one
}

func isAsked(t task) bool { return t.asked }

// queueTask queues a task unless it is queued already. A task that the user asked for comes first.
func (s *schedule) queueTask(t task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := func(o task) bool { return o.name == t.name && o.conversation == t.conversation }
	if t.asked {
		s.tasks = slices.Insert(slices.DeleteFunc(s.tasks, same), 0, t)
	} else if !slices.ContainsFunc(s.tasks, same) {
		s.tasks = append(s.tasks, t)
	}
	poke(s.tasksWake)
}

// nextTask begins the next task; its context is nil if there is none. Only a review is done while a turn runs; other tasks
// are canceled by one that begins.
func (s *schedule) nextTask(ctx context.Context) (task, context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.tasks, func(t task) bool { return s.free() || t.name == taskReview })
	if i < 0 {
		return task{}, nil
	}
	t := s.tasks[i]
	s.tasks = slices.Delete(s.tasks, i, i+1)
	ctx, stop := context.WithTimeout(ctx, taskTime)
	ctx, cancel := context.WithCancelCause(ctx)
	t.cancel = func(cause error) { cancel(cause); stop() }
	s.task = &t
	return t, ctx
}

// taskEnded finishes the current task. One that a turn canceled is queued again and returns no error.
func (s *schedule) taskEnded(ctx context.Context, t task, err error) error {
	cause := context.Cause(ctx)
	t.cancel(nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.task = nil
	if err != nil && errors.Is(cause, errSuperseded) {
		s.tasks = slices.Insert(s.tasks, 0, t)
		return nil
	}
	return err
}

// tasksLeft reports whether a task runs or waits.
func (s *schedule) tasksLeft() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.task != nil || len(s.tasks) > 0
}

// Working reports whether anything is being done that the user asked for.
func (s *schedule) Working() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil || len(s.jobs) > 0 || s.task != nil && s.task.asked || slices.ContainsFunc(s.tasks, isAsked)
}
