package spend

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/llm"
)

// Accounts are a ledger whose failures are told: they fail no turn, and what cannot be written now may
// be later.
type Accounts struct {
	*Ledger
	Publish func(event.Event)
	Log     *slog.Logger

	mu   sync.Mutex
	told bool // that it cannot be counted
}

// Meter counts the model calls of a conversation, in and beside its turns. What it counted is on
// disk when it returns, so that nothing is lost with the process; what cannot be written is
// written with the next call, or by Flush.
func (a *Accounts) Meter(conversation string) func(llm.Usage) (inConversation, inDay event.Totals) {
	return func(u llm.Usage) (inConversation, inDay event.Totals) {
		now := time.Now()
		inConversation, inDay = a.Count(conversation, u, now)
		a.Flush(event.Meta{Time: now})
		return inConversation, inDay
	}
}

// Update brings the totals up to date before a turn's model calls are counted.
func (a *Accounts) Update(m event.Meta) { a.tell(m, a.Refresh()) }

// Flush writes down what was counted and is not on disk yet.
func (a *Accounts) Flush(m event.Meta) { a.tell(m, a.Save()) }

// Look brings the totals up to date for somebody who asks for them. What was set aside is told, and no
// error.
func (a *Accounts) Look() error {
	err := a.Refresh()
	if errors.Is(err, ErrAside) {
		a.Publish(event.Notice{Meta: event.Meta{Time: time.Now()}, Text: err.Error()})
		return nil
	}
	return err
}

func (a *Accounts) tell(m event.Meta, err error) {
	if err == nil {
		return
	}
	a.Log.Error("usage not counted", "error", err)
	a.mu.Lock()
	told := a.told
	a.told = true
	a.mu.Unlock()
	if !told || errors.Is(err, ErrAside) {
		a.Publish(event.Notice{Meta: m, Text: err.Error()})
	}
}
