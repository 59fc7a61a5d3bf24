package agent

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/pending"
	"chatvault/internal/base/text"
)

// KindInternal is the code of a turn that failed for a reason other than a model call.
const KindInternal llm.Kind = "internal_error"

// finisher ends turns: it notifies the messages' source, records the turn in its conversation, updates the goal, the
// notes for later turns and the inbox, and publishes the last event.
type finisher struct {
	*core
	in    *intake
	goals *goals
	after *background
}

// turn ends a turn one of four ways: done, stopped by the user, cut by the end of the program, or failed.
func (f *finisher) turn(t *turn, out Outcome, err error) {
	if err == nil {
		f.keepAnswer(t, out.Messages)
	}
	f.goals.turnEnded(t, out, err)
	if f.opt.TurnEnded != nil && (err == nil || !t.cutBy(errShutdown)) {
		f.opt.TurnEnded(t.id)
	}
	switch {
	case err == nil:
		f.end(t, f.succeeded(t, out))
	case t.cutBy(errStopped):
		f.end(t, f.stopped(t, out))
	case t.cutBy(errShutdown): // the inbox keeps the messages for the next start
		if err := f.markEnded(t, out, inbox.EndedFirst); err != nil {
			f.opt.Log.Error("inbox entry not brought up to date", "turn", t.id, "error", err)
		}
		f.end(t, event.TurnStopped{Meta: t.meta(), MessageIDs: t.messageIDs(), Changed: out.Changes})
	default:
		f.end(t, f.failed(t, out, err))
	}
}

// end frees the worker and publishes the last event of a turn or job, if it has one: a subscriber that answers the event
// with another message finds nothing running.
func (f *finisher) end(t *turn, last event.Event) {
	f.accounts.Flush(t.meta())
	f.mu.Lock()
	f.running = nil
	f.goals.plan(t)
	f.mu.Unlock()
	if last != nil {
		f.bus.Publish(last)
	}
}

// succeeded notifies the source, records the turn, and removes the inbox entries.
func (f *finisher) succeeded(t *turn, out Outcome) event.Event {
	result := event.Result{
		Success: true, MessageID: t.id, Response: out.Response, ToolsUsed: out.ToolsUsed,
		IsWaitingForResponse: out.Question != "", StopReason: out.Reason,
	}
	finished := event.TurnFinished{Meta: t.meta(), Result: result}
	if t.answered {
		f.notice(t.meta(), "This message was answered before; the answer is in its conversation.")
		f.clean(t)
		return finished
	}
	finished.ConversationID = t.conv.ID
	told := result
	if strings.TrimSpace(out.Response) == strings.TrimSpace(out.Question) {
		told.Response = "" // the source got the question when it was asked
	}
	f.tellSource(t, told)
	f.step("notified")
	if out.ends() && f.opt.Retrospection { // recording the turn ends the conversation
		f.after.oweReview(t.conv.ID)
	}
	if err := f.record(t, out, ""); err != nil {
		f.warn(t.meta(), "The answer could not be recorded in the conversation, so its message stays in the inbox", err)
		// The disk probably fails here too; the entry is unchanged then.
		_ = f.markEnded(t, out, "it was answered, but the answer could not be recorded")
		finished.Unrecorded = true
		return finished
	}
	f.step("recorded")
	if out.ends() {
		if c, err := f.opt.Conversations.Get(t.conv.ID); err != nil {
			f.warn(t.meta(), "The ended conversation could not be read", err)
		} else {
			f.after.ended(t.meta(), c)
		}
	}
	if len(t.notes.Stops)+len(t.notes.Undos) > 0 { // the model knows of them, and they are on record
		f.note("stops and undos told", t.conv.ID, func(n *pending.Notes) { n.Forget(t.notes) })
	}
	f.clean(t)
	return finished
}

// failed notifies the source, records the failure, and keeps the inbox entries for a retry.
func (f *finisher) failed(t *turn, out Outcome, err error) event.Event {
	if e, ok := errors.AsType[*llm.Error](err); ok && t.conv != nil && len(t.conv.Turns) == 0 {
		first := *e
		first.First, err = true, &first
	}
	code, text := failureText(err)
	f.opt.Log.Error("turn failed", "turn", t.id, "code", code, "error", err)
	f.tellSource(t, event.Result{MessageID: t.id, ToolsUsed: out.ToolsUsed, Error: text})
	if t.conv != nil {
		if err := f.record(t, out, text); err != nil {
			f.warn(t.meta(), "The failed turn could not be recorded", err)
		}
	}
	if err := f.markEnded(t, out, text); err != nil {
		f.warn(t.meta(), "The inbox entry could not be updated", err)
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
func (f *finisher) stopped(t *turn, out Outcome) event.Event {
	s := history.StopOf(strings.Join(text.Of(t.entries, func(e inbox.Entry) string { return e.Text }), "\n\n"), out.Messages, out.Partial, out.Changes)
	if t.conv != nil {
		s.Conversation = t.conv.ID
	}
	if err := pending.Change(f.opt.Root, func(n *pending.Notes) { n.AddStop(s) }); err != nil {
		f.warn(t.meta(), "The stop could not be recorded for the next turn", err)
	}
	f.tellSource(t, event.Result{Success: true, MessageID: t.id, Stopped: true})
	f.clean(t)
	return event.TurnStopped{Meta: t.meta(), MessageIDs: t.messageIDs(), Changed: out.Changes}
}

// markEnded records in the inbox entries that the turn did not end with the process, and why they are kept.
func (f *finisher) markEnded(t *turn, out Outcome, why string) error {
	return f.in.mark(t, false, func(e *inbox.Entry) {
		e.Deaths, e.LastError, e.Changes = 0, why, e.With(out.Changes)
		e.Reported = f.opt.Reports && why != inbox.EndedFirst
	})
}

// record writes the turn into its conversation. failure is the error of a failed turn.
func (f *finisher) record(t *turn, out Outcome, failure string) error {
	if n := len(t.messages); out.Told != "" && n > 0 {
		t.messages[n-1].Context = joinLines(t.messages[n-1].Context, out.Told)
	}
	turn := out.Turn
	turn.ID, turn.Started, turn.Ended = t.id, t.started, time.Now()
	turn.Provider = cmp.Or(out.Provider, f.providerOrder(t.provider)[0].Name())
	turn.Messages, turn.Ends, turn.Mode = slices.Concat(t.messages, out.Messages), out.ends(), t.plan.mode()
	turn.Failed, turn.Error, turn.Reported = failure != "", failure, failure != "" && f.opt.Reports
	err := f.opt.Conversations.Append(t.conv.ID, turn)
	if err == nil {
		f.recorded(t.conv.ID)
		f.goals.bind(t)
	}
	return err
}

// clean removes the inbox entries of a turn that needs no retry.
func (f *finisher) clean(t *turn) {
	for _, e := range t.entries {
		if err := f.in.inbox.Remove(e.ID); err != nil {
			f.warn(t.meta(), "A finished message could not be removed from the inbox", err)
		}
		f.step("removed")
	}
}

// tellSource reports a turn's result to the source of its messages.
func (f *finisher) tellSource(t *turn, r event.Result) {
	for _, e := range t.entries {
		f.report(e.Inbound, event.TurnFinished{Meta: t.meta(), Result: r})
	}
}
