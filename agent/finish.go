package agent

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/pending"
	"chatvault/internal/base/text"
)

// KindInternal is the code of a turn that failed for a reason other than a model call.
const KindInternal llm.Kind = "internal_error"

// finish ends a turn one of four ways: done, stopped by the user, cut by the end of the program, or failed. It notifies the
// messages' source, records the turn in its conversation, updates the goal, the notes for later turns and the inbox, and
// publishes the last event.
func (w *worker) finish(t *turn, out Outcome, err error) {
	if err == nil {
		w.keepAnswer(t, out.Messages)
	}
	w.goals.turnEnded(t, out, err)
	if w.opt.TurnEnded != nil && (err == nil || !t.cutBy(errShutdown)) {
		w.opt.TurnEnded(t.id)
	}
	switch {
	case err == nil:
		w.end(t, w.succeeded(t, out))
	case t.cutBy(errStopped):
		w.end(t, w.stopped(t, out))
	case t.cutBy(errShutdown): // the inbox keeps the messages for the next start
		if err := w.markEnded(t, out, inbox.EndedFirst); err != nil {
			w.opt.Log.Error("inbox entry not brought up to date", "turn", t.id, "error", err)
		}
		w.end(t, event.TurnStopped{Meta: t.meta(), MessageIDs: t.messageIDs(), Changed: out.Changes})
	default:
		w.end(t, w.failed(t, out, err))
	}
}

// end frees the worker and publishes the last event of a turn or job, if it has one: a subscriber that answers the event
// with another message finds nothing running.
func (w *worker) end(t *turn, last event.Event) {
	w.mu.Lock()
	w.running = nil
	tooLate := w.goals.due() && !t.halted && t.cutBy(errStopped) // what was to be stopped had ended
	w.mu.Unlock()
	if tooLate {
		w.goals.update(func(r goal.Run) goal.Run { return r.Pause(goal.WhyStopped, time.Now()) })
	}
	if last != nil {
		w.bus.Publish(last)
	}
}

// succeeded notifies the source, records the turn, and removes the inbox entries.
func (w *worker) succeeded(t *turn, out Outcome) event.Event {
	result := event.Result{
		Success: true, MessageID: t.id, Response: out.Response, ToolsUsed: out.ToolsUsed,
		IsWaitingForResponse: out.Question != "", StopReason: out.Reason,
	}
	finished := event.TurnFinished{Meta: t.meta(), Result: result}
	if t.answered {
		w.notice(t.meta(), "This message was answered before; the answer is in its conversation.")
		w.clean(t)
		return finished
	}
	finished.ConversationID = t.conv.ID
	told := result
	if strings.TrimSpace(out.Response) == strings.TrimSpace(out.Question) {
		told.Response = "" // the source got the question when it was asked
	}
	w.tellSource(t, told)
	w.step("notified")
	if err := w.record(t, out, ""); err != nil {
		w.warn(t.meta(), "The answer could not be recorded in the conversation, so its message stays in the inbox", err)
		// The disk probably fails here too; the entry is unchanged then.
		_ = w.markEnded(t, out, "it was answered, but the answer could not be recorded")
		finished.Unrecorded = true
		return finished
	}
	w.step("recorded")
	if out.ends() {
		if c, err := w.opt.Conversations.Get(t.conv.ID); err != nil {
			w.warn(t.meta(), "The ended conversation could not be read", err)
		} else {
			w.after.ended(t.meta(), c)
		}
	}
	if len(t.notes.Stops)+len(t.notes.Undos) > 0 { // the model knows of them, and they are on record
		if err := pending.Change(w.opt.Root, func(n *pending.Notes) { n.Forget(t.notes) }); err != nil {
			w.opt.Log.Warn("stops and undos are told again", "conversation", t.conv.ID, "error", err)
		}
	}
	w.clean(t)
	return finished
}

