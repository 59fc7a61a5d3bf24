package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"chatvault/agent/event"
	"chatvault/agent/history"
	"chatvault/agent/llm"
	"chatvault/agent/repeat"
	"chatvault/agent/smallmodel"
	"chatvault/agent/spend"
	"chatvault/agent/typed"
	"chatvault/agent/window"
	"chatvault/conversation"
	"chatvault/conversation/artifact"
	"chatvault/internal/base/text"
	"chatvault/tools"
)

// Agent thinks and acts: it calls the model, runs the tools it asks for, and calls it again
// with their results, until it answers, asks, or meets a limit.
type Agent struct {
	Provider  llm.Provider
	Fallback  []llm.Provider // tried in this order when a provider fails permanently, for the rest of the run
	MaxRounds int            // rounds of tool calls in a turn
	Retry     llm.RetryPolicy
	Budget    spend.Budget // of a turn, checked before each model call
	Window    int          // context window of Provider in tokens, as configured; zero means unknown
	Prompt    PromptSize   // empty: full
	Log       *slog.Logger
	Artifacts *artifact.Store // stores pictures and documents; nil if none are shown. A Processor sets it

	*learned              // nil: nothing yet
	windowOf llm.Provider // the chosen provider, to which Window applies; nil means Provider
}

// learned holds what the process has found out about models.
type learned struct {
	windows window.Known
	slow    atomic.Bool // the newest call of a turn took longer than quickCall
	unable  sync.Map    // known limitations, such as noSchema followed by the provider's name
	outages sync.Map    // time.Time when another provider took over, by provider name
}

// Task is the input of a run.
type Task struct {
	TurnID       string
	System       string         // the system prompt; empty if there is none
	Past         []history.Past // earlier turns, oldest first
	Request      []llm.Message  // the new messages of the user
	Tools        func(tools.Messenger) Toolbox
	Emit         func(event.Event)
	Purpose      llm.Purpose
	Conversation string // ID of the conversation; empty if there is none
	// CacheKey is the llm.Request.CacheKey of each call.
	CacheKey string
	// Meter counts a model call and returns the totals of its conversation and day. May be nil. Sub-agents call it
	// concurrently.
	Meter   func(llm.Usage) (conversation, day event.Totals)
	host    *worker        // of the turn; nil for sub-agents
	of      *turn          // that turn
	earlier []tools.Call   // of earlier attempts at the task: no call repeats them
	part    *spend.Spent   // of its turn, for a sub-agent; nil for other runs
	used    event.Totals   // before the run
	kept    map[string]int // results that were sent shortened before, as window.Shortener.Kept
	small   *small         // for turns with the compact prompt; else nil
	form    *typed.Form    // of the answer; nil means text
}

// Outcome is the result of a run. If the run failed, it is filled as far as the run got.
type Outcome struct {
	conversation.Turn // Messages are those of the agent and its tools; the worker fills in the rest
	Response          string
	Reason            event.StopReason
	Changes           []string
	Used              event.Totals // by all model calls of the run, those of sub-agents too
	Partial           string       // what the model was writing when the run was stopped
	Told              string       // context added to the newest message of the request
}

// ends reports whether the conversation ends after the turn. One that waits for an answer does not.
func (o *Outcome) ends() bool { return o.Ends && o.Question == "" }

// run is one Run under way. Its parts act for it: model calls the model, view makes requests fit, acts runs the tools.
type run struct {
	Agent
	Task
	box   Toolbox
	model *caller
	view  *view
	acts  *actor

	state  event.State
	out    Outcome
	ids    map[string]bool // IDs of all tool calls so far
	made   int             // changes of the vault, those of earlier attempts included
	waited time.Duration   // for decisions of the user
	told   bool            // the newest step with tool calls told the user something, or asked
	spent  *spend.Spent
	tasks  []tools.TaskItem // the agent's current list of steps
	ending *ending          // the next model call is the last, and no tool runs after it
	repair []llm.Message    // an answer that is not in its form, and the fault; for the next call, the last
}

// ending is why a turn ends before the model is done. The model gets one last call, without tools, to give an account.
type ending struct {
	reason event.StopReason
	model  string // message for the model
	user   string // message for the user
	broken bool   // there is no last call: it would cost money and most likely end the same way
	told   bool   // the model has the message
	once   bool   // the model called a tool without any text and gets one more call
}

// Run works on a task. The error is an *llm.Error, the cause of ctx's end, or an internal error, including a panic.
func (a Agent) Run(ctx context.Context, t Task) (Outcome, error) {
	r := newRun(a, t)
	err := r.loop(ctx)
	r.out.Changes, r.out.Provider, r.out.Used, r.out.Shortened = r.box.Changes(), r.Provider.Name(), r.spent.Now(), r.view.Kept
	if err != nil && ctx.Err() == nil {
		r.to(event.StateError)
	}
	return r.out, err
}

