package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/goal"
	"chatvault/agent/history"
	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/pending"
	"chatvault/agent/prompts"
	"chatvault/agent/typed"
	"chatvault/conversation"
	"chatvault/internal/base/failpoint"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// turn is a unit of work: one message, several that piled up, or a job between turns. The intake hands it to the worker.
type turn struct {
	id       string
	entries  []inbox.Entry
	job      func(*turn) // instead of messages
	started  time.Time
	ctx      context.Context
	cancel   context.CancelCauseFunc
	provider llm.Provider

	conv     *conversation.Conversation // at the start of the turn; set with the schedule's lock
	messages []conversation.Message     // the user's
	answered bool                       // it is on record already
	plan     planStep
	setGoal  bool           // it begins with a goal that was just set, which answers no question
	goal     goal.Run       // worked toward when it began
	toward   goal.Run       // of a step toward it, at the start
	halted   bool           // the goal knows that it was stopped
	tools    []prompts.Tool // as the prompts show them
	notes    pending.Notes  // in the prompt
	compact  bool           // it has the compact prompt
}

func (t *turn) meta() event.Meta { return event.Meta{TurnID: t.id, Time: time.Now()} }

func (t *turn) messageIDs() []string {
	return text.Of(t.entries, func(e inbox.Entry) string { return e.ID })
}

// cutBy reports whether the turn was canceled with a cause.
func (t *turn) cutBy(cause error) bool { return errors.Is(context.Cause(t.ctx), cause) }

// answerable reports whether the user may decide for the turn. The sender of a routed message may not.
func (t *turn) answerable() bool {
	return len(t.entries) > 0 && (t.entries[0].Source == event.SourceDirect || t.entries[0].Source == event.SourceGoal)
}

// worker runs the accepted messages as turns, one at a time.
type worker struct {
	*core
	in    *intake
	goals *goals
	after *background
	asks  *consents
}

func newWorker(in *intake, g *goals, after *background) *worker {
	return &worker{core: in.core, in: in, goals: g, after: after, asks: &consents{core: in.core, mode: in.opt.Approval}}
}

// work runs turns and jobs until the processor is closed.
func (w *worker) work() {
	defer close(w.done)
	for {
		t := w.next()
		if t == nil {
			t = w.nextStep()
		}
		if t == nil {
			poke(w.tasksWake)
			select {
			case <-w.wake:
				continue
			case <-w.ctx.Done():
				return
			}
		}
		failpoint.Pass("round agent worker")
		if t.job != nil {
			t.job(t)
		} else {
			w.process(t)
		}
		t.cancel(nil)
	}
}

// process runs a turn. A panic in it fails the turn, not the program.
func (w *worker) process(t *turn) {
	t.provider = w.answering()
	w.bus.Publish(event.TurnStarted{Meta: t.meta(), MessageIDs: t.messageIDs(), Provider: w.providerOrder(t.provider)[0].Name()})
	out, err := w.answer(t)
	w.finish(t, out, err)
}

// answer prepares a turn and runs the agent on it.
func (w *worker) answer(t *turn) (out Outcome, err error) {
	defer caught(w.opt.Log, t.id, &err)
	if err := context.Cause(t.ctx); err != nil { // stopped as it began
		return Outcome{}, err
	}
	w.step("started")
	if done, err := w.in.answered(t.entries[0]); done || err != nil {
		t.answered = done // recorded, but the process ended before the inbox was cleaned
		return Outcome{Reason: event.StopCompleted}, err
	}
	if err := w.prepare(t); err != nil {
		return Outcome{}, err
	}
	if t.conv.Has(t.id) { // delivered again after it was answered and cleaned up
		t.answered = true
		return Outcome{Reason: event.StopCompleted}, nil
	}
	w.step("begun")
	if t.plan == planDeclined {
		return w.declinePlan(t), nil
	}
	task, err := w.taskOf(t)
	if err != nil {
		return Outcome{}, err
	}
	title, _, _ := strings.Cut(strings.TrimSpace(t.messages[len(t.messages)-1].Content), "\n")
	request := tools.Request{Turn: t.id, Source: w.opt.Name, Title: title, Conversation: t.conv.ID}
	return w.agentFor(t.provider).Run(tools.WithRequest(t.ctx, request), task)
}

