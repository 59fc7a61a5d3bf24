package event

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned when a Subscription has ended.
var ErrClosed = errors.New("agent: subscription closed")

// Subscription is a subscriber's queue. Publishing never blocks: adjacent deltas of one kind and turn are merged
// while they wait; other events are kept in order.
type Subscription struct {
	bus *Bus

	mu     sync.Mutex
	queue  []Event
	ready  chan struct{} // holds one token while there is something to take
	closed bool
}

// Next waits for at least one event and returns all that are queued. When the subscription or the processor is closed and
// the queue is empty, it returns ErrClosed; when ctx ends, its error.
func (s *Subscription) Next(ctx context.Context) ([]Event, error) {
	for {
		s.mu.Lock()
		events := s.queue
		s.queue = nil
		closed := s.closed
		s.mu.Unlock()
		switch {
		case len(events) > 0:
			return events, nil
		case closed:
			s.signal() // wakes another waiting caller
			return nil, ErrClosed
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close ends the subscription. Queued events can still be taken.
func (s *Subscription) Close() {
	s.bus.mu.Lock()
	delete(s.bus.subs, s)
	s.bus.mu.Unlock()
	s.shut()
}

func (s *Subscription) shut() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.signal()
}

func (s *Subscription) put(e Event) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	if n := len(s.queue); n > 0 {
		if both, ok := merged(s.queue[n-1], e); ok {
			s.queue, e = s.queue[:n-1], both
		}
	}
	s.queue = append(s.queue, e)
	s.mu.Unlock()
	s.signal()
}

// mostMerged is the length in bytes from which a text is not merged further, so that merging takes linear time.
const mostMerged = 16 << 10

// merged merges two adjacent events if possible.
func merged(last, next Event) (Event, bool) {
	switch d := next.(type) {
	case TextDelta:
		l, ok := last.(TextDelta)
		ok = ok && l.TurnID == d.TurnID && len(l.Text) < mostMerged
		return TextDelta{l.Meta, l.Text + d.Text}, ok
	case ReasoningDelta:
		l, ok := last.(ReasoningDelta)
		ok = ok && l.TurnID == d.TurnID && len(l.Text) < mostMerged
		return ReasoningDelta{l.Meta, l.Text + d.Text}, ok
	case ToolCallDelta: // the newest one includes the one before
		l, ok := last.(ToolCallDelta)
		return d, ok && l.TurnID == d.TurnID && l.ID == d.ID
	case PromptRead:
		l, ok := last.(PromptRead)
		return d, ok && l.TurnID == d.TurnID
	case RetrospectionDelta:
		l, ok := last.(RetrospectionDelta)
		d.Text = l.Text + d.Text
		return d, ok && l.ConversationID == d.ConversationID
	}
	return nil, false
}

func (s *Subscription) signal() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// Bus delivers every event to every subscription.
type Bus struct {
	mu     sync.Mutex
	subs   map[*Subscription]struct{} // nil before the first subscription
	early  []Event                    // notices before it
	closed bool
}

// Subscribe returns a subscription to all events from now on; the first also gets the notices before. It is closed if the
// bus is.
func (b *Bus) Subscribe() *Subscription {
	s := &Subscription{bus: b, ready: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		s.closed = true
		return s
	}
	if b.subs == nil {
		b.subs = map[*Subscription]struct{}{}
		s.queue, b.early = b.early, nil
		s.signal()
	}
	b.subs[s] = struct{}{}
	return s
}

// Publish queues an event for every subscription. It never blocks.
func (b *Bus) Publish(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, isNotice := e.(Notice); isNotice && b.subs == nil && !b.closed {
		b.early = append(b.early, e)
	}
	for s := range b.subs {
		s.put(e)
	}
}

// Close ends all subscriptions. Queued events can still be taken.
func (b *Bus) Close() {
	b.mu.Lock()
	subs := b.subs
	b.subs, b.closed = nil, true
	b.mu.Unlock()
	for s := range subs {
		s.shut()
	}
}