// newRun returns a run that has done nothing yet.
func newRun(a Agent, t Task) *run {
	a.learned, a.windowOf = cmp.Or(a.learned, &learned{}), cmp.Or(a.windowOf, a.Provider) // sub-agents learn for each other
	r := &run{Agent: a, Task: t, state: event.StateIdle, ids: map[string]bool{}, spent: t.part}
	r.model, r.view, r.acts = &caller{run: r}, &view{run: r}, &actor{run: r, loops: repeat.NewCalls()}
	if r.spent == nil {
		r.spent = spend.Begin(a.Budget, t.used)
	}
	if t.Tools != nil {
		r.box = t.Tools(messenger{r})
	}
	if t.of != nil {
		r.made = len(r.earlier)
	}
	if r.small != nil {
		r.small.run = r
		r.MaxRounds = min(r.MaxRounds, smallmodel.MaxRounds)
	}
	r.view.Kept, r.view.Again = map[string]int{}, r.view.repeats
	maps.Copy(r.view.Kept, r.kept)
	sent := r.view.whole()
	r.view.Forget(sent)
	for _, m := range sent {
		for _, c := range m.ToolCalls {
			r.ids[c.ID] = true
		}
	}
	return r
}

// loop keeps what was done before a panic: it is recorded like any other failed turn.
func (r *run) loop(ctx context.Context) (err error) {
	defer caught(r.Log, r.TurnID, &err)
	empty := 0
	for round := 0; ; round++ {
		if done, err := r.prepare(ctx, round); done || err != nil {
			return err
		}
		resp, err := r.think(ctx, empty > 0)
		if err != nil {
			if err := r.view.makeRoom(ctx, err); r.outgrown(err) {
				return nil
			} else if err != nil {
				return err
			}
			round-- // the same step once more
			continue
		}
		r.view.refused = false
		if e := endings[resp.Finish]; e.broken {
			r.ending, resp.ToolCalls = &e, nil
		}
		if r.small != nil && len(resp.ToolCalls) == 0 && !text.Blank(resp.Text) && !r.small.shows(&resp) {
			round-- // an answer that only describes a change is no round of tool calls
			continue
		}
		if !r.last(&resp) {
			round--
			continue
		}
		r.recordAnswer(resp)
		switch {
		case len(resp.ToolCalls) > 0:
			empty = 0
			recorded := len(r.out.Messages)
			if err := r.acts.act(ctx, resp); err != nil {
				return err
			}
			if r.waits() {
				return nil
			}
			r.to(event.StateObserving)
			if r.small != nil && r.small.ends(resp, r.out.Messages[recorded:]) {
				return nil
			}
		default:
			nothing := text.Blank(resp.Text) && !r.told && r.ending == nil // a message to the user just before is an answer
			if empty++; !nothing || empty == repeat.MaxEmptySteps {
				r.conclude(resp, nothing)
				return nil
			}
			round-- // an empty step is no round of tool calls
		}
	}
}

// waits ends the run if the agent asked a question, and reports whether it did.
func (r *run) waits() bool {
	if r.out.Question == "" {
		return false
	}
	r.out.Reason = event.StopWaiting
	r.out.Response = cmp.Or(r.out.Response, r.out.Question)
	if len(r.out.Options) > 0 {
		r.to(event.StateWaitingDecision)
	} else {
		r.to(event.StateWaitingClarification)
	}
	return true
}

// prepare makes the next request fit, after a number of rounds. done reports that the run has ended instead.
func (r *run) prepare(ctx context.Context, rounds int) (done bool, err error) {
	if rounds >= r.MaxRounds && r.ending == nil {
		r.ending = &ending{
			reason: event.StopToolLimit,
			model:  fmt.Sprintf("The limit of %d rounds of tool calls is reached", r.MaxRounds),
			user:   fmt.Sprintf("Stopped after %d rounds of tool calls (max_tool_iterations). Say “continue” to go on.", r.MaxRounds),
		}
	}
	if r.overBudget() {
		return true, nil
	}
	if r.of != nil && r.ending == nil {
		if messages := r.host.fold(r.of); len(messages) > 0 {
			r.out.Messages = append(r.out.Messages, messages...)
			r.told = false // they want an answer of their own
		}
	}
	if err := r.view.fit(ctx); r.outgrown(err) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	return r.overBudget(), nil // by the summary that fit made
}

