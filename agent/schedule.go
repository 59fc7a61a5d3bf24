package agent

import (
	"slices"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/memory"
)

// news counts the new conversations that the user wanted. A message belongs to the last one that
// was wanted before it was sent: what waits when another is wanted is still answered in the one
// before.
type news struct{ wanted, begun int }

// opens says whether a new conversation begins with a message, or with what is sent after it.
func (n news) opens(e inbox.Entry) bool { return e.NewConversations > n.begun }

// schedule is what the worker does and what waits for it.
type schedule struct {
	mu           sync.Mutex
	provider     llm.Provider
	chosen       time.Time // when provider was, in this process; zero: before
	queue        []inbox.Entry
	running      *turn
	goalStep     *goalStep // while no turn runs
	news         news
	unrecordedID string // id of the conversation whose first turn was stopped, which left no record
	compact      bool   // a compaction was asked for
	job          *job
	closed       bool
	draining     bool // no further turn begins
}

func (s *schedule) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// answering is the model that answers from the next turn on.
func (s *schedule) answering() llm.Provider {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.provider
}

// Busy says whether a turn runs, or a compaction that was asked for.
func (s *schedule) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil || s.compact
}

// Drain has the processor begin no further turn. What waits stays in the inbox, and so does what
// is still submitted: the next start takes it up.
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
		for i := range s.running.entries { // its worker changes other fields meanwhile
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
	s.news.wanted++
}

// begins says whether a message that is sent now begins a new conversation, as the user wanted.
func (s *schedule) begins() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.news.wanted > s.news.begun
}

// nextBegins says, with s.mu held, whether the next turn does: with the first message that waits,
// where one does.
func (s *schedule) nextBegins() bool {
	if len(s.queue) > 0 {
		return s.news.opens(s.queue[0])
	}
	return s.news.wanted > s.news.begun
}

// unrecorded takes note of a conversation whose first turn leaves no record: the next turn goes
// on in it all the same, and what it used counts in it.
func (s *schedule) unrecorded(t *turn) {
	if t.conv == nil || !t.began {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unrecordedID = t.conv.ID
}

// unrecordedConversation is the id of a conversation that goes on and has no record yet; empty: none does.
func (s *schedule) unrecordedConversation() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nextBegins() {
		return ""
	}
	return s.unrecordedID
}

// conversationID is that of the turn under way; empty: there is none, or it is not known yet.
func (s *schedule) conversationID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return ""
	}
	return s.running.convID
}

// free says, with s.mu held, whether the worker has nothing to do.
func (s *schedule) free() bool {
	return s.running == nil && len(s.queue) == 0 && s.goalStep == nil && !s.compact && s.job == nil
}

// conversationBegun takes note that the new conversation which was wanted is there, or will be whatever is
// sent next.
func (s *schedule) conversationBegun() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.news.begun, s.unrecordedID = s.news.wanted, ""
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

// batch says how many of the waiting messages the next turn takes together: typed ones that
// piled up; a routed one, one that is taken up again, and a plan stand alone, and no turn goes
// over into a new conversation.
func batch(queue []inbox.Entry) int {
	alone := func(e inbox.Entry) bool {
		return e.Source != event.SourceDirect || e.Retried || e.Mode != event.ModeAct || e.NewConversations != queue[0].NewConversations
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
