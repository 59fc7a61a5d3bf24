package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/conversation"
)

// The worker changes the active conversation between turns, while the caller waits.

// Errors of changes between turns.
var (
	errBusy              = errors.New("a turn is running: wait until it ends, or stop it first")
	errGoesOn            = errors.New("it has not ended: the next message continues it")
	errNothingToGoBackTo = errors.New("there is no conversation yet to go back in")
)

// endedNew is the reason of ConversationEnded for a conversation that another one replaces; endedAgent is that for one
// that the agent ended.
const (
	endedNew   = "new"
	endedAgent = "agent"
)

// alone has the worker do something between turns and waits for it. It fails unless the worker is free. A panic in it
// fails the job, not the program.
func (w *worker) alone(do func(*turn) error) error {
	done := make(chan error, 1)
	guarded := func(t *turn) (err error) {
		defer w.end(t, nil)
		defer caught(w.opt.Log, "between turns", &err)
		return do(t)
	}
	w.mu.Lock()
	if w.ctx.Err() != nil || !w.free() {
		w.mu.Unlock()
		return cmp.Or(context.Cause(w.ctx), errBusy)
	}
	w.jobs = append(w.jobs, func(t *turn) { done <- guarded(t) })
	w.mu.Unlock()
	w.wakeWorker()
	select {
	case err := <-done:
		return err
	case <-w.done:
		return errors.New("the program ended first")
	}
}

// Continue opens another conversation in place of the active one, which ends as by NewConversation. id may be a unique
// prefix. It fails while a turn runs or messages wait, and if another process has the conversation open.
func (w *worker) Continue(id string) error {
	conversations := w.opt.Conversations
	return w.alone(func(t *turn) error {
		c, err := conversations.Get(id)
		if err != nil {
			return err
		}
		before, err := conversations.Active()
		if err == nil && before != nil && before.ID == c.ID {
			return errGoesOn
		}
		if err == nil {
			_, err = conversations.Open(c.ID, time.Now())
		}
		if err != nil {
			return fmt.Errorf("the conversation could not be continued: %w", err)
		}
		w.recorded(w.nextID())
		if before != nil {
			ended, err := conversations.EndLeft(time.Now(), endedNew, func(e conversation.Entry) bool { return e.ID == before.ID })
			if err != nil {
				w.warn(t.meta(), "The conversation before could not be ended", err)
			}
			for _, c := range ended {
				w.after.ended(t.meta(), c)
			}
		}
		w.bus.Publish(event.ConversationBegan{Meta: t.meta(), ID: c.ID})
		w.step("continued")
		return nil
	})
}

// EndConversation ends the active conversation for a new one, as NewConversation does, but at once if no turn runs and no
// message waits.
func (w *worker) EndConversation() {
	w.NewConversation()
	err := w.alone(func(t *turn) error {
		c, err := w.opt.Conversations.End(t.started, endedNew)
		if err != nil {
			return err
		}
		w.recorded(w.nextID())
		if c != nil {
			w.after.ended(t.meta(), c)
		}
		return nil
	})
	if err != nil { // the next message does it
		w.opt.Log.Info("the conversation does not end at once", "why", err)
	}
}

// Fork goes back to before one of the user's messages in the active conversation: the turn with the message and all
// later ones become a branch, which Switch restores. It fails while a turn runs or messages wait.
func (w *worker) Fork(messageID string) error {
	return w.change(func(c *conversation.Conversation) error {
		i := slices.IndexFunc(c.Turns, func(t conversation.Turn) bool { return t.Holds(messageID) })
		if i < 0 {
			return fmt.Errorf("message %q is not in the conversation as it stands now", messageID)
		}
		return w.opt.Conversations.Fork(c.ID, c.Turns[i].ID)
	})
}

// Switch makes a branch, named by the ID of its last turn, the active path; what it replaces becomes a branch. It
// fails while a turn runs or messages wait.
func (w *worker) Switch(branchID string) error {
	return w.change(func(c *conversation.Conversation) error {
		return w.opt.Conversations.Switch(c.ID, branchID)
	})
}