// taskOf returns the agent's task in a turn. The built-in system prompt is constant in a conversation unless the owner's
// instructions change; a vault's own prompt may vary from turn to turn.
func (w *worker) taskOf(t *turn) (Task, error) {
	name := prompts.System
	if t.compact {
		name = prompts.SystemCompact
	}
	system, err := w.turnPrompt(t, name, nil)
	if err != nil {
		return Task{}, err
	}
	earlier, err := w.in.made(t.ctx, t.entries...)
	if err != nil {
		return Task{}, err
	}
	task := Task{
		TurnID: t.id, earlier: earlier, System: system, Past: history.Of(w.sendable(t.conv)), Request: history.Messages(t.messages),
		Tools: w.opt.Tools, Emit: w.bus.Publish, Meter: w.accounts.Meter(t.conv.ID),
		Conversation: t.conv.ID, CacheKey: t.conv.ID, host: w, of: t,
	}
	if n := len(t.conv.Turns); n > 0 {
		task.kept = t.conv.Turns[n-1].Shortened
	}
	if t.plan.planning() {
		task.Purpose = llm.PurposePlan
	}
	if schema := t.entries[0].AnswerSchema; schema != nil {
		if task.form, err = typed.Parse(schema); err != nil {
			return Task{}, fmt.Errorf("the schema of the answer is invalid: %w", err)
		}
	}
	if t.compact {
		task.small = w.smallTurn(t, &task)
	}
	return task, nil
}

// prepare finds the conversation, makes the user's messages, and counts the attempt.
func (w *worker) prepare(t *turn) error {
	if err := w.enter(t); err != nil {
		return err
	}
	if w.opt.News != nil {
		if news := w.opt.News(); news != "" {
			w.notice(t.meta(), news)
		}
	}
	compact := w.opt.Prompt.CompactFor(t.ctx, t.provider) // before anything is attached: the window is known then
	for _, e := range t.entries {
		t.messages = append(t.messages, w.userMessage(t, e))
	}
	w.publishAttached(t, t.messages)
	t.plan = planFor(t.conv, t.entries)
	if w.asks.Approval() == event.ApprovalPlan && t.plan == planNone && t.entries[0].Source == event.SourceDirect {
		t.plan = planMake
	}
	if t.setGoal = t.setsGoal(*w.goals.goal.Load()); t.setGoal {
		t.plan = planNone
	}
	w.goals.turnBegins(t)
	w.opt.Ready(t.ctx)
	t.compact = compact && !t.plan.planning()
	t.tools = prompts.Tools(w.toolsNow())
	t.messages[len(t.messages)-1].Context = w.context(t)
	return w.in.mark(t, len(t.entries) > 1, func(e *inbox.Entry) {
		e.Begin(t.id, t.started)
		e.Conversation, e.After = t.conv.ID, t.conv.LastTurn()
	})
}

// enter opens the conversation of a turn, after the previous one has ended if necessary.
func (w *worker) enter(t *turn) error {
	id := cmp.Or(t.entries[0].Conversation, w.nextID())
	var conv, ended *conversation.Conversation
	before, err := w.opt.Conversations.Active()
	if err == nil {
		conv, ended, err = w.opt.Conversations.Begin(id, t.started)
	}
	if err != nil {
		return fmt.Errorf("the conversation could not be opened: %w", err)
	}
	if ended != nil {
		w.after.ended(t.meta(), ended)
	}
	isNew := before == nil || before.ID != conv.ID
	w.entered(t, conv, id, isNew)
	if isNew {
		w.bus.Publish(event.ConversationBegan{Meta: t.meta(), ID: conv.ID})
		w.step("entered")
	}
	return nil
}