// endings are the ends of turns after incomplete answers.
var endings = map[llm.FinishReason]ending{
	llm.FinishRefusal:       {broken: true, reason: event.StopRefused, user: "The model refused to answer this. Rephrase the message, or choose another model with /model."},
	llm.FinishContentFilter: {broken: true, reason: event.StopRefused, user: "The provider's content filter stopped the answer. Rephrase the message, or choose another model with /model."},
	llm.FinishCut:           {broken: true, reason: event.StopCut, user: "The provider broke off the answer, for lack of capacity or because of an error. Say “continue” to go on, or choose another model with /model."},
	llm.FinishLength:        {reason: event.StopLength, user: "The answer was cut off at the model's token limit. Say “continue” to go on."},
	llm.FinishUnable:        {reason: event.StopUnable},
	finishEndless:           {reason: event.StopLoop},
}

// conclude ends the run after a response without tool calls. stuck is set if the model returned nothing repeatedly.
func (r *run) conclude(resp llm.Response, stuck bool) {
	e := endings[resp.Finish]
	switch {
	case r.ending != nil:
		e = *r.ending
	case stuck:
		e = ending{reason: event.StopNoProgress, user: "The model returned nothing, even when asked again. Rephrase the request, or try another model."}
	}
	r.out.Response, r.out.Reason = resp.Text, cmp.Or(e.reason, event.StopCompleted)
	if e.user != "" && !r.isSubagent() { // its parent reports it
		r.notice(e.user)
	}
	if r.Purpose == llm.PurposePlan && (r.out.Reason == event.StopCompleted || r.out.Reason == event.StopLength) && !strings.HasPrefix(strings.TrimSpace(resp.Text), llm.NoPlan) {
		r.say(planQuestion, true, planOptions)
		r.out.Plan, r.out.Reason = true, event.StopWaiting
		if text.Blank(r.out.Response) { // it was said in a message
			r.out.Response = planQuestion
		}
		r.to(event.StateWaitingDecision)
		return
	}
	r.to(event.StateCompleted)
}

// last drops calls that do not run any more. It reports false if the model is asked for the answer in its form instead.
func (r *run) last(resp *llm.Response) bool {
	if e := r.ending; e != nil && len(resp.ToolCalls) > 0 {
		if e.once || !text.Blank(resp.Text) {
			resp.ToolCalls = nil
		}
		e.once = true
	}
	if r.repair != nil {
		resp.ToolCalls = nil
	}
	return r.form == nil || len(resp.ToolCalls) > 0 || endings[resp.Finish].broken || r.inForm(resp)
}

// inForm puts the answer in its form, or tells the model once what is wrong with it, and the user if that was in vain. It
// reports whether the run can end.
func (r *run) inForm(resp *llm.Response) bool {
	value, err := r.form.Read(resp.Text)
	switch {
	case err == nil:
		resp.Text = string(value)
		if resp.Finish == llm.FinishLength { // only blanks are cut off
			resp.Finish = llm.FinishStop
		}
		r.Emit(event.Answered{Meta: r.meta(), Value: value})
		return true
	case resp.Finish == llm.FinishLength:
		err = errors.New("it was cut off at the model's token limit")
	case text.Blank(resp.Text):
		err = errNothing
	}
	if r.repair != nil {
		r.ending = &ending{reason: event.StopInvalid, user: fmt.Sprintf("The answer is not valid against the schema: %v.", err)}
		return true
	}
	r.small = nil // only the answer is left to do
	r.repair = []llm.Message{
		{Role: llm.RoleAssistant, Content: resp.Text},
		{Role: llm.RoleUser, Program: true, Content: fmt.Sprintf("This answer cannot be used: %v. Give it again, complete. %s", err, formText(r.form.Schema))},
	}
	return false
}

// formText asks the model for an answer in the form of a schema.
func formText(schema json.RawMessage) string {
	return "Your final answer must be JSON alone, with no other text and no code fence, valid against this JSON Schema:\n" + string(schema)
}

// think calls the model once, with retries.
func (r *run) think(ctx context.Context, nudge bool) (llm.Response, error) {
	if e := r.ending; e != nil && !e.told {
		e.told = true
		last := " in this turn. Tell the user in a few words what is done, what is left, and that “continue” goes on."
		if r.isSubagent() {
			last = ". Write your report now, with what you have, and say what is missing in it."
		}
		r.tell("[" + e.model + ": no tool can be called any more" + last + "]")
	}
	if nudge {
		r.tell(repeat.NudgeText)
	}
	req := llm.Request{Purpose: r.Purpose, Messages: r.view.messages(), Tools: r.acts.specs(), NoCalls: r.ending != nil, CacheKey: r.CacheKey}
	if r.small != nil && r.small.exact != "" {
		r.to(event.StateThinking)
		return llm.Response{Text: r.small.exact, Finish: llm.FinishStop}, nil
	}
	if r.small != nil {
		req = r.small.request(req)
	}
	if _, refused := r.unable.Load(noSchema + r.Provider.Name()); r.form != nil && r.small == nil && !refused {
		req.Answer = r.form.Schema
	}
	req.Messages, req.NoCalls = slices.Concat(req.Messages, r.repair), req.NoCalls || r.repair != nil
	r.view.sent = r.view.tokens(req)
	return r.model.call(ctx, req)
}

