package spend

import (
	"errors"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// Meter counts the model calls of a conversation, in and beside its turns. What it counted is on
// disk when it returns, so that nothing is lost with the process; what cannot be written is
// written with the next call, or by Flush.
func (l *Ledger) Meter(conversation string) func(llm.Usage) (inConversation, inDay event.Totals) {
	return func(u llm.Usage) (inConversation, inDay event.Totals) {
		now := time.Now()
		inConversation, inDay = l.Count(conversation, u, now)
		l.Flush(event.Meta{Time: now})
		return inConversation, inDay
	}
}

// Update brings the totals up to date before a turn's model calls are counted.
func (l *Ledger) Update(m event.Meta) { l.tell(m, l.Refresh()) }

// Flush writes down what was counted and is not on disk yet.
func (l *Ledger) Flush(m event.Meta) { l.tell(m, l.Save()) }

// Look brings the totals up to date for somebody who asks for them. What was set aside is told, and no
// error.
func (l *Ledger) Look() error {
	err := l.Refresh()
	if errors.Is(err, ErrAside) {
		l.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: err.Error()})
		return nil
	}
	return err
}

func (l *Ledger) tell(m event.Meta, err error) {
	if err == nil {
		return
	}
	l.Log.Error("usage not counted", "error", err)
	l.mu.Lock()
	told := l.told
	l.told = true
	l.mu.Unlock()
	if !told || errors.Is(err, ErrAside) {
		l.Publish(event.Notice{Meta: m, Text: err.Error()})
	}
}
