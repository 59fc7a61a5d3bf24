package agent

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/pending"
	"chatvault/conversation"
	"chatvault/internal/text"
)

// KindInternal is the code of a turn that failed for a reason other than a model call.
const KindInternal llm.Kind = "internal_error"

// finish ends a turn one of four ways: stopped by the user, cut by the end of the program,
// failed, or done.
func (p *Processor) finish(t *turn, out Outcome, err error) {
	if t.keep != nil && err == nil {
		t.keep.answer(out.Record)
	}
	p.goalTurn(t, out, err)
	if p.opt.TurnEnded != nil && (err == nil || !t.cutBy(errShutdown)) {
		p.opt.TurnEnded(t.id)
	}
	switch {
	case err == nil:
		p.succeeded(t, out)
	case t.cutBy(errStopped):
		p.stopped(t, out)
	case t.cutBy(errShutdown): // the inbox keeps the messages for the next start
		if err := p.markEnded(t, out, inbox.EndedFirst); err != nil {
			p.opt.Log.Error("inbox entry not brought up to date", "turn", t.id, "error", err)
		}
		p.end(event.TurnStopped{Meta: t.meta(), MessageIDs: t.messageIDs(), Changed: out.Changes})
	default:
		p.failed(t, out, err)
	}
}

// succeeded: notify, record, end the inbox entries.
func (p *Processor) succeeded(t *turn, out Outcome) {
	result := event.Result{
		Success: true, MessageID: t.id, Response: out.Response, ToolsUsed: out.ToolsUsed,
		IsWaitingForResponse: out.Question != "", StopReason: out.Reason,
	}
	finished := event.TurnFinished{Meta: t.meta(), Result: result}
	if t.answered {
		p.bus.Publish(event.Notice{Meta: t.meta(), Text: "This message was answered before; the answer is in its conversation."})
		p.clean(t)
		p.end(finished)
		return
	}
	finished.ConversationID = t.conv.ID
	p.notify(t, result)
	p.step("notified")
	if out.ends() && p.opt.Retrospection { // recording the turn ends the conversation
		p.oweRetrospection(t.conv.ID)
	}
	if err := p.record(t, out, ""); err != nil {
		p.warn(t.meta(), "The answer could not be recorded in the conversation, so its message stays in the inbox", err)
		// The disk probably fails here too; the entry is unchanged then.
		_ = p.markEnded(t, out, "it was answered, but the answer could not be recorded")
		finished.Unrecorded = true
		p.end(finished)
		return
	}
	p.step("recorded")
	p.endByAgent(t, out)
	p.forgetNotes(t)
	p.clean(t)
	p.end(finished)
}

// failed: notify, record and mark; the inbox entries stay for a retry.
func (p *Processor) failed(t *turn, out Outcome, err error) {
	if e, ok := errors.AsType[*llm.Error](err); ok && t.conv != nil && len(t.conv.Turns) == 0 {
		first := *e
		first.First, err = true, &first
	}
	code, text := failureText(err)
	p.opt.Log.Error("turn failed", "turn", t.id, "code", code, "error", err)
	p.notify(t, event.Result{MessageID: t.id, ToolsUsed: out.ToolsUsed, Error: text})
	if t.conv != nil {
		if err := p.record(t, out, text); err != nil {
			p.warn(t.meta(), "The failed turn could not be recorded", err)
		}
	}
	if err := p.markEnded(t, out, text); err != nil {
		p.warn(t.meta(), "The inbox entry could not be updated", err)
	}
	p.end(event.TurnFailed{Meta: t.meta(), MessageIDs: t.messageIDs(), Code: code, Text: text})
}

// failureText returns the code of an error and its text for the user.
func failureText(err error) (code llm.Kind, text string) {
	code, text = KindInternal, err.Error()
	if e, ok := errors.AsType[*llm.Error](err); ok {
		code = e.Kind
		if s := llm.UserText(e); s != "" {
			text = s
		}
	}
	return code, text
}