// failed notifies the source, records the failure, and keeps the inbox entries for a retry.
func (w *worker) failed(t *turn, out Outcome, err error) event.Event {
	if e, ok := errors.AsType[*llm.Error](err); ok && t.conv != nil && len(t.conv.Turns) == 0 {
		first := *e
		first.First, err = true, &first
	}
	code, text := failureText(err)
	w.opt.Log.Error("turn failed", "turn", t.id, "code", code, "error", err)
	w.tellSource(t, event.Result{MessageID: t.id, ToolsUsed: out.ToolsUsed, Error: text})
	if t.conv != nil {
		if err := w.record(t, out, text); err != nil {
			w.warn(t.meta(), "The failed turn could not be recorded", err)
		}
	}
	if err := w.markEnded(t, out, text); err != nil {
		w.warn(t.meta(), "The inbox entry could not be updated", err)
	}
	return event.TurnFailed{Meta: t.meta(), MessageIDs: t.messageIDs(), Code: code, Text: text}
}

// failureText returns the code of an error and its text for the user.
func failureText(err error) (code llm.Kind, text string) {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e.Kind, cmp.Or(llm.UserText(e), err.Error())
	}
	return KindInternal, err.Error()
}

// stopped records nothing in the conversation; the next turn's model learns of the stop.
func (w *worker) stopped(t *turn, out Outcome) event.Event {
	s := history.StopOf(strings.Join(text.Of(t.entries, func(e inbox.Entry) string { return e.Text }), "\n\n"), out.Messages, out.Partial, out.Changes)
	if t.conv != nil {
		s.Conversation = t.conv.ID
	}
	if err := pending.Change(w.opt.Root, func(n *pending.Notes) { n.AddStop(s) }); err != nil {
		w.warn(t.meta(), "The stop could not be recorded for the next turn", err)
	}
	w.tellSource(t, event.Result{Success: true, MessageID: t.id, Stopped: true})
	w.clean(t)
	return event.TurnStopped{Meta: t.meta(), MessageIDs: t.messageIDs(), Changed: out.Changes}
}

// markEnded records in the inbox entries that the turn did not end with the process, and why they are kept.
func (w *worker) markEnded(t *turn, out Outcome, why string) error {
	return w.in.mark(t, false, func(e *inbox.Entry) {
		e.Deaths, e.LastError, e.Changes = 0, why, e.With(out.Changes)
		e.Reported = w.opt.Reports && why != inbox.EndedFirst
	})
}

// record writes the turn into its conversation. failure is the error of a failed turn.
func (w *worker) record(t *turn, out Outcome, failure string) error {
	if n := len(t.messages); out.Told != "" && n > 0 {
		t.messages[n-1].Context = text.Join("\n", t.messages[n-1].Context, out.Told)
	}
	turn := out.Turn
	turn.ID, turn.Started, turn.Ended = t.id, t.started, time.Now()
	turn.Provider = cmp.Or(out.Provider, w.providerOrder(t.provider)[0].Name())
	turn.Messages, turn.Ends, turn.Mode = slices.Concat(t.messages, out.Messages), out.ends(), t.plan.mode()
	turn.Failed, turn.Error = failure != "", failure
	err := w.opt.Conversations.Append(t.conv.ID, turn)
	if err == nil {
		w.recorded(t.conv.ID)
		w.goals.bind(t)
	}
	return err
}

// clean removes the inbox entries of a turn that needs no retry.
func (w *worker) clean(t *turn) {
	for _, e := range t.entries {
		if err := w.in.inbox.Remove(e.ID); err != nil {
			w.warn(t.meta(), "A finished message could not be removed from the inbox", err)
		}
		w.step("removed")
	}
}

// tellSource reports a turn's result to the source of its messages.
func (w *worker) tellSource(t *turn, r event.Result) {
	for _, e := range t.entries {
		w.report(e.Inbound, event.TurnFinished{Meta: t.meta(), Result: r})
	}
}
