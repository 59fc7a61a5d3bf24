package agent

import (
	"slices"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
	"chatvault/conversation"
)

// schedule is the state of the worker and its queue.
type schedule struct {
	mu       sync.Mutex
	provider llm.Provider
	chosen   time.Time // time of the last SetProvider; zero if none
	queue    []inbox.Entry
	running  *turn
	goalStep *goalStep // while no turn runs
	nextConv string    // ID of the conversation of messages sent now, until it is on disk; empty means the active one
	compact  bool      // a compaction was asked for
	job      *job
	closed   bool
	draining bool // no further turn begins
}

func (s *schedule) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// answering returns the provider of the next turn.
func (s *schedule) answering() llm.Provider {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.provider
}

// Busy reports whether a turn or a requested compaction runs.
func (s *schedule) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil || s.compact
}

// Drain stops the processor from beginning turns. Queued and later messages stay in the inbox for the next start.
func (s *schedule) Drain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
}

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

// NewConversation makes the next message begin a new conversation. Messages that wait already
// belong to the one before.
func (s *schedule) NewConversation() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextConv = conversation.NewID(time.Now())
}

// nextID returns the ID of the conversation that a message sent now begins; empty if it continues the active one.
func (s *schedule) nextID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nextConv
}

// entered records the conversation of a turn. Messages that wait for the conversation id belong to it as well.
func (s *schedule) entered(t *turn, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.convID = t.conv.ID
	for i := range s.queue {
		if s.queue[i].Conversation == id {
			s.queue[i].Conversation = t.convID
		}
	}
	if t.began && (s.nextConv == "" || s.nextConv == id) {
		s.nextConv = t.convID
	}
}

// recorded records that a conversation is on disk or has ended, so that new messages belong to the active one.
func (s *schedule) recorded(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nextConv == id {
		s.nextConv = ""
	}
}

// conversationID returns the ID of the running turn's conversation; empty if unknown.
func (s *schedule) conversationID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return ""
	}
	return s.running.convID
}

// isFree is free for callers that do not hold s.mu.
func (s *schedule) isFree() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free()
}

// free reports whether the worker has nothing to do. It requires s.mu.
func (s *schedule) free() bool {
	return s.running == nil && len(s.queue) == 0 && s.goalStep == nil && !s.compact && s.job == nil
}

// SetProvider changes the model, from the next turn on. That turn calls it, also where another
// answered in its place.
func (s *schedule) SetProvider(m llm.Provider) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.provider, s.chosen = m, time.Now()
}

// Stop ends the running turn at its next safe point, and what is done toward the goal between
// turns; either pauses the goal. A look back that is being made ends, too. Without them it does nothing.
func (p *Processor) Stop() {
	for _, t := range p.tasks.Stop(memory.Retrospect, errStopped) {
		p.retrospectEnded(t, true)
	}
	p.stop()
}

func (s *schedule) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		s.running.cancel(errStopped)
	}
	if s.goalStep != nil {
		s.goalStep.cancel(errStopped)
	}
}

// batch returns how many queued messages the next turn takes: consecutive typed ones of one conversation. A routed
// message, a retried one and a plan get a turn of their own.
func batch(queue []inbox.Entry) int {
	alone := func(e inbox.Entry) bool {
		return e.Source != event.SourceDirect || e.Retried || e.Mode != event.ModeAct || e.Conversation != queue[0].Conversation
	}
	if alone(queue[0]) {
		return 1
	}
	n := 1
	for n < len(queue) && !alone(queue[n]) {
		n++
	}
	return n
}