// stopped records nothing in the conversation; the next turn's model learns of it.
func (p *Processor) stopped(t *turn, out Outcome) {
	err := pending.Change(p.opt.Root, func(n *pending.Notes) {
		s := history.StopOf(t.text(), out.Record, out.Partial, out.Changes)
		if t.conv != nil {
			s.Conversation = t.conv.ID
		}
		n.AddStop(s)
	})
	if err != nil {
		p.warn(t.meta(), "The stop could not be recorded for the next turn", err)
	}
	p.notify(t, event.Result{Success: true, MessageID: t.id, Stopped: true})
	p.clean(t)
	p.end(event.TurnStopped{Meta: t.meta(), MessageIDs: t.messageIDs(), Changed: out.Changes})
}

// markEnded records in the inbox entries that the turn ended in order, and why they are kept.
func (p *Processor) markEnded(t *turn, out Outcome, why string) error {
	return p.mark(t, false, func(e *inbox.Entry) {
		e.Deaths, e.LastError, e.Changes = 0, why, e.With(out.Changes)
		e.Reported = p.opt.Reports && why != inbox.EndedFirst
	})
}

// end publishes a turn's last event, when the processor is free again: who answers it with
// another message finds nothing running.
func (p *Processor) end(last event.Event) {
	p.accounts.Flush(last.Header())
	p.mu.Lock()
	ended := p.running
	p.running = nil
	p.planGoalStep(ended)
	p.mu.Unlock()
	p.bus.Publish(last)
}

func (p *Processor) record(t *turn, out Outcome, failure string) error {
	provider := cmp.Or(out.Provider, p.providerOrder(t)[0].Name())
	if n := len(t.messages); out.Told != "" && n > 0 {
		t.messages[n-1].Context = joinLines(t.messages[n-1].Context, out.Told)
	}
	err := p.opt.Conversations.Append(t.conv.ID, conversation.Turn{
		ID: t.id, Started: t.started, Ended: time.Now(), Provider: provider,
		Messages: slices.Concat(t.messages, out.Record), ToolsUsed: out.ToolsUsed,
		Question: out.Question, Options: out.Options, Plan: out.Plan, Ends: out.ends(), Mode: t.plan.mode(), Failed: failure != "", Error: failure, Reported: failure != "" && p.opt.Reports,
		Unsealed: out.Unsealed, Shortened: out.Shortened,
	})
	if err == nil {
		p.recorded(t.conv.ID)
		p.bindGoal(t)
	}
	return err
}

// clean removes the inbox entries of a turn that needs no retry.
func (p *Processor) clean(t *turn) {
	for _, e := range t.entries {
		if err := p.inbox.Remove(e.ID); err != nil {
			p.warn(t.meta(), "A finished message could not be removed from the inbox", err)
		}
		p.step("removed")
	}
}

// forgetNotes removes the notes that the turn's model was told of, which are on record now.
func (p *Processor) forgetNotes(t *turn) {
	if len(t.notes.Stops)+len(t.notes.Undos) > 0 {
		p.note("stops and undos told", t.conv.ID, func(n *pending.Notes) { n.Forget(t.notes) })
	}
}

// notify reports the result to the messages' source.
func (p *Processor) notify(t *turn, r event.Result) {
	for _, e := range t.entries {
		p.notifyOf(t.meta(), e.Inbound, r)
	}
}

// notifyOf reports a message's result to its source. A panic there does not fail the turn.
func (p *Processor) notifyOf(m event.Meta, in event.Inbound, r event.Result) {
	if p.opt.Notify == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			p.warn(m, "The message's source could not be told how it ended", panicked(p.opt.Log, in.ID, v))
		}
	}()
	p.opt.Notify(in, r)
}

// warn logs and publishes an internal failure that does not fail the turn.
func (p *Processor) warn(m event.Meta, what string, err error) {
	p.opt.Log.Error(what, "turn", m.TurnID, "error", err)
	p.bus.Publish(event.Notice{Meta: m, Text: fmt.Sprintf("%s: %v", what, err)})
}

func (t *turn) text() string {
	return strings.Join(text.Of(t.entries, func(e inbox.Entry) string { return e.Text }), "\n\n")
}
