package smarthole

import (
	"context"
	"strings"

	"chatvault/agent/event"
	"chatvault/internal/base/failpoint"
)

// watch follows the processor's events and sends the messages of routed turns.
func (s *Source) watch(events *event.Subscription, done chan<- struct{}) {
	defer close(done)
	defer s.contain(func() {})
	w := watcher{routed: map[string]string{}}
	for {
		batch, err := events.Next(context.Background())
		if err != nil {
			return
		}
		failpoint.Pass("round smarthole watch")
		for _, e := range batch {
			for _, k := range w.take(e) {
				k.What.Title = s.opt.Title
				s.store(k)
			}
			if ended(e) {
				s.settle(e, w.question)
				w.question = ""
			}
		}
	}
}

// settle releases the notification of a turn's end, unless it repeats the question that was sent.
func (s *Source) settle(e event.Event, question string) {
	f, ok := e.(event.TurnFinished)
	told := ok && question != "" && strings.TrimSpace(f.Response) == strings.TrimSpace(question)
	s.ledger.settle(endKey(e.Header().TurnID), told)
	s.wake.send()
}

func ended(e event.Event) bool {
	switch e.(type) {
	case event.TurnFinished, event.TurnFailed, event.TurnStopped:
		return true
	}
	return false
}

// watcher tracks the routed messages of the running turn.
type watcher struct {
	routed   map[string]string // SmartHole's ids by those in the inbox
	question string            // the last question of the running turn
}

// take returns the notifications about an event.
func (w *watcher) take(e event.Event) []kept {
	switch e := e.(type) {
	case event.Received:
		if id := e.Message.Metadata[MetaID]; e.Message.Source == event.SourceWebSocket && id != "" {
			w.routed[e.Message.ID] = id
		}
	case event.AgentMessage:
		id := w.routed[e.TurnID]
		if id == "" || strings.TrimSpace(e.Content) == "" {
			return nil
		}
		n := Notification{Body: e.Content, Priority: Normal}
		if e.IsQuestion {
			n.Priority, w.question = High, e.Content
			for i, o := range e.Options {
				n.Body += "\n" + string(rune('1'+i%9)) + ". " + o
			}
		}
		n.Body = shorten(n.Body)
		return []kept{{MessageID: id, What: n}}
	case event.Requested:
		id := w.routed[e.TurnID]
		if id == "" || e.Request.Kind != event.RequestApproval {
			return nil
		}
		return []kept{{MessageID: id, What: Notification{
			Priority: High, Body: "Not done, because it needs your consent in the chat: " + string(e.Request.Change.Kind) + " " + e.Request.Change.Subject(),
		}}}
	}
	if ended(e) {
		delete(w.routed, e.Header().TurnID)
	}
	return nil
}