// tell adds text for the model to the newest message. It stays there, so that each request begins with the previous
// one.
func (r *run) tell(words string) {
	for i := len(r.out.Messages) - 1; i >= 0; i-- {
		m := &r.out.Messages[i]
		switch m.Role {
		case conversation.RoleAgent:
			continue
		case conversation.RoleTool:
			m.Content = strings.TrimSpace(m.Content + "\n\n" + words)
		default:
			m.Context = text.Join("\n", m.Context, words)
		}
		return
	}
	r.out.Told = text.Join("\n", r.out.Told, words)
	r.Request = slices.Clone(r.Request)
	last := &r.Request[len(r.Request)-1]
	last.Context = text.Join("\n", last.Context, words)
}

// maxReasoning is the maximum length of recorded reasoning, in bytes.
const maxReasoning = 64 << 10

// recordAnswer records a response, with its reasoning for the person. What the endpoint wants back is in the Echo.
func (r *run) recordAnswer(resp llm.Response) {
	if text.Blank(resp.Text) {
		if len(resp.ToolCalls) == 0 {
			return
		}
		resp.Text = ""
	}
	m := conversation.Message{Role: conversation.RoleAssistant, Time: time.Now(), Content: resp.Text, Echo: history.RecordEcho(resp), Reasoning: strings.ToValidUTF8(text.Head(resp.Reasoning, maxReasoning), "")}
	for _, c := range resp.ToolCalls {
		args := llm.Arguments(c.Arguments)
		m.ToolCalls = append(m.ToolCalls, conversation.ToolCall{ID: c.ID, Name: c.Name, Arguments: string(args), Target: tools.Target(c.Name, args)})
	}
	r.out.Messages = append(r.out.Messages, m)
}

// to changes the state.
func (r *run) to(s event.State) {
	r.state = s
	r.Emit(event.StateChanged{Meta: r.meta(), State: s})
}

func (r *run) notice(text string) { r.Emit(event.Notice{Meta: r.meta(), Text: text}) }

func (r *run) meta() event.Meta { return event.Meta{TurnID: r.TurnID, Time: time.Now()} }

// overBudget ends the run before a model call that the budget does not allow.
func (r *run) overBudget() bool {
	why := r.spent.Over(r.isSubagent())
	if why != "" {
		r.stopShort(event.StopBudget, why, "this turn's budget is used up ("+why+")", " with a new budget")
	}
	return why != ""
}

// outgrown ends the run if its steps have outgrown the model's window. In the next turn a summary can replace them.
func (r *run) outgrown(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Reason != llm.ReasonContextLength || len(r.out.Messages) == 0 {
		return false
	}
	r.to(event.StateThinking)
	r.Log.Warn("a turn has outgrown the window", "turn", r.TurnID, "error", err)
	r.stopShort(event.StopLength, "its steps no longer fit its model", "this turn has grown longer than the model takes", "")
	return true
}

// stopShort ends the run with an account of our own: another model call for one would cost too much. why is the account
// of a sub-agent, to which its parent adds; because and next complete the sentences for the user.
func (r *run) stopShort(reason event.StopReason, why, because, next string) {
	r.out.Reason, r.out.Response = reason, why
	if !r.isSubagent() {
		r.out.Response = "I stopped because " + because + ". " + r.account() + " Say “continue” to go on" + next + "."
		r.Emit(event.TextDelta{Meta: r.meta(), Text: r.out.Response})
		r.Emit(event.TextDone{Meta: r.meta(), Text: r.out.Response})
		r.recordAnswer(llm.Response{Text: r.out.Response})
	}
	r.to(event.StateCompleted)
}

// account describes what the turn has done and, if the agent keeps a task list, what remains.
func (r *run) account() string {
	account := "Nothing was changed."
	if changes := r.box.Changes(); len(changes) > 0 {
		account = "Done so far: " + text.First(changes, 10) + "."
	}
	var left []string
	for _, item := range r.tasks {
		if !item.Done {
			left = append(left, item.Text)
		}
	}
	if len(left) > 0 {
		account += " Left: " + text.First(left, 10) + "."
	}
	return account
}
