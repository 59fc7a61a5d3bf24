// Package memory processes conversations in the background: the task queue (Tasks), titles and summaries as models
// write them, reviews and their file, and transcripts to summarize. It calls no model.
package memory

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// TaskTime is how long a task may take.
const TaskTime = 3 * time.Minute

// ErrSuperseded is the cause of a task's cancellation when something else comes first.
var ErrSuperseded = errors.New("something else comes first")

// Task is something to be done in the background. Its name and conversation identify it.
type Task struct {
	Name         string // for the log
	Conversation string // ID; empty if it is about none
	Asked        bool   // by the user, who is notified if it fails
	Beside       bool   // it may run during a turn
	Do           func(context.Context, Task) error
}

// Tasks is a queue of background tasks, which run one at a time. A turn that begins cancels the current task, which
// runs again later. It is safe for concurrent use.
type Tasks struct {
	Wake chan struct{} // receives when there may be something to do
	Done chan struct{} // closed by the consumer when it ends

	mu     sync.Mutex
	list   []Task
	now    Task                    // the current task
	cancel context.CancelCauseFunc // cancels the current task; nil if there is none
}

// NewTasks returns an empty queue.
func NewTasks() *Tasks {
	return &Tasks{Wake: make(chan struct{}, 1), Done: make(chan struct{})}
}

// Later queues a task unless it is queued already. A task that the user asked for comes first.
func (s *Tasks) Later(t Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := func(o Task) bool { return o.Name == t.Name && o.Conversation == t.Conversation }
	if t.Asked {
		s.list = slices.Insert(slices.DeleteFunc(s.list, same), 0, t)
	} else if !slices.ContainsFunc(s.list, same) {
		s.list = append(s.list, t)
	}
	s.Poke()
}

// Poke wakes the consumer.
func (s *Tasks) Poke() {
	select {
	case s.Wake <- struct{}{}:
	default:
	}
}

// Yield cancels the current task unless it may run during a turn.
func (s *Tasks) Yield() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil && !s.now.Beside {
		s.cancel(ErrSuperseded)
	}
}

// Stop cancels the current task with a cause if it has a name, and removes the queued ones of that name that the user
// asked for.
func (s *Tasks) Stop(name string, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil && s.now.Name == name {
		s.cancel(cause)
	}
	s.list = slices.DeleteFunc(s.list, func(t Task) bool { return t.Name == name && t.Asked })
}

// Next begins the next task; its context is nil if there is none. free is false while a turn runs.
func (s *Tasks) Next(ctx context.Context, free bool) (Task, context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.list, func(t Task) bool { return free || t.Beside })
	if i < 0 {
		return Task{}, nil
	}
	t := s.list[i]
	s.list = slices.Delete(s.list, i, i+1)
	ctx, stop := context.WithTimeout(ctx, TaskTime)
	ctx, cancel := context.WithCancelCause(ctx)
	s.now, s.cancel = t, func(cause error) { cancel(cause); stop() }
	return t, ctx
}

// Ended finishes a task. One that a turn canceled is queued again and returns no error.
func (s *Tasks) Ended(ctx context.Context, t Task, err error) error {
	cause := context.Cause(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel(nil)
	s.cancel = nil
	if err != nil && errors.Is(cause, ErrSuperseded) {
		s.list = slices.Insert(s.list, 0, t)
		return nil
	}
	return err
}

// Asked reports whether a task that the user asked for runs or waits.
func (s *Tasks) Asked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cancel != nil && s.now.Asked || slices.ContainsFunc(s.list, func(t Task) bool { return t.Asked })
}

// Settle waits until no task is left or ctx ends. The rest is done at a later start.
func (s *Tasks) Settle(ctx context.Context) error {
	for s.left() {
		select {
		case <-s.Done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
	return nil
}

// left reports whether a task runs or waits.
func (s *Tasks) left() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list) > 0 || s.cancel != nil
}