// LeaveQuestion drops the open question of the active conversation: the user will not answer it, and a plan that asks is
// not carried out. It fails while a turn runs or messages wait.
func (w *worker) LeaveQuestion() error {
	return w.change(func(c *conversation.Conversation) error {
		q, err := w.opt.Conversations.DropQuestion(c.ID)
		if q != nil && err == nil {
			w.bus.Publish(event.QuestionDropped{Meta: event.Meta{Time: time.Now()}, ConversationID: c.ID, Question: q.Question, Left: true})
		}
		return err
	})
}

// change changes the active conversation between turns.
func (w *worker) change(do func(*conversation.Conversation) error) error {
	return w.alone(func(*turn) error {
		c, err := w.opt.Conversations.Active()
		switch {
		case err != nil:
			return fmt.Errorf("the conversation could not be opened: %w", err)
		case c == nil:
			return errNothingToGoBackTo
		case w.nextID() != "":
			return errors.New("the next message begins a new conversation: the one before is over")
		}
		return do(c)
	})
}

// nothingToCompact answers Compact if the conversation is new, or nothing was said since it was last compacted.
const nothingToCompact = "There is nothing to compact yet."

// Compact replaces the active conversation so far by a summary for the model, as soon as no turn runs. The result is
// a Compacted, a CompactFailed or a Notice event. Stop cancels it. It returns an error if the program is ending.
func (w *worker) Compact() error {
	if w.ctx.Err() != nil {
		return errShutdown
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs = append(w.jobs, w.compactJob)
	w.wakeWorker()
	return nil
}

// compactJob does what Compact promises.
func (w *worker) compactJob(t *turn) {
	last, err := w.compactActive(t)
	if err != nil && last == nil {
		failed := event.CompactFailed{Meta: t.meta()}
		if t.ctx.Err() == nil { // else it was stopped, or the program ends
			w.opt.Log.Error("compaction failed", "error", err)
			failed.Text = err.Error()
		}
		last = failed
	}
	w.end(t, last)
}

// compactActive compacts the active conversation and returns the last event, which is to be published when the worker is
// free again; nil if there is none.
func (w *worker) compactActive(t *turn) (last event.Event, err error) {
	defer caught(w.opt.Log, "compaction", &err)
	conv, err := w.opt.Conversations.Active()
	if err != nil {
		return nil, fmt.Errorf("the conversation could not be opened: %w", err)
	}
	if conv == nil || w.nextID() != "" || conv.Compacted() == len(conv.Turns) {
		return event.Notice{Meta: t.meta(), Text: nothingToCompact}, nil
	}
	past := history.Of(w.sendable(conv))
	if n := len(past); n == 0 || past[n-1].Summary != "" {
		return event.Notice{Meta: t.meta(), Text: nothingToCompact}, nil
	}
	w.entered(t, conv, conv.ID, false)
	t.provider = w.answering()
	w.opt.Ready(t.ctx)
	r := newRun(w.agentFor(t.provider), Task{
		Past: past, Purpose: llm.PurposeCompact, Tools: w.opt.Tools,
		Meter: w.accounts.Meter(conv.ID), host: w, of: t,
		Emit: func(e event.Event) {
			switch e.(type) {
			case event.StateChanged, event.Retry: // only turns have states
			case event.Compacted, event.CompactFailed:
				last = e
			default:
				w.bus.Publish(e)
			}
		},
	})
	err = r.view.compactTurns(t.ctx, len(past), r.view.room(), 0)
	return last, err
}

// recordSummary records a summary of the turns up to one. If it cannot be recorded, a running turn uses it anyway.
func (w *worker) recordSummary(t *turn, through, summary string) error {
	err := w.opt.Conversations.Compact(t.conv.ID, conversation.Compaction{Through: through, Summary: summary, Time: time.Now()})
	if err == nil {
		w.step("compacted")
		return nil
	}
	err = fmt.Errorf("the summary could not be recorded in the conversation: %w", err)
	if len(t.entries) == 0 { // it was asked for: there is nothing else to do
		return err
	}
	w.warn(t.meta(), "The next turn will need another summary", err)
	return nil
}
